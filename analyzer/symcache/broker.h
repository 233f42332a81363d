/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cache of symbol tables for a process without rights: it names a build-id,
 * a process that may open files copies from or to the cache.  The copies go
 * through two files in memory, so that neither process has the other's files,
 * and who opens files never looks into one.
 */
#ifndef SYMCACHE_BROKER_H
#define SYMCACHE_BROKER_H

#include "symcache/cache.h"

/* Build-ids of one bundle; a hostile guest's is cut off there. */
#define SYMCACHE_BROKER_FILES 16384

struct symcache_broker {
	int server; /* the socket of the process that opens files */
	int client; /* that of the other one */
	int from;   /* what came from the cache */
	int to;	    /* what goes there, at most SYMCACHE_ENTRY_MAX */
};

/* Before the other process begins.  0, or -errno and nothing to close. */
int symcache_broker_open(struct symcache_broker *d);

/* What is open; -1 where it is not. */
void symcache_broker_close(struct symcache_broker *d);

/*
 * The client's: closes the server's socket, and lets the process read, not
 * write, what comes from the cache.  Before it gives up its rights.  0 or
 * -errno.
 */
int symcache_broker_be_client(struct symcache_broker *d);

/*
 * Asks for a build-id's file.  d->from then is it, at its beginning.  0;
 * -ENOENT: there is none; or -errno.
 */
int symcache_broker_get(const struct symcache_broker *d,
			const uint8_t build_id[20]);

/* Says that it is damaged: the server removes it. */
void symcache_broker_drop(const struct symcache_broker *d,
			  const uint8_t build_id[20]);

/* Has @size bytes of d->to kept.  0 or -errno. */
int symcache_broker_put(const struct symcache_broker *d,
			const uint8_t build_id[20], uint64_t size);

/*
 * The server's: serves until the other process is gone.  It asks at most three
 * times for each of SYMCACHE_BROKER_FILES, and puts at most
 * SYMCACHE_GUEST_MAX bytes.  0; -ETIMEDOUT: not until @deadline_ns of
 * CLOCK_MONOTONIC; -EPROTO: it asks nonsense, or too much.
 */
int symcache_broker_serve(struct symcache_broker *d,
			  const struct symcache_guest *g, uint64_t deadline_ns);

#endif /* SYMCACHE_BROKER_H */
