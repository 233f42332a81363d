/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `vmmprof timeline`: the states of vCPUs over time, as text (a character a
 * slot), as SVG, and as a trace for Perfetto.  Text and SVG are made of slots,
 * so their size does not grow with the recording; the trace has every
 * stretch and is written as the records are read.
 */
#ifndef VMMPROF_VIEW_TIMELINE_H
#define VMMPROF_VIEW_TIMELINE_H

#include <stdio.h>

#include "../model/timeline.h"

/* What each slot of a vCPU's row is made of: ticks of each state. */
struct vmmprof_slots {
	const struct vmmprof_timeline *tl;
	__u64 from, to; /* host TSC */
	size_t width;	/* slots in a row */
	__u64 *ticks;	/* [track][slot][VMMPROF_NR_STATES] */
	size_t nr;	/* tracks in ticks */
};

/* 0 or -ENOMEM; deinit is due in either case. */
int vmmprof_slots_init(struct vmmprof_slots *s,
		       const struct vmmprof_timeline *tl, __u64 from, __u64 to,
		       size_t width);
void vmmprof_slots_deinit(struct vmmprof_slots *s);

/* vmmprof_stretch_fn: arg is the slots. */
int vmmprof_slots_stretch(void *arg, const struct vmmprof_track *t,
			  enum vmmprof_state state, __u64 from, __u64 to,
			  __u32 culprit);

/* The state that has most of a slot; VMMPROF_NR_STATES: it was not there. */
unsigned int vmmprof_slots_state(const struct vmmprof_slots *s, __u32 track,
				 size_t slot);

void vmmprof_slots_text(const struct vmmprof_slots *s, FILE *out);
void vmmprof_slots_svg(const struct vmmprof_slots *s, FILE *out);

/* Writes a trace for Perfetto while the pass runs. */
struct vmmprof_perfetto {
	FILE *out;
	const struct vmmprof_timeline *tl;
	struct vmmprof_slice { /* of each track, not yet written */
		__u64 from, to, stolen;
		__u32 culprit, cpu;
		__u8 state;
		bool open, named;
	} * slices;
	size_t nr;
	struct vmmprof_hash named; /* uuids of CPUs and VMs described */
};

void vmmprof_perfetto_init(struct vmmprof_perfetto *p,
			   const struct vmmprof_timeline *tl, FILE *out);
void vmmprof_perfetto_deinit(struct vmmprof_perfetto *p);

/* vmmprof_stretch_fn: arg is the struct.  0, -ENOMEM or -EIO. */
int vmmprof_perfetto_stretch(void *arg, const struct vmmprof_track *t,
			     enum vmmprof_state state, __u64 from, __u64 to,
			     __u32 culprit);

/* Write what is still open. */
int vmmprof_perfetto_finish(struct vmmprof_perfetto *p);

/* The whole pass over a timeline just made, as a trace.  0 or -errno. */
int vmmprof_perfetto_write(struct vmmprof_timeline *tl, FILE *out);

#endif /* VMMPROF_VIEW_TIMELINE_H */
