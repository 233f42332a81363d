/* SPDX-License-Identifier: GPL-2.0-only */
/* Binary search. */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

/*
 * @before, an expression of @mid, is true for the first indices of [@lo, @hi)
 * and false for all others: @lo becomes the first of these, @hi if there is
 * none.  All are variables of one unsigned type.
 */
#define BISECT(lo, hi, mid, before)                       \
	do {                                              \
		while ((lo) < (hi)) {                     \
			(mid) = (lo) + ((hi) - (lo)) / 2; \
			if (before)                       \
				(lo) = (mid) + 1;         \
			else                              \
				(hi) = (mid);             \
		}                                         \
	} while (0)

#endif /* BASE_SEARCH_H */
