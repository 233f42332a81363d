/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of slices: all counts (slices.c), samples (slice_samples.c). */
#ifndef MODEL_SLICES_INTERNAL_H
#define MODEL_SLICES_INTERNAL_H

#include "model/slices_state.h"

/* A key: the slice, an enum slice_kind, and a number made of what follows. */
#define SLICE_KIND_SHIFT 47
#define SLICE_KEY(slice, kind, id)                                           \
	((__u64)(slice) << SLICE_SHIFT | (__u64)(kind) << SLICE_KIND_SHIFT | \
	 (__u64)(id))

/* Where a count is that was made lately. */
struct slice_recent {
	__u64 key; /* 0: empty */
	size_t at; /* in .counts */
};

/* The counts are somewhere else now. */
void slices_forget_recent(struct slices *s);

/* SLICE_OWN, SLICE_ON */
#define SLICE_CLASS_ID(track, class) ((__u64)(track) << 24 | (class))

/*
 * From now on samples of this slice come, of numbers up to this one.  0 or
 * -ENOMEM.
 */
int slice_samples_begin(struct slices *s, struct slice_now *now, size_t slice,
			size_t number);

/* Put those of the slices that are counted now to the counts.  0 or -ENOMEM. */
int slice_samples_flush(struct slices *s);

/* Slices have become twice as wide, after that. */
void slice_samples_halve(struct slices *s);

/* Forget those that are not among the counts yet. */
void slice_samples_clear(struct slices *s);
void slice_samples_deinit(struct slices *s);

/*
 * Count @nr samples, few of them.  Most are of the slice of the one before, and numbers
 * begin with 0.  0 or -ENOMEM.
 */
static inline int slice_samples_add(struct slices *s, struct slice_now *now,
				    size_t slice, size_t number, __u32 nr)
{
	int err = 0;

	if (slice != now->slice || number >= now->nr)
		err = slice_samples_begin(s, now, slice, number);
	if (err)
		return err;
	/* whether it is the first is nothing that the CPU could guess */
	now->met[now->nr_met] = number;
	now->nr_met += !now->of[number];
	now->of[number] += nr;
	return now->of[number] > ~0u / 2 ? slice_samples_flush(s) : 0;
}

static inline int slice_bucket_add(struct slices *s, size_t slice, __u32 bucket)
{
	return slice_samples_add(s, &s->by_bucket, slice, bucket, 1);
}

static inline void slice_bucket_prefetch(const struct slices *s, __u32 bucket)
{
	__builtin_prefetch(&s->by_bucket.of[bucket], 1);
}

static inline int slice_class_add(struct slices *s, size_t slice, __u32 track,
				  unsigned int class, __u32 nr)
{
	return slice_samples_add(s, &s->by_class, slice,
				 (size_t)track * NR_ON_CPU + class, nr);
}

#endif /* MODEL_SLICES_INTERNAL_H */
