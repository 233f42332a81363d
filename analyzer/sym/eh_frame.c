// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the functions that .eh_frame describes: "Linux Standard Base Core
 * Specification", Exception Frames; "DWARF Debugging Information Format", Call
 * Frame Information.  sym/eh_frame_rows.c reads their programs.
 *
 * Not libdw: it has no function for all rows of a function, only for the one of
 * an address, and executes the program from its beginning for each: quadratic
 * in what an attacker wrote.  The guest helper has no libdw either.
 */

#include <string.h>

#include "sym/eh_bytes.h"
#include "sym/eh_frame.h"

#define PE_OMIT 0xff /* DW_EH_PE_omit */

/* Real ones have some 30 bytes; as each function is read with its own. */
#define CIE_MAX 1024

/*
 * What "z" announces: R and S matter.  A letter that is not known ends it; the
 * length is known all the same.
 */
static void read_augmentation(struct eh_bytes *b, const char *letters,
			      struct eh_cie *ret)
{
	__u64 len = eh_uleb(b);
	struct eh_bytes in = *b;
	__u8 encoding;

	if (b->bad || len > b->end - b->at) {
		b->bad = true;
		return;
	}
	in.end = b->at + len;
	b->at += len;
	for (letters++; *letters && !in.bad; letters++) {
		if (*letters == 'R') {
			ret->encoding = eh_fixed(&in, 1);
		} else if (*letters == 'S') {
			ret->is_signal = true;
		} else if (*letters == 'L') {
			in.at += in.at < in.end;
		} else if (*letters == 'P') {
			encoding = eh_fixed(&in, 1);
			if (encoding != PE_OMIT)
				eh_offset(&in, encoding);
		} else {
			in.bad = true;
		}
	}
	b->bad |= in.bad;
}

/* The entry at @at: its content, without its length; false: no more. */
static bool read_entry(const struct eh_frame *f, size_t at, struct eh_bytes *b)
{
	__u64 len;

	b->bytes = f->bytes;
	b->at = at;
	b->end = f->size;
	b->addr = f->addr;
	b->ia32 = f->ia32;
	b->bad = false;
	len = eh_fixed(b, 4);
	if (b->bad || len > b->end - b->at)
		return false;
	b->end = b->at + len;
	return true;
}

bool eh_read_cie(const struct eh_frame *f, size_t at, struct eh_cie *ret)
{
	const char *letters;
	struct eh_bytes b;
	__u8 version;

	memset(ret, 0, sizeof(*ret));
	if (!read_entry(f, at, &b) || b.end - b.at > CIE_MAX || eh_fixed(&b, 4))
		return false;
	version = eh_fixed(&b, 1);
	letters = (const char *)b.bytes + b.at;
	if (b.bad || (version != 1 && version != 3) ||
	    !memchr(letters, 0, b.end - b.at) || (*letters && *letters != 'z'))
		return false;
	b.at += strlen(letters) + 1;
	ret->code_align = eh_uleb(&b);
	ret->data_align = eh_sleb(&b);
	ret->ra = version == 1 ? eh_fixed(&b, 1) : eh_uleb(&b);
	if (*letters) {
		ret->has_size = true;
		read_augmentation(&b, letters, ret);
	}
	ret->program = b.at;
	ret->program_end = b.end;
	return !b.bad;
}

/* it->cie is the one at @at; false: it cannot be read. */
static bool take_cie(struct eh_frame_iter *it, size_t at)
{
	if (it->has_cie && it->cie_at == at)
		return true;
	it->has_cie = eh_read_cie(it->frame, at, &it->cie);
	it->cie_at = at;
	return it->has_cie;
}

/* The FDE in @b, behind its CIE's distance @back. */
static bool read_fde(struct eh_frame_iter *it, struct eh_bytes *b, __u64 back,
		     struct eh_fde *ret)
{
	size_t here = b->at - 4;
	__u64 size;

	if (back > here || !take_cie(it, here - back))
		return false;
	ret->cie = here - back;
	ret->start = eh_pointer(b, it->cie.encoding);
	size = eh_offset(b, it->cie.encoding);
	ret->end = ret->start + size;
	if (it->cie.has_size) {
		size = eh_uleb(b);
		if (size > b->end - b->at)
			return false;
		b->at += size;
	}
	ret->program = b->at;
	ret->program_end = b->end;
	return !b->bad && ret->end > ret->start &&
	       (!it->frame->ia32 || ret->end <= 1ULL << 32);
}

void eh_frame_begin(const struct eh_frame *f, struct eh_frame_iter *it)
{
	it->frame = f;
	it->at = 0;
	it->damaged = 0;
	it->has_cie = false;
}

bool eh_frame_next(struct eh_frame_iter *it, struct eh_fde *ret)
{
	struct eh_bytes b;
	__u64 back;

	while (it->frame->size - it->at >= 4) {
		if (!read_entry(it->frame, it->at, &b)) {
			it->damaged++;
			break;
		}
		it->at = b.end;
		/* an empty one ends the part of one object file */
		if (b.at == b.end)
			continue;
		back = eh_fixed(&b, 4);
		if (!b.bad && !back)
			continue;
		if (!b.bad && read_fde(it, &b, back, ret))
			return true;
		it->damaged++;
	}
	it->at = it->frame->size;
	return false;
}
