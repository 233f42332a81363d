/* SPDX-License-Identifier: GPL-2.0-only */
/* Events by perf's names, and what period is about a millisecond of each. */
#ifndef VMMPROF_EVENTS_H
#define VMMPROF_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <vmmprof/ioctl.h>

#define VMMPROF_EVENT_NAME 32

struct vmmprof_event_choice {
	char name[VMMPROF_EVENT_NAME]; /* as the user gave it */
	struct vmmprof_event event;
};

struct vmmprof_event_list {
	unsigned int nr;
	struct vmmprof_event_choice choice[VMMPROF_MAX_EVENTS];
};

/* How often to sample; at most one of the two is not 0. */
struct vmmprof_rate {
	uint64_t period; /* events (cpu-clock: ns) per sample */
	uint64_t freq;	 /* samples per second */
};

/*
 * Parses "NAME[,NAME]..." into the list; periods stay 0.  On error the
 * offending name is copied into bad (VMMPROF_EVENT_NAME bytes).
 * -ENOENT: unknown name; -E2BIG: more than VMMPROF_MAX_EVENTS; -EEXIST: a name
 * given twice; -EINVAL: an empty name or a bad rNNN.
 */
int vmmprof_events_parse(const char *text, struct vmmprof_event_list *list,
			 char *bad);

/*
 * Fills in the periods: rate's, or about 997 us (1 ms would lock to the ticks
 * of guests).  tsc_khz: from the module.
 */
void vmmprof_events_set_rate(struct vmmprof_event_list *list,
			     const struct vmmprof_rate *rate, uint32_t tsc_khz);

/* Does the event need the CPU's performance counters? */
bool vmmprof_event_is_hardware(const struct vmmprof_event *event);

/* All known names, comma-separated, wrapped at 78 columns. */
void vmmprof_events_print_known(FILE *out, const char *indent);

#endif /* VMMPROF_EVENTS_H */
