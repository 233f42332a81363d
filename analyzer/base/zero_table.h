/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Large tables that are zero without being touched, of which a short session uses
 * little: straight from the kernel, also where malloc() is one that looks for
 * errors and touches what it gives out.
 */
#ifndef BASE_ZERO_TABLE_H
#define BASE_ZERO_TABLE_H

#include <stddef.h>
#include <sys/mman.h>

/* NULL without memory.  The caller's, until zero_table_free(). */
static inline void *zero_table(size_t size)
{
	void *table = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return table == MAP_FAILED ? NULL : table;
}

/* @size: as it was asked for; @table may be NULL. */
static inline void zero_table_free(void *table, size_t size)
{
	if (table)
		munmap(table, size);
}

#endif /* BASE_ZERO_TABLE_H */
