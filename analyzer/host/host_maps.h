/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The session's file `host`: the host's kernel, processes, mappings and
 * symbols, from before the sampling to its end.
 */
#ifndef HOST_HOST_MAPS_H
#define HOST_HOST_MAPS_H

#include <poll.h>
#include <stdbool.h>

#include "os/proc_maps.h"
#include "os/sideband.h"

#define HOST_MAPS_MODULES 1024

struct host_maps {
	struct item_writer w;
	struct proc_maps *procs;
	struct sideband *sideband; /* NULL: see sideband_err */
	int kernel_err;	  /* why kernel symbols are missing; 0: they are not */
	int sideband_err; /* why later processes are not seen; 0: they are */
	__u64 modules[HOST_MAPS_MODULES]; /* hashes, from the beginning */
	unsigned int nr_modules;
	__u32 maps;	/* mappings known at the last tick */
	char left[512]; /* symbols left out, a line for the user; "": none */
};

#define HOST_MAPS_UNWIND  0x1 /* UNWIND items of mapped files: call chains */
/* map_files_sparing(); with UNWIND the files of now are read at the beginning */
#define HOST_MAPS_SPARING 0x2

/*
 * Creates the file in dirfd and writes the processes and mappings of now.  To
 * be called before sampling begins.  kernel_err and sideband_err are no
 * failure: they say what the session will lack.  @how: HOST_MAPS_*.  Waits
 * for symbols up to five seconds, for unwind tables up to fifteen.  0 or -errno.
 */
int host_maps_begin(struct host_maps *hm, int dirfd, unsigned int how);

/* Descriptors for poll(), as sideband_pollfds(): when to call tick(). */
int host_maps_pollfds(const struct host_maps *hm, struct pollfd *fds, int max);

/*
 * Writes what happened since.  *started: a process mapped something new, so
 * there may be a new VM.  0 or -errno.
 */
int host_maps_tick(struct host_maps *hm, bool *started);

/*
 * Writes the rest, and the kernel's symbols again if modules were loaded.
 * *lost: side-band records that were not read in time; hm->left: symbols that
 * were left out.  Waits for symbols up to half a minute.  Releases everything,
 * also after an error.  0 or -errno.
 */
int host_maps_end(struct host_maps *hm, __u64 *lost);

#endif /* HOST_HOST_MAPS_H */
