// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers of .eh_frame: "DWARF Debugging Information Format", Variable Length
 * Data; "Linux Standard Base Core Specification", DWARF Exception Header
 * Encoding.
 */

#include <string.h>

#include "sym/eh_bytes.h"

/* DW_EH_PE_*: format in bits 3:0, what it is relative to in bits 6:4. */
#define PE_RELATIVE 0x70
#define PE_PCREL    0x10
#define PE_INDIRECT 0x80

__u64 eh_fixed(struct eh_bytes *b, unsigned int size)
{
	__u64 v = 0;

	if (b->end - b->at < size) {
		b->bad = true;
		return 0;
	}
	memcpy(&v, b->bytes + b->at, size);
	b->at += size;
	return v;
}

/* Either form of LEB128; bits above 64 are dropped. */
static __u64 read_leb(struct eh_bytes *b, bool is_signed)
{
	unsigned int shift = 0;
	__u64 v = 0;
	__u8 byte;

	do {
		if (b->at >= b->end || shift > 70) {
			b->bad = true;
			return 0;
		}
		byte = b->bytes[b->at++];
		if (shift < 64)
			v |= (__u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && shift < 64 && (byte & 0x40))
		v |= ~0ULL << shift;
	return v;
}

__u64 eh_uleb(struct eh_bytes *b)
{
	return read_leb(b, false);
}

__s64 eh_sleb(struct eh_bytes *b)
{
	return read_leb(b, true);
}

__u64 eh_offset(struct eh_bytes *b, __u8 encoding)
{
	switch (encoding & 0xf) {
	case 0x0:
		return eh_fixed(b, b->ia32 ? 4 : 8);
	case 0x1:
		return eh_uleb(b);
	case 0x2:
		return eh_fixed(b, 2);
	case 0x3:
		return eh_fixed(b, 4);
	case 0x4:
	case 0xc:
		return eh_fixed(b, 8);
	case 0x9:
		return eh_sleb(b);
	case 0xa:
		return (__s16)eh_fixed(b, 2);
	case 0xb:
		return (__s32)eh_fixed(b, 4);
	}
	b->bad = true;
	return 0;
}

__u64 eh_pointer(struct eh_bytes *b, __u8 encoding)
{
	__u64 at = b->addr + b->at, v;

	/* functions are given in no other way */
	if ((encoding & PE_INDIRECT) ||
	    ((encoding & PE_RELATIVE) && (encoding & PE_RELATIVE) != PE_PCREL))
		b->bad = true;
	v = eh_offset(b, encoding);
	if (encoding & PE_RELATIVE)
		v += at;
	return b->ia32 ? (__u32)v : v;
}
