/* SPDX-License-Identifier: GPL-2.0-only */
/* Where this kernel has who runs, for the host's module to read it. */
#ifndef GUEST_MAPPER_TASK_LAYOUT_H
#define GUEST_MAPPER_TASK_LAYOUT_H

struct btf;
struct item_writer;

/*
 * Write the key task_layout (format/task_layout.h), if the kernel's symbols and
 * its BTF tell it.  0 or -errno of writing.
 */
int task_layout_write(struct item_writer *w, const struct btf *btf);

#endif /* GUEST_MAPPER_TASK_LAYOUT_H */
