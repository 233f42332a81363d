/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a guest sent, made a bundle of the session: read, checked and completed
 * in a process without rights.
 */
#ifndef VMMPROF_IMPORT_H
#define VMMPROF_IMPORT_H

#include "host/symmerge.h"

/*
 * Read the whole file fd (read and written, stays the caller's) as a report
 * would, with bounded memory and time.  @cache: its guest's symbol tables, to
 * complete and to keep them (symmerge.h), or NULL; *stat says how many.  0;
 * -ENOEXEC: no bundle; -EBADE: the process was stopped for what it did; -EFBIG:
 * it needs too much memory or time; other -errno: there was no process.
 */
int vmmprof_import(int fd, const struct vmmprof_symcache_guest *cache,
		   struct vmmprof_symmerge_stat *stat);

#endif /* VMMPROF_IMPORT_H */
