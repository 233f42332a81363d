/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The session's file `host`: the host's kernel, processes, mappings and
 * symbols, from before the sampling to its end.
 */
#ifndef VMMPROF_HOST_HOST_MAPS_H
#define VMMPROF_HOST_HOST_MAPS_H

#include <poll.h>
#include <stdbool.h>

#include "os/proc_maps.h"
#include "os/sideband.h"

#define VMMPROF_HOSTMAPS_MODULES 1024

struct vmmprof_hostmaps {
	struct vmmprof_itemwriter w;
	struct vmmprof_procmaps *procs;
	struct vmmprof_sideband *sideband; /* NULL: see sideband_err */
	int kernel_err;	  /* why kernel symbols are missing; 0: they are not */
	int sideband_err; /* why processes that come and go are not seen */
	__u64 modules[VMMPROF_HOSTMAPS_MODULES]; /* hashes, from the beginning */
	unsigned int nr_modules;
	__u32 maps;	/* mappings known at the last tick */
	char left[512]; /* symbols left out, a line for the user; "": none */
};

/*
 * Creates the file in dirfd and writes what there is now.  Begin this before
 * sampling begins.  kernel_err and sideband_err are no failure: they say what
 * the session will lack.  0 or -errno.
 */
int vmmprof_hostmaps_begin(struct vmmprof_hostmaps *hm, int dirfd);

/* As vmmprof_sideband_pollfds(): when to call tick(). */
int vmmprof_hostmaps_pollfds(const struct vmmprof_hostmaps *hm,
			     struct pollfd *fds, int max);

/*
 * Writes what came since.  *started: a process mapped something new, so there
 * may be a new VM.  0 or -errno.
 */
int vmmprof_hostmaps_tick(struct vmmprof_hostmaps *hm, bool *started);

/*
 * Writes the rest, and the kernel's symbols again if modules were loaded.
 * *lost: side-band records nobody read in time; hm->left: symbols that were left
 * out.  Waits for symbols, but not for ever.  Releases everything, also after an
 * error.  0 or -errno.
 */
int vmmprof_hostmaps_end(struct vmmprof_hostmaps *hm, __u64 *lost);

#endif /* VMMPROF_HOST_HOST_MAPS_H */
