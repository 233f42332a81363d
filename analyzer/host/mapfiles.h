/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that processes have mapped executably: gives each an id and
 * writes its FILE and SYMTAB items when it is first seen.  One file may be
 * mapped under many paths and mount namespaces; it is known by its build-id,
 * else by device and inode.
 */
#ifndef VMMPROF_MAPFILES_H
#define VMMPROF_MAPFILES_H

#include "procmaps.h"

struct vmmprof_mapfiles;

int vmmprof_mapfiles_create(struct vmmprof_itemwriter *w,
			    struct vmmprof_procmaps_stat *stat,
			    struct vmmprof_mapfiles **ret);
void vmmprof_mapfiles_destroy(struct vmmprof_mapfiles *files);

/*
 * Write [vdso] of 64-bit processes, the same for all: @image is our own.
 * Without this call it is a file that could not be read.
 */
int vmmprof_mapfiles_vdso(struct vmmprof_mapfiles *files, const void *image,
			  size_t size);

/*
 * Files whose build-id is one of these n (20 bytes each) are not read: their FILE item says
 * CACHED and there is no SYMTAB.  Copied; a shorter build-id ends with zeros.
 * 0 or -ENOMEM.
 */
int vmmprof_mapfiles_have(struct vmmprof_mapfiles *files, const void *build_ids,
			  size_t n);

/*
 * The id of the file behind a mapping of a process that may have ended;
 * VMMPROF_NONE for anonymous memory.  0 or -errno (the writer's, -ENOMEM).
 */
int vmmprof_mapfiles_id(struct vmmprof_mapfiles *files,
			const struct vmmprof_mmap_event *ev, __u32 *id);

/*
 * Open the mapped file: by map_files (exact, needs CAP_CHECKPOINT_RESTORE), by
 * its path in the process's root, by its path in ours.  It has the build-id of
 * the mapping, where that is known.  A descriptor; -ENOEXEC: no regular file;
 * -ESTALE: another one; or -errno.
 */
int vmmprof_mapfiles_open(const struct vmmprof_mmap_event *ev);

#endif /* VMMPROF_MAPFILES_H */
