/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A histogram of any number of durations in constant memory: 32 buckets an
 * octave, so that a quantile is off by at most 1/64 (1.6 %) of its value.
 */
#ifndef VMMPROF_MODEL_LOGHIST_H
#define VMMPROF_MODEL_LOGHIST_H

#include <linux/types.h>

#define VMMPROF_LOGHIST_BITS	5
#define VMMPROF_LOGHIST_BUCKETS (60u << VMMPROF_LOGHIST_BITS)

struct vmmprof_loghist {
	__u64 nr;
	__u64 max; /* exact */
	__u32 count[VMMPROF_LOGHIST_BUCKETS];
};

void vmmprof_loghist_add(struct vmmprof_loghist *h, __u64 value);

/*
 * The value that part/whole of all values are not above (1/2: the median),
 * 0 without any.  Never above the largest value that was added.
 */
__u64 vmmprof_loghist_quantile(const struct vmmprof_loghist *h,
			       unsigned int part, unsigned int whole);

#endif /* VMMPROF_MODEL_LOGHIST_H */
