/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a guest sent, made a bundle of the session: read, checked and completed
 * in a process without rights.
 */
#ifndef VMMPROF_IMPORT_H
#define VMMPROF_IMPORT_H

#include "format/code_identity.h"
#include "format/code_merge.h"
#include "symcache/merge.h"

/* What a bundle holds, as the process that read it says. */
struct vmmprof_import_stat {
	struct vmmprof_symmerge_stat symbols;
	uint32_t processes;
	uint32_t files;	       /* mapped ones */
	uint32_t with_symbols; /* of them */
	uint32_t notes;	       /* what the guest's side could not have */
	bool kernel;	       /* the kernel's symbols are in it */
};

/*
 * Read the whole file fd (read and written, stays the caller's) as a report
 * would, with bounded memory and time.  @cache: its guest's symbol tables, to
 * complete and to keep them (symcache/merge.h), or NULL.  *stat: 0s on error.  0;
 * -ENOEXEC: no bundle; -EBADE: the process was stopped for what it did; -EFBIG:
 * it needs too much memory or time; other -errno: there was no process.
 */
int vmmprof_import(int fd, const struct vmmprof_symcache_guest *cache,
		   struct vmmprof_import_stat *stat);

/*
 * Append the code in a file of @size bytes that a guest sent (@code, at offset
 * 0) to its bundle @fd (format/code_merge.h).  Errors as above.
 */
int vmmprof_import_code(int fd, int code, uint64_t size,
			struct vmmprof_codemerge_stat *stat);

/*
 * The list that asks for @what (format/code_identity.h) by the file ids of the bundle
 * @fd.  Its length in @list, which has room for VMMPROF_CODELIST_MAX bytes; 0:
 * the bundle has none of these files.  Errors as above.
 */
int vmmprof_import_list(int fd, const struct vmmprof_codewhat *what, size_t nr,
			char *list);

#endif /* VMMPROF_IMPORT_H */
