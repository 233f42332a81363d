/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cache of guests' tables for a process without rights (the client).  It
 * names an entry, and a process that may open files (the server) copies from
 * or to the cache.  The copies go through two files in memory, so that neither
 * process has the other's files, and the server never reads their content.
 */
#ifndef SYMCACHE_BROKER_H
#define SYMCACHE_BROKER_H

#include "symcache/cache.h"

/* The most files of one bundle; those beyond are not served. */
#define SYMCACHE_BROKER_FILES 16384

struct symcache_broker {
	int server; /* the server's socket */
	int client; /* the client's */
	int from;   /* a file copied from the cache */
	int to;	    /* a file for the cache, at most SYMCACHE_ENTRY_MAX */
};

/* To be called before the fork.  0, or -errno and nothing to close. */
int symcache_broker_open(struct symcache_broker *d);

/* The descriptors that are open; -1 for the others. */
void symcache_broker_close(struct symcache_broker *d);

/*
 * For the client, before it gives up its rights: closes the server's socket,
 * and reopens d->from read-only.  0 or -errno.
 */
int symcache_broker_be_client(struct symcache_broker *d);

/*
 * Asks for an entry's file.  d->from then has it, at offset 0.  0;
 * -ENOENT: there is none; or -errno.
 */
int symcache_broker_get(const struct symcache_broker *d,
			const struct symcache_key *key);

/* Tells that it is damaged: the server removes it. */
void symcache_broker_drop(const struct symcache_broker *d,
			  const struct symcache_key *key);

/* Has the server keep @size bytes of d->to as an entry.  0 or -errno. */
int symcache_broker_put(const struct symcache_broker *d,
			const struct symcache_key *key, uint64_t size);

/*
 * For the server: serves until the client ends.  The client may ask three times
 * for each entry of SYMCACHE_BROKER_FILES files and put SYMCACHE_GUEST_MAX bytes.  0;
 * -ETIMEDOUT: the client still runs at @deadline_ns of CLOCK_MONOTONIC;
 * -EPROTO: it sent a wrong request, or too many.
 */
int symcache_broker_serve(struct symcache_broker *d,
			  const struct symcache_guest *g, uint64_t deadline_ns);

#endif /* SYMCACHE_BROKER_H */
