/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that start, map and end while something is measured: perf's
 * side-band events (software event `dummy` on every CPU: mmap2 with
 * build-id, comm, task), written through procmaps.h.  Works without a PMU.
 *
 * Order for the caller: open, then vmmprof_procmaps_scan(), then measure;
 * vmmprof_sideband_read() now and then (poll()able, or a timer of 100 ms),
 * and once at the end.
 */
#ifndef VMMPROF_OS_SIDEBAND_H
#define VMMPROF_OS_SIDEBAND_H

#include <poll.h>

#include "os/proc_maps.h"

struct vmmprof_sideband;

/*
 * -EACCES or -EPERM: not allowed (needs CAP_PERFMON, on Debian CAP_SYS_ADMIN);
 * CPUs that are offline are left out.
 */
int vmmprof_sideband_open(struct vmmprof_procmaps *pm,
			  struct vmmprof_sideband **ret);

/* Write what has come since.  Does not wait. */
int vmmprof_sideband_read(struct vmmprof_sideband *sb);

/*
 * Fill @fds with the descriptors to poll for POLLIN; returns how many there
 * are, which may be more than @max.
 */
int vmmprof_sideband_pollfds(const struct vmmprof_sideband *sb,
			     struct pollfd *fds, int max);

/* Records that the kernel dropped so far because nobody read them. */
__u64 vmmprof_sideband_lost(const struct vmmprof_sideband *sb);

/*
 * Write the rest, and a LOST item to @w if records were dropped; release.
 * NULL is allowed.
 */
int vmmprof_sideband_close(struct vmmprof_sideband *sb,
			   struct vmmprof_itemwriter *w);

#endif /* VMMPROF_OS_SIDEBAND_H */
