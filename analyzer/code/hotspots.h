/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where in a function the samples are.  A place is one function: of a file of
 * one machine, of a machine's kernel, or code that a process made.  Of a pass
 * that kept addresses (KEEP_ADDR).
 */
#ifndef CODE_HOTSPOTS_H
#define CODE_HOTSPOTS_H

#include <stdbool.h>

#include "model/analysis.h"

struct hotspot {
	__u64 addr; /* as symbol_ref.link */
	__u64 samples;
};

struct hot_place {
	struct bucket_key key; /* of one of its buckets */
	__u64 start, end;      /* of the function; 0: not known */
	__u64 samples;
	size_t first, nr; /* in .spots, by address */
};

struct hot_places {
	struct hot_place *places; /* most samples first */
	size_t nr;
	struct hotspot *spots;
	size_t nr_spots;
	__u64 samples;
};

/* Does a bucket count? */
typedef bool hot_fn(void *arg, const struct bucket_key *key);

/*
 * The places of the buckets with a function that @fn takes.  0 or -ENOMEM;
 * deinit is due in either case.
 */
int hot_places_init(struct hot_places *h, struct analysis *a, hot_fn *fn,
		    void *arg);

/* The same of a pass that counted code apart (KEEP_CODE). */
int hot_places_counted(struct hot_places *h, struct analysis *a, hot_fn *fn,
		       void *arg);

/* Those of some buckets; ones without a function are left out. */
int hot_places_of(struct hot_places *h, struct analysis *a,
		  const struct bucket *buckets, size_t nr);
void hot_places_deinit(struct hot_places *h);

#endif /* CODE_HOTSPOTS_H */
