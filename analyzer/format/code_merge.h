/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Puts code that a guest sent after its bundle into the bundle.  Runs in a
 * process without rights.
 */
#ifndef FORMAT_CODE_MERGE_H
#define FORMAT_CODE_MERGE_H

#include <stddef.h>
#include <linux/types.h>

struct code_merge_stat {
	__u32 ranges;
	__u32 bytes;
};

/*
 * Append the CODE items of a file of kind MAPS (@code, @size bytes in memory) to
 * the bundle @fd, open for reading and writing: as many as the bounds of
 * vmmprof/maps.h allow.  The bundle stays one that can be read.  0; -ENOEXEC:
 * one of them is no such file; -ENOMEM; or -errno of writing.
 */
int code_merge(int fd, const void *code, size_t size,
	       struct code_merge_stat *stat);

#endif /* FORMAT_CODE_MERGE_H */
