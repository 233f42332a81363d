/* SPDX-License-Identifier: GPL-2.0-only */
/* What time it is, and how long until a deadline; all in nanoseconds. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <linux/types.h>
#include <time.h>

static inline __u64 clock_ns(clockid_t id)
{
	struct timespec t = { 0 };

	clock_gettime(id, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* CLOCK_MONOTONIC: what deadlines are in. */
static inline __u64 clock_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* The deadline in that many seconds. */
static inline __u64 clock_in(unsigned int seconds)
{
	return clock_now() + seconds * 1000000000ull;
}

/* Milliseconds for poll(), rounded up, at most 1,000,000; 0: it has passed. */
static inline int clock_left(__u64 deadline_ns)
{
	__u64 now = clock_now(), left;

	left = now < deadline_ns ? (deadline_ns - now + 999999) / 1000000 : 0;
	return left < 1000000 ? left : 1000000;
}

#endif /* BASE_CLOCK_H */
