/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files that make a struct elf_image have in common. */
#ifndef INTROSPECT_ELF_IMAGE_PARTS_H
#define INTROSPECT_ELF_IMAGE_PARTS_H

#include <elf.h>
#include <stdbool.h>

#include "introspect/guest_memory.h"

struct elf_bytes; /* introspect/elf_image.h */

#define ELF_IMAGE_SEGMENTS 64

/* A section: of an ELF file of 64 bits, whatever the file is. */
struct elf_part {
	Elf64_Shdr sh; /* sh_size: as the file has it, where nothing is known */
	__u8 *bytes;   /* sh.sh_size bytes, or NULL; owned */
};

struct elf_parts {
	const struct elf_bytes *b;
	Elf64_Ehdr eh;
	Elf64_Phdr ph[ELF_IMAGE_SEGMENTS];
	size_t nr_ph;
	bool is64;
	struct elf_part *part;
	size_t nr;
	size_t left;	/* bytes that may still be taken */
	__u64 until_ns; /* elf_bytes.until_ns */
	bool lacks, large;
};

/* What of a range is filled where a page is not known. */
#define ELF_FILL_SYMBOLS 0x00 /* no symbols */
#define ELF_FILL_NAMES	 0xff /* in no name */

/*
 * The bytes of a range of the file, to be freed.  *known: those before the first
 * page that is not; 0 of none.  0 or -errno: -EFBIG, -EBADMSG: not in the file.
 */
int elf_parts_load(struct elf_parts *p, __u64 offset, __u64 size, int fill,
		   __u8 **ret, size_t *known);

/* All of a range into @buf.  -ENOENT: not all is known. */
int elf_parts_read(struct elf_parts *p, __u64 offset, void *buf, size_t size);

/* The offset in the file of a link address; false: no segment has it. */
bool elf_parts_offset(const struct elf_parts *p, __u64 addr, __u64 *offset,
		      __u64 *left);

/* From the file's section headers.  -ENOENT: they are not known. */
int elf_parts_sections(struct elf_parts *p);

/* Without them. */
int elf_parts_dynamic(struct elf_parts *p);

#endif /* INTROSPECT_ELF_IMAGE_PARTS_H */
