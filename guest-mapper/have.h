/* SPDX-License-Identifier: GPL-2.0-only */
/* The list of build-ids whose tables the bundle's reader has already. */
#ifndef VMMPROF_HAVE_H
#define VMMPROF_HAVE_H

#include <stddef.h>
#include <linux/types.h>

/*
 * Reads the file: 20 bytes for each build-id; a shorter one is padded with
 * zeros.  *ids is to be freed.  0; -EINVAL: another size, or no regular file;
 * -EFBIG: more than 65536; or -errno.
 */
int have_read(const char *path, const __u8 (**ids)[20], size_t *nr);

/*
 * Reads the next @size bytes of a stream, with the same errors.  *list is to be
 * freed.
 */
int have_receive(int fd, size_t size, void **list);

#endif /* VMMPROF_HAVE_H */
