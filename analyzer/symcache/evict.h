/* SPDX-License-Identifier: GPL-2.0-only */
/* What the cache of symbol tables (symcache/cache.h) holds, and making room in it. */
#ifndef VMMPROF_SYMCACHE_EVICT_H
#define VMMPROF_SYMCACHE_EVICT_H

#include "symcache/cache.h"

#define VMMPROF_SYMROOM_LABEL 128

struct vmmprof_symroom_guest {
	char id[VMMPROF_GUESTID];
	char name[VMMPROF_SYMROOM_LABEL]; /* the VM's at its last use */
	uint64_t files, bytes;
	int64_t used; /* newest use of a file, seconds since 1970; 0: none */
};

/* The guests by name.  *list is to be freed.  0 or -errno. */
int vmmprof_symroom_list(const struct vmmprof_symcache *c,
			 struct vmmprof_symroom_guest **list, size_t *nr);

/*
 * Removes the files of guests called @name (NULL: of all), and directories
 * that are empty then.  What was removed is added to *files and *bytes.  0 or
 * -errno of the last thing that could not be removed.
 */
int vmmprof_symroom_clear(const struct vmmprof_symcache *c, const char *name,
			  uint64_t *files, uint64_t *bytes);

/*
 * Removes files, those first whose last use is longest ago, until no guest has
 * more than @guest_max bytes and all together no more than @max.  Directories
 * that are in use are left alone.  0 or -errno.
 */
int vmmprof_symroom_trim(const struct vmmprof_symcache *c, uint64_t guest_max,
			 uint64_t max);

#endif /* VMMPROF_SYMCACHE_EVICT_H */
