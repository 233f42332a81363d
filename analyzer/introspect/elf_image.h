/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An ELF file of which only some pages are known, as one that sym/elf can read:
 * its segments, and what is known of its symbols, its stubs and .eh_frame.
 *
 * With section headers these are its sections.  They are not loaded, and mostly
 * not known: then what its program headers and PT_DYNAMIC lead to.
 */
#ifndef INTROSPECT_ELF_IMAGE_H
#define INTROSPECT_ELF_IMAGE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define ELF_IMAGE_MAX (48u << 20) /* bytes of all parts */

/* Where its bytes come from.  They may be anything, and change. */
struct elf_bytes {
	/* of one page; 0, -ENOENT: it is not known, or -errno to give up */
	int (*read)(void *arg, __u64 offset, void *buf, size_t size);
	void *arg;
	__u64 size; /* of the file */
	/* when to give up with -EDQUOT, of this process's CPU time; 0: never */
	__u64 until_ns;
};

struct elf_image {
	void *bytes; /* to be freed; size 0: nothing of it is known */
	size_t size;
	bool sections; /* it has the file's own section headers */
	bool lacks;    /* pages of what has names or bounds are not known */
	bool large;    /* parts are left out: too much */
	__u8 build_id[20];
	__u8 build_id_size; /* 0: none, or not known */
};

/*
 * 0: it is made, and to be freed by elf_image_deinit(); -ENOENT: the file's
 * first bytes are not known; -EBADMSG: it is no program for x86 or damaged; -ENOMEM;
 * or what reading gave.
 */
int elf_image_make(const struct elf_bytes *b, struct elf_image *ret);
void elf_image_deinit(struct elf_image *image);

#endif /* INTROSPECT_ELF_IMAGE_H */
