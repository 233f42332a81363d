/* SPDX-License-Identifier: GPL-2.0-only */
/* vmmprof-guest code: bytes of code that the host names, after a bundle. */
#ifndef VMMPROF_GUEST_CODE_H
#define VMMPROF_GUEST_CODE_H

#include <stddef.h>

/* Reads a list (format/code_list.h) from a file.  Its size, or -errno; -EFBIG. */
int code_list(const char *path, char *list, size_t size);

/*
 * Writes CODE items for a list of @size bytes to @output, which must not exist;
 * NULL: into @bundle, behind what it has.
 * Files are those of @bundle, which this program wrote before.  What cannot be
 * read has no item.  0; -EINVAL: no such list; -EBADMSG: no bundle; or -errno.
 */
int code_write(const char *list, size_t size, const char *bundle,
	       const char *output);

#endif /* VMMPROF_GUEST_CODE_H */
