/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code from files that processes had mapped executably: only files that a
 * bundle names, only if they are still the same, and only what is code there.
 */
#ifndef VMMPROF_GUEST_CODEFILE_H
#define VMMPROF_GUEST_CODEFILE_H

#include "format/code_list.h"

#include <vmmprof/maps.h>

struct code_file_cache;

/* Find the files of these @nr ranges in @bundle.  0; -EBADMSG; or -errno. */
int code_files_open(const char *bundle, const struct code_want *wants,
		    size_t nr, struct code_file_cache **ret);
/* Where its END is, in bytes, and how many items are before that. */
__u64 code_files_end(const struct code_file_cache *f, __u64 *items);
void code_files_close(struct code_file_cache *f);

/*
 * Read up to want->size bytes of a file into @buf; *flags: of their CODE item.
 * The number of bytes; -ENOENT: no such file, another one by now, or no code
 * there; or -errno.
 */
int code_files_read(struct code_file_cache *f, const struct code_want *want,
		    void *buf, __u32 *flags);

#endif /* VMMPROF_GUEST_CODEFILE_H */
