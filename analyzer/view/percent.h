/* SPDX-License-Identifier: GPL-2.0-only */
/* A part in percent of its whole. */
#ifndef VIEW_PERCENT_H
#define VIEW_PERCENT_H

#include <linux/types.h>

/* 0 of nothing. */
static inline double percent_of(__u64 part, __u64 whole)
{
	return whole ? 100.0 * part / whole : 0;
}

#endif /* VIEW_PERCENT_H */
