/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * .eh_frame of an ELF file: where its functions begin and end, which stripped
 * files keep, and how each of their instructions is unwound.
 *
 * The bytes are untrusted.  Work and memory are bounded by their number.
 */
#ifndef SYM_EH_FRAME_H
#define SYM_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* The section (elffile_section() reads it); the bytes are the caller's. */
struct eh_frame {
	const void *bytes;
	size_t size;
	__u64 addr; /* link address of bytes[0] */
	bool ia32;
};

/* A description of one function, or of a part of it (FDE). */
struct eh_fde {
	__u64 start; /* link addresses */
	__u64 end;   /* exclusive, above start */
	/* for the rows: offsets in the section */
	size_t cie;
	size_t program;
	size_t program_end;
};

/* What several descriptions share (CIE). */
struct eh_cie {
	__u64 code_align;
	__s64 data_align;
	__u64 ra; /* number of the column of the return address */
	size_t program, program_end;
	__u8 encoding; /* of pointers, DW_EH_PE_* */
	bool has_size; /* descriptions say the size of their augmentation */
	bool is_signal;
};

struct eh_frame_iter {
	const struct eh_frame *frame;
	size_t at;
	size_t damaged; /* descriptions left out so far: damaged, or unknown */
	/* the last one: neighbours share it */
	bool has_cie;
	size_t cie_at;
	struct eh_cie cie;
};

void eh_frame_begin(const struct eh_frame *f, struct eh_frame_iter *it);

/* The next function, in no order; they may overlap.  False: no more. */
bool eh_frame_next(struct eh_frame_iter *it, struct eh_fde *ret);

/* The CIE at @at; false: there is none, or none that can be read. */
bool eh_read_cie(const struct eh_frame *f, size_t at, struct eh_cie *ret);

#endif /* SYM_EH_FRAME_H */
