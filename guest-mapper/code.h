/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vmmprof-guest code: reads the bytes of functions that the host lists, after
 * the bundle was written.
 */
#ifndef VMMPROF_GUEST_CODE_H
#define VMMPROF_GUEST_CODE_H

#include <stddef.h>

/*
 * Reads a list (format/code_list.h) from a file.  Its size, -EFBIG or -errno.
 */
int code_list(const char *path, char *list, size_t size);

/*
 * Writes CODE items for a list of @size bytes to @output, which must not exist.
 * NULL: appends them to @bundle.  Files are those of @bundle, which this
 * program wrote before.  A function that cannot be read gets no item.
 * 0; -EINVAL: not a list; -EBADMSG: not a bundle; or -errno.
 */
int code_write(const char *list, size_t size, const char *bundle,
	       const char *output);

#endif /* VMMPROF_GUEST_CODE_H */
