/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that start, map and end while something is measured: perf's
 * side-band events (software event `dummy` on every CPU: mmap2 with build-id,
 * comm, task), written through os/proc_maps.h.  Works without a PMU.
 *
 * Order for the caller: open, then proc_maps_scan(), then measure;
 * sideband_read() now and then (poll()able, or a timer of 100 ms), and once at
 * the end.
 */
#ifndef OS_SIDEBAND_H
#define OS_SIDEBAND_H

#include <poll.h>

#include "os/proc_maps.h"

struct sideband;

/*
 * -EACCES or -EPERM: not allowed (needs CAP_PERFMON, on Debian CAP_SYS_ADMIN).
 * Of CPUs that come online later, or once more, sideband_read() begins to take them.
 */
int sideband_open(struct proc_maps *pm, struct sideband **ret);

/* Write what has come since.  Does not wait. */
int sideband_read(struct sideband *sb);

/*
 * Fill @fds with the descriptors to poll for POLLIN; returns how many there
 * are, which may be more than @max.
 */
int sideband_pollfds(const struct sideband *sb, struct pollfd *fds, int max);

/* Records that the kernel dropped so far because nobody read them. */
__u64 sideband_lost(const struct sideband *sb);

/*
 * Write the rest, and a LOST item to @w if records were dropped; release.
 * NULL is allowed.
 */
int sideband_close(struct sideband *sb, struct item_writer *w);

#endif /* OS_SIDEBAND_H */
