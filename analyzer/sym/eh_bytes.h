/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of .eh_frame, read with bounds. */
#ifndef SYM_EH_BYTES_H
#define SYM_EH_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct eh_bytes {
	const __u8 *bytes;
	size_t at, end; /* offsets in the section */
	__u64 addr;	/* link address of the section */
	bool ia32;
	bool bad; /* there were not enough: what was read since is 0 */
};

/* Little-endian; @size at most 8. */
__u64 eh_fixed(struct eh_bytes *b, unsigned int size);
__u64 eh_uleb(struct eh_bytes *b);
__s64 eh_sleb(struct eh_bytes *b);

/* A pointer (DW_EH_PE_*) without what it is relative to. */
__u64 eh_offset(struct eh_bytes *b, __u8 encoding);

/* A pointer that is relative to nothing, or to its own address. */
__u64 eh_pointer(struct eh_bytes *b, __u8 encoding);

#endif /* SYM_EH_BYTES_H */
