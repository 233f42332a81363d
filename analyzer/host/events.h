/* SPDX-License-Identifier: GPL-2.0-only */
/* Events by perf's names, and the period of each that is about 1 ms. */
#ifndef HOST_EVENTS_H
#define HOST_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <vmmprof/ioctl.h>

#define EVENT_NAME 32

struct event_choice {
	char name[EVENT_NAME]; /* as the user gave it, with its modifiers */
	struct vmmprof_event event;
};

struct event_list {
	unsigned int nr;
	struct event_choice choice[VMMPROF_MAX_EVENTS];
};

/* How often to sample; at most one of the two is not 0. */
struct rate {
	uint64_t period; /* events (cpu-clock: ns) per sample */
	uint64_t freq;	 /* samples per second */
};

/*
 * Parses "NAME[,NAME]..." into the list; periods stay 0.  On error the
 * offending name is copied into bad (EVENT_NAME bytes).
 * -ENOENT: unknown name; -E2BIG: more than VMMPROF_MAX_EVENTS; -EEXIST: a name
 * given twice; -EINVAL: an empty name or a bad rNNN; -EPROTO: behind the ":"
 * stands something else than u, k, G, H; -EOPNOTSUPP: modifiers of a software
 * event.
 */
int events_parse(const char *text, struct event_list *list, char *bad);

/*
 * Fills in the periods: from rate, else about 997 us (1 ms could run in step
 * with guests' timer ticks).  tsc_khz: from the module.
 */
void events_set_rate(struct event_list *list, const struct rate *rate,
		     uint32_t tsc_khz);

/*
 * What is sampled if nobody chooses: the first of these that the machine has;
 * NULL behind the last.  From EVENT_TIMER on they need no counter.
 */
#define EVENT_TIMER 2
const char *event_default(unsigned int i);

/* Does the event need the CPU's performance counters? */
bool event_is_hardware(const struct vmmprof_event *event);

/* A known name; NULL: there are no more. */
const char *event_name(int i);

/* All known names, comma-separated, wrapped at 78 columns. */
void events_print_known(FILE *out, const char *indent);

#endif /* HOST_EVENTS_H */
