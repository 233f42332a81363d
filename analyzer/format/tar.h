/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files one behind the other, as tar(1) reads them: POSIX ustar, plain files whose
 * names have no folders.
 */
#ifndef FORMAT_TAR_H
#define FORMAT_TAR_H

#include <stddef.h>
#include <stdio.h>

#include <linux/types.h>

#define TAR_BLOCK    512
#define TAR_NAME_MAX 100 /* bytes, with the NUL */

/*
 * Writes a file of @size bytes at @data.  @name: shorter than TAR_NAME_MAX;
 * @time_s: seconds since 1970.  0, or -EIO of @out.
 */
int tar_put(FILE *out, const char *name, const void *data, size_t size,
	    __u64 time_s);
/* What ends it all.  0 or -EIO. */
int tar_end(FILE *out);

/* A file in an archive in memory. */
struct tar_file {
	char name[TAR_NAME_MAX];
	const __u8 *data; /* of the archive */
	size_t size;
};

/*
 * The file whose head is at @*at of the @size bytes at @data; *at moves behind it.
 * 0; -ENODATA: there are no more; -EINVAL: it is no such archive, or a part of one.
 * The bytes may be anybody's.
 */
int tar_next(const void *data, size_t size, size_t *at, struct tar_file *f);

#endif /* FORMAT_TAR_H */
