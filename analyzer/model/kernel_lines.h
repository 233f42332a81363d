/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What debugging information says of a kernel's code and its modules': of files
 * on this host that have their build-ids.  A path that a guest wrote is never
 * opened.
 */
#ifndef MODEL_KERNEL_LINES_H
#define MODEL_KERNEL_LINES_H

#include "format/bundle.h"
#include "sym/dwarf.h"
#include "sym/elf.h"
#include "sym/kallsyms.h"

/* Files looked for: a kernel and its modules. */
#define KERNEL_LINES_FILES 256

struct kernel_lines {
	struct kernel_file {
		__u8 build_id[ELFFILE_BUILD_ID_MAX];
		size_t size;
		struct debuginfo *d; /* NULL: none is here */
	} * files;
	size_t nr, cap;
	/* of the kernel itself: its addresses less those of vmlinux */
	bool slid;
	__u64 slide;
};

/* Of a symbol's kernel or module, as its machine said; its size, 0: not known. */
size_t kernel_build_id(const struct bundle *b, const struct ksym *s,
		       __u8 id[ELFFILE_BUILD_ID_MAX]);

/*
 * As machine_inlines(), of a kernel address.  @host: the bundle is the host's, so
 * its release says where a vmlinux may be.
 */
size_t kernel_lines_inlines(struct kernel_lines *l, const struct bundle *b,
			    const struct kallsyms *k, bool host, __u64 addr,
			    struct debuginfo_inline *ret, size_t max);

void kernel_lines_deinit(struct kernel_lines *l);

#endif /* MODEL_KERNEL_LINES_H */
