/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbol and unwind tables of guests' files, kept from one recording to the
 * next: a directory for each guest (guest_id.h), in it small files of kind MAPS
 * for each build-id, BUILD-ID.fun and BUILD-ID.unw.  A guest may have lied, so its tables are used
 * for that guest only.  Here the files are only named, opened and counted;
 * processes without rights read their content (symcache/entry.h,
 * symcache/broker.h).
 *
 * Directories have the mode 0700, files 0600.  Files are renamed into place, so
 * that they are never there in part.  Several processes may use the cache at
 * once; only one of them uses a guest's directory, the others go without it.
 */
#ifndef SYMCACHE_CACHE_H
#define SYMCACHE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/guest_id.h"

#define SYMCACHE_GUEST_MAX (256ull << 20) /* bytes of one guest */
#define SYMCACHE_MAX	   (2ull << 30)	  /* of all */
#define SYMCACHE_ENTRY_MAX (128ull << 20) /* of one table */
#define SYMCACHE_NAME	   44		  /* BUILD-ID.fun */

/* What an entry holds of a file. */
enum symcache_kind {
	SYMCACHE_SYMBOLS,
	SYMCACHE_UNWIND,
	SYMCACHE_KINDS,
};

/* Which entry. */
struct symcache_key {
	uint8_t build_id[20]; /* shorter ones are padded with zeros */
	uint32_t kind;	      /* enum symcache_kind */
};

struct symcache {
	int dirfd; /* -1: there is none */
	struct symcache_claim {
		uint32_t pid;
		char id[GUEST_ID]; /* "": it has none */
	} * claims;
	size_t nr_claims, cap_claims;
};

/* The directory of one guest, which is ours alone while it is open. */
struct symcache_guest {
	struct symcache *cache;
	uint32_t pid;
	int dirfd; /* -1: not open */
};

/*
 * The directory of the cache: $VMMPROF_SYMBOL_CACHE; /var/cache/vmmprof/symbols
 * for root; $XDG_CACHE_HOME/vmmprof/symbols or ~/.cache/vmmprof/symbols for
 * others.  False: none of them, or too long.
 */
bool symcache_path(char *path, size_t size);

/* The text of an error of symcache_open(). */
const char *symcache_strerror(int err);

/*
 * Opens it; @create: makes what is missing.  0; -ENOENT; -EPERM: it is not
 * ours, or others may write to it; or -errno.
 */
int symcache_open(struct symcache *c, const char *path, bool create);
void symcache_close(struct symcache *c);

/*
 * Tells that this VM runs.  Two VMs of the same identity get no directory,
 * because it is not known which of them it belongs to.  A second call for the
 * same pid does nothing.  0 or -ENOMEM.
 */
int symcache_claim(struct symcache *c, const char *root, uint32_t pid);

/* The VM has ended: one of the same identity, or of its pid, may come. */
void symcache_unclaim(struct symcache *c, uint32_t pid);

/*
 * Opens the directory of a VM that was claimed.  @name: for lists.  0;
 * -ENOENT: it has no identity; -EEXIST: another VM has the same; -EBUSY:
 * another recording uses it; or -errno.
 */
int symcache_guest_open(struct symcache *c, uint32_t pid, const char *name,
			struct symcache_guest *g);
void symcache_guest_close(struct symcache_guest *g);

/* Is the VM still claimed, and the only one of its identity? */
bool symcache_guest_alone(const struct symcache_guest *g);

/*
 * Makes a file in memory for channel.have: the build-ids in the directory, 20
 * bytes each; @unwind: and behind one of zeros those of files whose unwind
 * tables are there as well as their symbols.  The descriptor; -ENOENT: there
 * are none; or -errno.
 */
int symcache_have(const struct symcache_guest *g, bool unwind);

/*
 * Opens an entry's file for reading, and marks it as used now.  Its content is
 * not checked: symcache/entry.h does that.  The descriptor, or -ENOENT.
 */
int symcache_get(const struct symcache_guest *g,
		 const struct symcache_key *key);

/* Removes an entry's file, because it is damaged. */
void symcache_drop(const struct symcache_guest *g,
		   const struct symcache_key *key);

/*
 * Keeps @size bytes of the file @from as an entry's file, and replaces an
 * earlier one.  0; -EFBIG: more than SYMCACHE_ENTRY_MAX; or -errno.
 */
int symcache_put(const struct symcache_guest *g, const struct symcache_key *key,
		 int from, uint64_t size);

#endif /* SYMCACHE_CACHE_H */
