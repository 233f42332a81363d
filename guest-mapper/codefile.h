/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code out of files that processes had mapped executably: only such as a bundle
 * names, only if they are still the same, and of these only what is code.
 */
#ifndef VMMPROF_GUEST_CODEFILE_H
#define VMMPROF_GUEST_CODEFILE_H

#include "format/code_list.h"

#include <vmmprof/maps.h>

struct vmmprof_codefiles;

/* What @bundle says of the files of these @nr ranges.  -EBADMSG, or -errno. */
int vmmprof_codefiles_open(const char *bundle,
			   const struct vmmprof_code_want *wants, size_t nr,
			   struct vmmprof_codefiles **ret);
/* Where its END is, in bytes, and how many items are before that. */
__u64 vmmprof_codefiles_end(const struct vmmprof_codefiles *f, __u64 *items);
void vmmprof_codefiles_close(struct vmmprof_codefiles *f);

/*
 * Up to want->size bytes of a file into @buf; *flags: of their CODE item.  How
 * many; -ENOENT: no such file, another one by now, or no code there; or -errno.
 */
int vmmprof_codefiles_read(struct vmmprof_codefiles *f,
			   const struct vmmprof_code_want *want, void *buf,
			   __u32 *flags);

#endif /* VMMPROF_GUEST_CODEFILE_H */
