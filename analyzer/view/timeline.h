/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `vmmprof timeline`: the states of vCPUs over time, as text (a column a slot),
 * as SVG, and every stretch as a trace for Perfetto, as CSV and as JSON.  Text and
 * SVG are made of slots, so their size does not grow with the recording; the
 * others are written as the records are read.
 */
#ifndef VIEW_TIMELINE_H
#define VIEW_TIMELINE_H

#include <stdio.h>

#include "model/timeline.h"

/*
 * Thieves of a slot that are told apart, by their owners (model/owner.h); others
 * are summed up.
 */
#define SLOT_THIEVES 4

struct slot_thieves {
	__u32 thief[SLOT_THIEVES]; /* owners; used while ticks are not 0 */
	__u64 ticks[SLOT_THIEVES];
	__u64 others;
};

/* What each slot of a vCPU's row is made of: ticks of each state. */
struct slots {
	const struct timeline *tl;
	__u64 from, to; /* host TSC */
	size_t width;	/* slots in a row */
	__u64 *ticks;	/* [track][slot][NR_STATES] */
	/* to be set after init */
	bool by_thief;
	bool utf8;		      /* the text may have more than ASCII */
	struct slot_thieves *thieves; /* [track][slot] with by_thief */
	struct thieves stolen;	      /* of each track, with by_thief */
	size_t nr;		      /* tracks in ticks */
};

/* 0 or -ENOMEM; deinit is due in either case. */
int slots_init(struct slots *s, const struct timeline *tl, __u64 from, __u64 to,
	       size_t width);
void slots_deinit(struct slots *s);

/* stretch_fn: arg is the slots. */
int slots_stretch(void *arg, const struct track *t, enum vcpu_state state,
		  __u64 from, __u64 to, __u32 thief);

/* Where a slot begins, and seconds of that since the measurement's begin. */
__u64 slot_begins(const struct slots *s, size_t slot);
double slots_seconds(const struct slots *s, __u64 tsc);

/* What a vCPU's columns are made of, from the bottom up. */
enum slot_layer_kind {
	LAYER_ON_CPU,
	LAYER_STEAL, /* of all thieves, which are the next layers */
	LAYER_THIEF,
	LAYER_HALT,
	LAYER_BLOCKED,
	LAYER_UNKNOWN,
};

struct slot_layer {
	enum slot_layer_kind kind;
	__u32 thief;  /* an owner; VMMPROF_NONE: all others together */
	__u32 others; /* how many these are */
	__u64 ticks;  /* in all slots */
};

#define SLOT_LAYERS (6 + SLOT_THIEVES)

/*
 * The layers of a track that have any time, with by_thief after
 * thieves_group(&s->stolen).  Their number; *all: the ticks of the track.
 */
size_t slot_layers(const struct slots *s, __u32 track,
		   struct slot_layer ret[SLOT_LAYERS], __u64 *all);

/* How much of a slot layer number @i has, in ticks. */
__u64 slot_layer_ticks(const struct slots *s, __u32 track, size_t slot,
		       const struct slot_layer *layers, size_t nr, size_t i);

/* One line's text, safe to print. */
void slot_layer_name(const struct slots *s, const struct slot_layer *l,
		     char *buf, size_t size);
void slots_row_name(const struct slots *s, __u32 track, char *buf, size_t size);

/* Of a terminal with so many columns: slots in a row of slots_text(). */
size_t slots_text_width(size_t columns);
void slots_text(const struct slots *s, size_t columns, FILE *out);
/* 0 or -ENOMEM. */
int slots_svg(const struct slots *s, FILE *out);

struct chain_pass;

/* All of a vCPU's time in one state, for one thief and on one CPU. */
struct slice {
	__u64 from, to; /* host TSC */
	__u64 stolen;	/* ticks of all waits of the track until .to */
	__u32 thief;	/* VMMPROF_NONE: no wait, or not known */
	__u32 cpu;	/* index in tl->pcpus, or VMMPROF_NONE */
	__u8 state;	/* enum vcpu_state */
	bool open;	/* not yet handed on */
	bool named;	/* it is not the first one of its track */
};

/* A slice of track i, after those before it.  0 or -errno, which ends all. */
typedef int slice_fn(void *arg, __u32 i, const struct slice *s);

/* A sample, in the order of the records.  0 or -errno, which ends all. */
typedef int slice_sample_fn(void *arg, const struct vmmprof_rec_sample *s,
			    const struct resolved *where);

/*
 * The whole pass over a timeline just made, by slices, and samples unless
 * @sample is NULL; flushes out.  @chains: a pass that has samples with chains, just
 * initialised; NULL: none.  0 or -errno.
 */
int slices_write(struct timeline *tl, slice_fn *fn, slice_sample_fn *sample,
		 void *arg, struct chain_pass *chains, FILE *out);

/* Texts of a slice, safe to print; "" where there is no thief. */
void timeline_thief(const struct timeline *tl, __u32 thief, char *buf,
		    size_t size);
void slice_guest(const struct timeline *tl, const struct track *t, char *buf,
		 size_t size);
void slice_vcpu(const struct track *t, char *buf, size_t size);
void slice_thief(const struct timeline *tl, const struct slice *s, char *buf,
		 size_t size);

/*
 * The whole pass over a timeline just made, as a trace; with @chains, if there
 * are any, and in these with @inlines.  0 or -errno.
 */
int perfetto_write(struct timeline *tl, bool chains, bool inlines, FILE *out);

/* The same as comma-separated values, a line a slice. */
int timeline_csv(struct timeline *tl, FILE *out);

/* The same as JSON, an object a slice. */
int timeline_json(struct timeline *tl, FILE *out);

#endif /* VIEW_TIMELINE_H */
