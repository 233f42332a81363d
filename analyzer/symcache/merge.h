/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Completes a fetched bundle from its guest's cache: tables that the guest left
 * out are copied into the bundle, so that the session is complete.
 * Tables that the guest sent, of files that only its root can write, are copied
 * into the cache.  Runs in a process without rights.
 */
#ifndef SYMCACHE_MERGE_H
#define SYMCACHE_MERGE_H

#include "format/bundle.h"
#include "symcache/broker.h"

struct symcache_merge_stat {
	struct symcache_merge_count {
		uint32_t cached; /* tables that came from the cache */
		uint32_t lost;	 /* left out by the guest, not in the cache */
		uint32_t stored;
	} of[SYMCACHE_KINDS];
	uint64_t bytes; /* of those that came from the cache, of all kinds */
};

/*
 * @b: read from the bundle @fd, which is open for writing, too.  If the cache
 * is full or fails, it keeps less.  Unless an error is returned, the bundle can
 * be read afterwards.  0, or -errno of writing the bundle.
 */
int symcache_merge(const struct symcache_broker *d, const struct bundle *b,
		   int fd, struct symcache_merge_stat *stat);

#endif /* SYMCACHE_MERGE_H */
