/* SPDX-License-Identifier: GPL-2.0-only */
/* Growing arrays: one function, so that every size computation is checked. */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/huge_pages.h"

/*
 * Make room for element number nr (0-based) of an array of cap elements.
 * *array may move.  Returns 0, or -ENOMEM with the array untouched.
 */
static inline int vec_grow(void *array, size_t *cap, size_t nr, size_t elem)
{
	void **p = array;
	size_t n = *cap ? *cap * 2 : 16;
	void *q;

	if (nr < *cap)
		return 0;
	if (n <= nr || n > (size_t)-1 / 2 / elem)
		return -ENOMEM;
	q = realloc(*p, n * elem);
	if (!q)
		return -ENOMEM;
	huge_pages(q, n * elem);
	*p = q;
	*cap = n;
	return 0;
}

#endif /* BASE_VEC_H */
