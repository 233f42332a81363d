/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * .gnu_debugdata: an ELF file with the symbols that stripping took out of
 * .symtab, compressed by xz, in a section of the stripped file.
 */
#ifndef SYM_DEBUG_DATA_H
#define SYM_DEBUG_DATA_H

#include <stddef.h>

#define DEBUG_DATA_MAX	 (64U << 20) /* bytes unpacked */
#define DEBUG_DATA_RATIO 64	     /* to the packed ones */
#define DEBUG_DATA_LEAST 0x100000    /* the ratio does not matter */

/*
 * Unpack @size bytes at @in; *out is to be freed.  The input is foreign: at
 * most DEBUG_DATA_MAX bytes come of it, no more than symbols can be
 * packed (a tenth is usual), and the decoder takes at most as much memory.  0,
 * -EBADMSG (no xz, damaged, cut), -EFBIG or -ENOMEM.
 */
int debugdata_unpack(const void *in, size_t size, void **out, size_t *out_size);

#endif /* SYM_DEBUG_DATA_H */
