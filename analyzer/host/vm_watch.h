/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Notices VMs that start while others are measured, so that a VM that ends
 * before the recording does still gets its name.  Looks at new processes only,
 * and only after something was started: an idle host costs nothing.
 */
#ifndef VMMPROF_HOST_VM_WATCH_H
#define VMMPROF_HOST_VM_WATCH_H

#include "host/inventory.h"

struct vmmprof_vmwatch_proc {
	uint32_t pid;
	uint32_t looks; /* how often it was looked at in vain */
};

struct vmmprof_vmwatch {
	const char *root;
	struct vmmprof_vmwatch_proc *procs; /* by pid, of the last walk */
	size_t nr;
	uint64_t next_ns; /* next walk; 0: none is due */
	uint64_t until_ns;
};

/*
 * root as in vmmprof_discover(), which should have run just before: processes
 * there now count as looked at.  0 or -errno.
 */
int vmmprof_vmwatch_init(struct vmmprof_vmwatch *w, const char *root);
void vmmprof_vmwatch_deinit(struct vmmprof_vmwatch *w);

/* A process was started.  now_ns: CLOCK_MONOTONIC. */
void vmmprof_vmwatch_poke(struct vmmprof_vmwatch *w, uint64_t now_ns);

/* Walks over /proc if that is due; adds VMs to inv.  0 or -errno. */
int vmmprof_vmwatch_run(struct vmmprof_vmwatch *w, uint64_t now_ns,
			uint64_t tsc, struct vmmprof_inventory *inv);

#endif /* VMMPROF_HOST_VM_WATCH_H */
