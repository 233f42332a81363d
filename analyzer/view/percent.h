/* SPDX-License-Identifier: GPL-2.0-only */
/* A part in percent of its whole. */
#ifndef VMMPROF_VIEW_PERCENT_H
#define VMMPROF_VIEW_PERCENT_H

#include <linux/types.h>

/* 0 of nothing. */
static inline double vmmprof_percent(__u64 part, __u64 whole)
{
	return whole ? 100.0 * part / whole : 0;
}

#endif /* VMMPROF_VIEW_PERCENT_H */
