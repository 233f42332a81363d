/* SPDX-License-Identifier: GPL-2.0-only */
/* How large rings have to be, if nobody says it. */
#ifndef HOST_RING_SIZE_H
#define HOST_RING_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "host/events.h"

#define RING_SECONDS	   5 /* of samples that fit */
#define RING_LEAST	   (64u << 10)
#define RING_MOST	   (8u << 20)
/* With switch records: they come as often as the scheduler switches. */
#define RING_SWITCHES	   (512u << 10)
#define RING_MEMORY_DIVIDE 32 /* all rings: this part of the memory at most */

/* What is sampled, and on what machine. */
struct ring_need {
	const struct event_list *events; /* with their rates */
	uint32_t tsc_khz;
	uint64_t max_rate;    /* samples of an event a second; 0: not known */
	bool switches;	      /* switch records are written */
	bool chains;	      /* call chains are taken */
	uint32_t chain_stack; /* ... with so many bytes of stacks */
	unsigned int nr_cpus;
	uint64_t memory; /* of the machine, in bytes; 0: not known */
};

/* The most samples a second on one CPU. */
uint64_t ring_rate(const struct ring_need *need);

/* Bytes of each CPU's ring: a power of two, RING_LEAST to RING_MOST. */
uint32_t ring_size(const struct ring_need *need);

/* Fills in max_rate and memory.  @root: "" or the prefix of a test's tree. */
void ring_machine(const char *root, struct ring_need *need);

#endif /* HOST_RING_SIZE_H */
