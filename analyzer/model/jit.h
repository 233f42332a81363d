/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code that processes made: image, address and time -> its name.  Code is
 * there from its time until later code overlaps it (a perf map does not say
 * when: then neither is it shortly before), so pieces are rectangles
 * of addresses and times that do not overlap each other; a tree over the
 * addresses finds one in O(log^2), however often addresses are used again.
 */
#ifndef MODEL_JIT_H
#define MODEL_JIT_H

#include "model/processes.h"

struct jit_piece {
	const struct vmmprof_maps_jit *item;
	__u64 end; /* ns, exclusive */
	__u32 image;
	bool first; /* nothing lay there before it */
};

struct jit_edge {
	__u32 image;
	__u64 addr;
};

struct jit {
	struct jit_piece *pieces; /* by ns */
	size_t nr;
	struct jit_edge *edges; /* sorted, unique: the tree's leaves */
	size_t nr_edges;
	__u32 *node;	/* first entry of each of the 2 * nr_edges nodes */
	__u32 *entries; /* piece numbers, by ns within a node */
};

/*
 * Build from JIT items; @b and @ps must live as long.  Where an image has a
 * jitdump its perf map does not count.  0 or -ENOMEM with nothing to release.
 */
int jit_init(struct jit *j, const struct bundle *b, const struct procs *ps);
void jit_deinit(struct jit *j);

/*
 * The code at addr in an image at ns; else in its parent's at the fork; else
 * what a perf map told of later (it does not say since when), if it was the
 * first there.  NULL: not known.  The answer holds for times in [*from, *end).
 */
const struct vmmprof_maps_jit *jit_find(const struct jit *j,
					const struct procs *ps,
					const struct image *image, __u64 ns,
					__u64 addr, __u64 *from, __u64 *end);

#endif /* MODEL_JIT_H */
