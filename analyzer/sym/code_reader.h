/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes of functions: out of ELF files that are the ones that ran, by their
 * build-id, and out of the memory of the running kernel.  Bytes are for
 * looking at; nothing here executes them.
 */
#ifndef VMMPROF_SYM_CODE_H
#define VMMPROF_SYM_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define VMMPROF_CODE_MAX (256U << 10) /* bytes; of longer ones the beginning */

struct vmmprof_code {
	__u8 *bytes;
	size_t size;
	bool ia32; /* code of 32 bits */
};

/*
 * The bytes of [@start, @end) (link addresses; at most VMMPROF_CODE_MAX, fewer
 * if the file ends) of the file @path with this build-id.
 *
 * 0: to be freed by vmmprof_code_free().  -ESTALE: another build-id, or none to
 * compare; -ENODATA: a file without code (a debug file), or none at these
 * addresses; -ENOMEM; or why it could not be read.
 */
int vmmprof_code_read(const char *path, const __u8 *build_id,
		      size_t build_id_size, __u64 start, __u64 end,
		      struct vmmprof_code *ret);

/*
 * The same of a vmlinux for addresses of a running kernel, which may have been
 * moved: @text is where its first function ran.  *slide: how far it was moved.
 * -ENXIO: no function of vmlinux begins at the one that is @start.
 */
int vmmprof_code_read_kernel(const char *path, const __u8 *build_id,
			     size_t build_id_size, __u64 text, __u64 start,
			     __u64 end, struct vmmprof_code *ret, __u64 *slide);

/*
 * The same out of a core file that has the memory at these addresses
 * (/proc/kcore), open as @fd; the caller knows that it is the right one.
 */
int vmmprof_code_read_core(int fd, __u64 start, __u64 end,
			   struct vmmprof_code *ret);

void vmmprof_code_free(struct vmmprof_code *code);

#endif /* VMMPROF_SYM_CODE_H */
