// SPDX-License-Identifier: GPL-2.0-only
/*
 * How large rings have to be, if nobody says it: so that what comes in RING_SECONDS
 * fits, whatever keeps the recorder from draining them.  It is the kernel's memory
 * and cannot be swapped, so there are bounds, for one CPU and for all.
 */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vmmprof/record.h>

#include "host/ring_size.h"
#include "os/proc_file.h"

/* Of a sample, without a stack: two chains of some twenty frames in all. */
#define CHAIN_BYTES 512
#define NS_PER_SEC  1000000000ull

static uint64_t event_rate(const struct vmmprof_event *event, uint32_t tsc_khz)
{
	if (!event->period)
		return 0;
	if (event->flags & VMMPROF_EVENT_F_FREQ)
		return event->period;
	if (!event_is_hardware(event))
		return NS_PER_SEC / event->period;
	/* few events come more often than the clock ticks */
	return tsc_khz * 1000ull / event->period;
}

uint64_t ring_rate(const struct ring_need *need)
{
	uint64_t sum = 0, rate;
	unsigned int i;

	for (i = 0; i < need->events->nr; i++) {
		rate = event_rate(&need->events->choice[i].event,
				  need->tsc_khz);
		if (need->max_rate && rate > need->max_rate)
			rate = need->max_rate; /* perf throttles the event */
		sum += rate;
	}
	return sum;
}

uint32_t ring_size(const struct ring_need *need)
{
	uint64_t bytes = sizeof(struct vmmprof_rec_sample);
	uint64_t least = need->switches ? RING_SWITCHES : RING_LEAST;
	uint64_t most = RING_MOST;
	uint32_t size = RING_LEAST;

	if (need->chains)
		bytes += CHAIN_BYTES + need->chain_stack;
	bytes *= ring_rate(need) * RING_SECONDS;
	if (bytes < least)
		bytes = least;
	if (need->memory && need->nr_cpus &&
	    most > need->memory / RING_MEMORY_DIVIDE / need->nr_cpus)
		most = need->memory / RING_MEMORY_DIVIDE / need->nr_cpus;
	while (size < bytes && size * 2ull <= most)
		size *= 2;
	return size;
}

/* The number behind @name in the text; 0: there is none. */
static uint64_t number_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

void ring_machine(const char *root, struct ring_need *need)
{
	char path[PATH_MAX], text[4096];

	need->max_rate = 0;
	need->memory = 0;
	snprintf(path, sizeof(path),
		 "%s/proc/sys/kernel/perf_event_max_sample_rate", root);
	if (proc_file_line(path, text, sizeof(text)) > 0)
		need->max_rate = strtoull(text, NULL, 10);
	snprintf(path, sizeof(path), "%s/proc/meminfo", root);
	if (proc_file_read(path, text, sizeof(text)) > 0)
		need->memory = number_of(text, "MemTotal:") << 10;
}
