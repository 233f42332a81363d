/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Large tables that are read here and there: in huge pages the CPU needs few
 * translations of their addresses, which are most of what such a read takes.
 */
#ifndef BASE_HUGE_PAGES_H
#define BASE_HUGE_PAGES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#define HUGE_PAGES_FROM (4ul << 20) /* bytes; smaller ones stay as they are */

/*
 * Ask for them, before the memory is touched; what is in it stays.  Without them
 * it works as well.
 */
static inline void huge_pages(void *memory, size_t size)
{
	const uintptr_t begin = ((uintptr_t)memory + 4095) & ~4095ul;
	const uintptr_t end = ((uintptr_t)memory + size) & ~4095ul;

	if (size >= HUGE_PAGES_FROM)
		madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

#endif /* BASE_HUGE_PAGES_H */
