/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cache of symbol tables for a process without rights: it names a build-id,
 * a process that may open files copies from or to the cache.  The copies go
 * through two files in memory, so that neither process has the other's files,
 * and who opens files never looks into one.
 */
#ifndef VMMPROF_SYMCACHE_BROKER_H
#define VMMPROF_SYMCACHE_BROKER_H

#include "symcache/cache.h"

/* Build-ids of one bundle; a hostile guest's is cut off there. */
#define VMMPROF_SYMDESK_FILES 16384

struct vmmprof_symdesk {
	int clerk;  /* the socket of the process that opens files */
	int client; /* that of the other one */
	int from;   /* what came from the cache */
	int to;	    /* what goes there, at most VMMPROF_SYMCACHE_ENTRY_MAX */
};

/* Before the other process begins.  0, or -errno and nothing to close. */
int vmmprof_symdesk_open(struct vmmprof_symdesk *d);

/* What is open; -1 where it is not. */
void vmmprof_symdesk_close(struct vmmprof_symdesk *d);

/*
 * The client's: closes the clerk's socket, and lets the process read, not
 * write, what comes from the cache.  Before it gives up its rights.  0 or
 * -errno.
 */
int vmmprof_symdesk_be_client(struct vmmprof_symdesk *d);

/*
 * Asks for a build-id's file.  d->from then is it, at its beginning.  0;
 * -ENOENT: there is none; or -errno.
 */
int vmmprof_symdesk_get(const struct vmmprof_symdesk *d,
			const uint8_t build_id[20]);

/* Says that it is damaged: the clerk removes it. */
void vmmprof_symdesk_drop(const struct vmmprof_symdesk *d,
			  const uint8_t build_id[20]);

/* Has @size bytes of d->to kept.  0 or -errno. */
int vmmprof_symdesk_put(const struct vmmprof_symdesk *d,
			const uint8_t build_id[20], uint64_t size);

/*
 * The clerk's: serves until the other process is gone.  It asks at most three
 * times for each of VMMPROF_SYMDESK_FILES, and puts at most
 * VMMPROF_SYMCACHE_GUEST_MAX bytes.  0; -ETIMEDOUT: not until @deadline_ns of
 * CLOCK_MONOTONIC; -EPROTO: it asks nonsense, or too much.
 */
int vmmprof_symdesk_serve(struct vmmprof_symdesk *d,
			  const struct vmmprof_symcache_guest *g,
			  uint64_t deadline_ns);

#endif /* VMMPROF_SYMCACHE_BROKER_H */
