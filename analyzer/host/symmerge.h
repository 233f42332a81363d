/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bundle that was fetched and its guest's cache: symbol tables that the
 * guest left out go into the bundle, so that the session is whole; those it
 * sent go into the cache.
 */
#ifndef VMMPROF_SYMMERGE_H
#define VMMPROF_SYMMERGE_H

#include "symcache.h"

/* Of one bundle; a hostile guest's is cut off there. */
#define VMMPROF_SYMMERGE_FILES 16384

struct vmmprof_symmerge_stat {
	uint32_t cached; /* tables that came from the cache */
	uint32_t lost;	 /* left out by the guest, not in the cache */
	uint32_t stored;
	uint64_t bytes; /* of those that came from the cache */
};

/*
 * @fd: the bundle, read and written.  A cache that is full or fails keeps less;
 * the bundle stays one that can be read in any case but an error.  0, a
 * header's error of vmmprof_bundle_init(), or -errno of writing.
 */
int vmmprof_symmerge(const struct vmmprof_symcache_guest *g, int fd,
		     struct vmmprof_symmerge_stat *stat);

#endif /* VMMPROF_SYMMERGE_H */
