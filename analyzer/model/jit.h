/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of code that processes made, by image, address and time.  Code is there
 * from its time until later code overlaps it (a perf map does not say when:
 * then neither is it shortly before), so pieces are rectangles of addresses and
 * times that do not overlap each other.  They are found in O(log^2), however
 * often addresses are used again, and none is kept twice.
 */
#ifndef MODEL_JIT_H
#define MODEL_JIT_H

#include "base/groups.h"
#include "model/processes.h"

struct jit_piece {
	__u64 end;	 /* ns, exclusive */
	__u32 item : 31; /* in items */
	__u32 first : 1; /* nothing lay there before it */
	__u32 image;
	__u32 low, high; /* edges: where it begins and, exclusive, ends */
};

struct jit_edge {
	__u64 addr;
	__u32 image;
	__u32 of; /* only while they are sorted */
};

/*
 * Between an edge and the next lies a gap, of the edge's number.  A node of a
 * tree over the gaps has the number of the gap in its middle, and has those
 * pieces that lie over this gap but over the middle of no node above: as they
 * all lie there, they are not there at the same time.
 */
struct jit {
	const struct vmmprof_maps_jit **items;
	struct jit_piece *pieces; /* by ns */
	size_t nr;
	struct jit_edge *edges; /* sorted by image and address, unique */
	size_t nr_edges;
	struct groups nodes; /* of pieces, by ns within a node */
	/* Of entries [a, b) the lowest and highest edge, at (a + b) / 2. */
	__u32 *lowest, *highest;
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
