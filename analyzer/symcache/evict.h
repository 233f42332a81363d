/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists the cache of guests' tables (symcache/cache.h), and removes what was
 * unused for longest.
 */
#ifndef SYMCACHE_EVICT_H
#define SYMCACHE_EVICT_H

#include "symcache/cache.h"

#define SYMCACHE_LABEL 128

struct symcache_evict_guest {
	char id[GUEST_ID];
	char name[SYMCACHE_LABEL]; /* the VM's at its last use */
	uint64_t files, bytes;
	int64_t used; /* last use of any file, seconds since 1970; 0: none */
};

/* The guests by name.  *list is to be freed.  0 or -errno. */
int symcache_evict_list(const struct symcache *c,
			struct symcache_evict_guest **list, size_t *nr);

/*
 * Removes the files of guests called @name (NULL: of all), and directories
 * that are empty then.  What was removed is added to *files and *bytes.  0 or
 * -errno of the last thing that could not be removed.
 */
int symcache_evict_clear(const struct symcache *c, const char *name,
			 uint64_t *files, uint64_t *bytes);

/*
 * Removes files, those unused for longest first, until no guest has more than
 * @guest_max bytes and all guests together no more than @max.  Directories in
 * use are left alone.  0 or -errno.
 */
int symcache_evict_trim(const struct symcache *c, uint64_t guest_max,
			uint64_t max);

#endif /* SYMCACHE_EVICT_H */
