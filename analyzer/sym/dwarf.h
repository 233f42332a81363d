/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source lines of a file of this machine, from its own debugging information
 * or a separate file in /usr/lib/debug.  The only user of libdw.  Never used
 * on a guest's files.
 */
#ifndef VMMPROF_SYM_DWARF_H
#define VMMPROF_SYM_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct vmmprof_dwarf;

/*
 * Open what has the debugging information of path, which must have this
 * build-id.  NULL if there is none.
 */
struct vmmprof_dwarf *vmmprof_dwarf_open(const char *path, const __u8 *build_id,
					 size_t build_id_size);
void vmmprof_dwarf_close(struct vmmprof_dwarf *d);

/*
 * "FILE:LINE" of a link address, FILE being the last part of its path.
 * Returns false, with buf untouched, if there is none.
 */
bool vmmprof_dwarf_line(struct vmmprof_dwarf *d, __u64 addr, char *buf,
			size_t size);

#endif /* VMMPROF_SYM_DWARF_H */
