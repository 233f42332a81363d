// SPDX-License-Identifier: GPL-2.0-only
/* Log-linear histogram. */

#include "model/log_histogram.h"

#define SUB 32u /* 1 << LOG_HISTOGRAM_BITS */

/* Values below SUB have a bucket each, then SUB buckets an octave. */
static unsigned int bucket(__u64 v)
{
	unsigned int octave;

	if (v < SUB)
		return v;
	octave = 63 - __builtin_clzll(v) - LOG_HISTOGRAM_BITS;
	return (octave + 1) * SUB + ((v >> octave) & (SUB - 1));
}

/* The middle of a bucket. */
static __u64 middle(unsigned int i)
{
	unsigned int octave;

	if (i < 2 * SUB)
		return i;
	octave = i / SUB - 1;
	return ((__u64)(SUB + i % SUB) << octave) + (1ull << octave) / 2;
}

void log_histogram_add(struct log_histogram *h, __u64 value)
{
	unsigned int i = bucket(value);

	h->nr++;
	if (value > h->max)
		h->max = value;
	h->count[i]++;
}

__u64 log_histogram_quantile(const struct log_histogram *h, unsigned int part,
			     unsigned int whole)
{
	__u64 want = (h->nr * part + whole - 1) / whole, sum = 0, v;
	unsigned int i;

	for (i = 0; i < LOG_HISTOGRAM_BUCKETS; i++) {
		sum += h->count[i];
		if (h->nr && sum >= want) {
			v = middle(i);
			return v < h->max ? v : h->max;
		}
	}
	return 0;
}
