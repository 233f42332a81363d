/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Notices VMs that start while others are measured, so that a VM that ends
 * before the recording does still gets its name.  Looks at new processes only,
 * and only after something was started: an idle host costs nothing.  What comes
 * later than that, a VM of an old process or another vCPU, is found by looking
 * again now and then at VMs, and at processes that the records show to be VMMs.
 */
#ifndef HOST_VM_WATCH_H
#define HOST_VM_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/inventory.h"

struct vm_watch_proc {
	uint32_t pid;
	uint32_t looks; /* how often it was examined and had no VM */
};

struct vm_watch {
	const char *root;
	struct vm_watch_proc *procs; /* by pid, of the last walk */
	size_t nr;
	uint64_t next_ns; /* next walk; 0: none is due */
	uint64_t until_ns;
	uint64_t again_ns; /* next look at those that are known; 0: none was yet */
};

/*
 * root as in discover(), which should have run just before: processes that
 * exist now are not examined again, but those that have just begun.  0 or -errno.
 */
int vm_watch_init(struct vm_watch *w, const char *root);
void vm_watch_deinit(struct vm_watch *w);

/* A process was started.  now_ns: CLOCK_MONOTONIC. */
void vm_watch_poke(struct vm_watch *w, uint64_t now_ns);

/* Walks over /proc if that is due; adds VMs to inv.  0 or -errno. */
int vm_watch_run(struct vm_watch *w, uint64_t now_ns, uint64_t tsc,
		 struct inventory *inv);

/* Is it time for vm_watch_again()?  Then the next time is later. */
bool vm_watch_is_due(struct vm_watch *w, uint64_t now_ns);

/*
 * Looks at the VMs of inv again, and at @vmms, whose guests were sampled, that it
 * lacks.  0 or -ENOMEM.
 */
int vm_watch_again(const struct vm_watch *w, const uint32_t *vmms, size_t nr,
		   uint64_t tsc, struct inventory *inv);

#endif /* HOST_VM_WATCH_H */
