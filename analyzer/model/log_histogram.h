/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A histogram of any number of durations in constant memory: 32 buckets an
 * octave, so that a quantile is off by at most 1/64 (1.6 %) of its value.
 */
#ifndef MODEL_LOG_HISTOGRAM_H
#define MODEL_LOG_HISTOGRAM_H

#include <linux/types.h>

#define LOG_HISTOGRAM_BITS    5
#define LOG_HISTOGRAM_BUCKETS (60u << LOG_HISTOGRAM_BITS)

struct log_histogram {
	__u64 nr;
	__u64 max; /* exact */
	__u32 count[LOG_HISTOGRAM_BUCKETS];
};

void log_histogram_add(struct log_histogram *h, __u64 value);

/*
 * The value that part/whole of all values are not above (1/2: the median),
 * 0 without any.  Never above the largest value that was added.
 */
__u64 log_histogram_quantile(const struct log_histogram *h, unsigned int part,
			     unsigned int whole);

#endif /* MODEL_LOG_HISTOGRAM_H */
