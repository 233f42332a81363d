/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bundle that was fetched and its guest's cache: symbol tables that the
 * guest left out go into the bundle, so that the session is whole; those it
 * sent go into the cache, of files that the guest's root alone can write.  Runs in a process without rights.
 */
#ifndef SYMCACHE_MERGE_H
#define SYMCACHE_MERGE_H

#include "format/bundle.h"
#include "symcache/broker.h"

struct symcache_merge_stat {
	uint32_t cached; /* tables that came from the cache */
	uint32_t lost;	 /* left out by the guest, not in the cache */
	uint32_t stored;
	uint64_t bytes; /* of those that came from the cache */
};

/*
 * @b: what was read of the bundle @fd, which is open for writing, too.  A cache
 * that is full or fails keeps less; the bundle stays one that can be read in
 * any case but an error.  0 or -errno of writing.
 */
int symcache_merge(const struct symcache_broker *d, const struct bundle *b,
		   int fd, struct symcache_merge_stat *stat);

#endif /* SYMCACHE_MERGE_H */
