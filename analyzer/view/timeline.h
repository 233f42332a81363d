/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `vmmprof timeline`: the states of vCPUs over time, as text (a character a
 * slot), as SVG, and every stretch as a trace for Perfetto and as CSV.  Text and
 * SVG are made of slots, so their size does not grow with the recording; the
 * others are written as the records are read.
 */
#ifndef VMMPROF_VIEW_TIMELINE_H
#define VMMPROF_VIEW_TIMELINE_H

#include <stdio.h>

#include "model/timeline.h"

/* Who took the time of a slot; of more than these the rest together. */
#define VMMPROF_SLOT_THIEVES 4

struct vmmprof_slot_thieves {
	__u32 culprit[VMMPROF_SLOT_THIEVES]; /* used while ticks are not 0 */
	__u64 ticks[VMMPROF_SLOT_THIEVES];
	__u64 others;
};

/* What each slot of a vCPU's row is made of: ticks of each state. */
struct vmmprof_slots {
	const struct vmmprof_timeline *tl;
	__u64 from, to; /* host TSC */
	size_t width;	/* slots in a row */
	__u64 *ticks;	/* [track][slot][VMMPROF_NR_STATES] */
	bool by_thief;	/* to be set after init */
	struct vmmprof_slot_thieves *thieves; /* [track][slot] with by_thief */
	size_t nr;			      /* tracks in ticks */
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

/* All of a vCPU's time in one state, for one culprit and on one CPU. */
struct vmmprof_slice {
	__u64 from, to; /* host TSC */
	__u64 stolen;	/* ticks of all waits of the track until .to */
	__u32 culprit;	/* VMMPROF_NONE: no wait, or not known */
	__u32 cpu;	/* index in tl->pcpus, or VMMPROF_NONE */
	__u8 state;	/* enum vmmprof_state */
	bool open;	/* not yet handed on */
	bool named;	/* it is not the first one of its track */
};

/* A slice of track i, in the order of its end.  0 or -errno, which ends all. */
typedef int vmmprof_slice_fn(void *arg, __u32 i, const struct vmmprof_slice *s);

/* The whole pass over a timeline just made, by slices; flushes out.  0 or -errno. */
int vmmprof_slices_write(struct vmmprof_timeline *tl, vmmprof_slice_fn *fn,
			 void *arg, FILE *out);

/* Texts of a slice, safe to print; "" where there is no culprit. */
void vmmprof_slice_guest(const struct vmmprof_timeline *tl,
			 const struct vmmprof_track *t, char *buf, size_t size);
void vmmprof_slice_vcpu(const struct vmmprof_track *t, char *buf, size_t size);
void vmmprof_slice_culprit(const struct vmmprof_timeline *tl,
			   const struct vmmprof_slice *s, char *buf,
			   size_t size);

/* The whole pass over a timeline just made, as a trace.  0 or -errno. */
int vmmprof_perfetto_write(struct vmmprof_timeline *tl, FILE *out);

/* The same as comma-separated values, a line a slice. */
int vmmprof_timeline_csv(struct vmmprof_timeline *tl, FILE *out);

#endif /* VMMPROF_VIEW_TIMELINE_H */
