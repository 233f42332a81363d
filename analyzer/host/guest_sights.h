/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the records in the rings show of each VM's guest: a moment in its kernel,
 * from which its memory can be read, that processes ran there which had not been
 * seen before, and that what is known of its kernel is wrong.  Records are looked at
 * before they are drained.
 */
#ifndef HOST_GUEST_SIGHTS_H
#define HOST_GUEST_SIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "format/ring_drain.h"

#define GUEST_SIGHTS_TASKS 0x100000u /* processes that are told apart */

struct guest_sight {
	uint32_t vmm;	   /* tgid of the VMM */
	bool sampled;	   /* since the last guest_sights_sampled() */
	bool encrypted;	   /* the guest's memory, or its state */
	uint64_t cr3, rip; /* of its last sample in kernel mode; rip 0: none */
	uint64_t odd; /* such samples in a row, perhaps of user mode's table */
	uint64_t found;	 /* processes that were seen for the first time */
	uint64_t unread; /* samples in a row, no task was where it is to be */
};

struct guest_sights {
	struct guest_sight *all;
	size_t nr, cap;
	size_t last;	   /* index of the one that was looked for last */
	struct hash vmms;  /* tgid of the VMM -> index in all */
	struct hash tasks; /* of VMM, tgid and mm */
	size_t nr_tasks;
	uint64_t *at; /* of each ring: looked at up to here */
	size_t nr_at, cap_at;
};

void guest_sights_deinit(struct guest_sights *s);

/* Looks at what came into the ring, number @i, since the last time.  0, -ENOMEM. */
int guest_sights_look(struct guest_sights *s, unsigned int i,
		      const struct mapped_ring *ring);

/* NULL: no sample has hit a guest of that VMM. */
const struct guest_sight *guest_sights_find(const struct guest_sights *s,
					    uint32_t vmm);

/* Puts at most @max VMMs into @vmms that were sampled since; how many these are. */
size_t guest_sights_sampled(struct guest_sights *s, uint32_t *vmms, size_t max);

#endif /* HOST_GUEST_SIGHTS_H */
