/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes of functions: from ELF files, checked by build-id to be the files that
 * ran, and from the memory of the running kernel.  Nothing here executes them.
 */
#ifndef SYM_CODE_READER_H
#define SYM_CODE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define CODE_MAX (256U << 10) /* bytes; of longer ones the beginning */

struct code {
	__u8 *bytes;
	size_t size;
	bool ia32; /* code of 32 bits */
};

/*
 * The bytes of [@start, @end) (link addresses; at most CODE_MAX, fewer
 * if the file ends) of the file @path with this build-id.  @flags: as
 * open_regular()'s.
 *
 * 0: to be freed by code_free().  -ESTALE: another build-id, or none to
 * compare; -ENODATA: a file without code (a debug file), or none at these
 * addresses; -ENOMEM; or why it could not be read.
 */
int code_read(const char *path, int flags, const __u8 *build_id,
	      size_t build_id_size, __u64 start, __u64 end, struct code *ret);

/*
 * The same of a vmlinux for addresses of a running kernel, which may have been
 * moved: @text is where its first function ran.  *slide: how far it was moved.
 * -ENXIO: no function of vmlinux begins at the one that is @start.
 */
int code_read_kernel(const char *path, const __u8 *build_id,
		     size_t build_id_size, __u64 text, __u64 start, __u64 end,
		     struct code *ret, __u64 *slide);

/*
 * The same out of a core file that has the memory at these addresses
 * (/proc/kcore), open as @fd; the caller knows that it is the right one.
 */
int code_read_core(int fd, __u64 start, __u64 end, struct code *ret);

void code_free(struct code *code);

#endif /* SYM_CODE_READER_H */
