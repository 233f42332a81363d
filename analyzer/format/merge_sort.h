/* SPDX-License-Identifier: GPL-2.0-only */
/* The records of a merge that come next, put in their order. */
#ifndef FORMAT_MERGE_SORT_H
#define FORMAT_MERGE_SORT_H

#include "format/merge_state.h"

#define MERGE_MORE_BITS 2 /* places are so much more than records */

/*
 * From .unsorted, of which there is one at least, to .item.  @span: from the first
 * time to the last.
 */
void merge_sort(struct merge *m, __u64 span);

/* Put @nr more, which are in order, among the records that come next. */
void merge_insert(struct merge *m, const __u64 *more, __u32 nr);

#endif /* FORMAT_MERGE_SORT_H */
