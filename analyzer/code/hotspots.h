/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where in a function the samples are.  A place is one function: of a file of
 * one machine, of a machine's kernel, or code that a process made.  Of a pass
 * that kept addresses (VMMPROF_KEEP_ADDR).
 */
#ifndef VMMPROF_MODEL_HOTSPOTS_H
#define VMMPROF_MODEL_HOTSPOTS_H

#include <stdbool.h>

#include "model/analysis.h"

struct vmmprof_hotspot {
	__u64 addr; /* as vmmprof_place.link */
	__u64 samples;
};

struct vmmprof_hot_place {
	struct vmmprof_cell_key key; /* of one of its cells */
	__u64 start, end;	     /* of the function; 0: not known */
	__u64 samples;
	size_t first, nr; /* in .spots, by address */
};

struct vmmprof_hot_places {
	struct vmmprof_hot_place *places; /* most samples first */
	size_t nr;
	struct vmmprof_hotspot *spots;
	size_t nr_spots;
	__u64 samples;
};

/* Does a cell count? */
typedef bool vmmprof_hot_fn(void *arg, const struct vmmprof_cell_key *key);

/*
 * The places of the cells with a function that @fn takes.  0 or -ENOMEM; deinit
 * is due in either case.
 */
int vmmprof_hot_places_init(struct vmmprof_hot_places *h,
			    struct vmmprof_analysis *a, vmmprof_hot_fn *fn,
			    void *arg);
void vmmprof_hot_places_deinit(struct vmmprof_hot_places *h);

#endif /* VMMPROF_MODEL_HOTSPOTS_H */
