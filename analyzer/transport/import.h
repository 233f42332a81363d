/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Turns what a guest sent into a bundle of the session: a process without
 * rights reads, checks and completes it.
 */
#ifndef TRANSPORT_IMPORT_H
#define TRANSPORT_IMPORT_H

#include "base/error.h"
#include "format/code_identity.h"
#include "format/code_merge.h"
#include "symcache/merge.h"
#include <vmmprof/ioctl.h>

#define BUNDLE_MAX (512ull << 20) /* bytes */

/* What a bundle holds, as reported by the process that read it. */
struct import_stat {
	struct symcache_merge_stat cache;
	uint32_t processes;
	uint32_t files;	       /* mapped ones */
	uint32_t with_symbols; /* of them */
	uint32_t notes;	       /* on what the bundle lacks */
	bool kernel;	       /* the kernel's symbols are in it */
	bool has_layout;
	struct vmmprof_guest_layout layout; /* all but size and pid */
};

/*
 * Read the whole file fd (read and written, stays the caller's) as a report
 * would, with bounded memory and time.  @cache: its guest's symbol tables, to
 * complete and to keep them (symcache/merge.h), or NULL.  *stat: 0s on error.
 * 0; -ENOEXEC: no bundle; -EBADE: the process was stopped for what it did;
 * -EFBIG: it needs too much memory or time; other -errno: there was no process.
 * @e: in words ("the bundle ..."), or NULL.
 */
int import_bundle(int fd, const struct symcache_guest *cache,
		  struct import_stat *stat, struct error *e);

/*
 * Append the code in a file of @size bytes that a guest sent (@code, at offset
 * 0) to its bundle @fd (format/code_merge.h).  Errors as above.
 */
int import_code(int fd, int code, uint64_t size, struct code_merge_stat *stat,
		struct error *e);

/*
 * Makes the list that asks for @what (format/code_identity.h), with the file
 * ids of the bundle @fd.  Its length in @list, which has room for CODE_LIST_MAX
 * bytes; 0: the bundle has none of these files.  Errors as above.
 */
int import_list(int fd, const struct code_identity *what, size_t nr, char *list,
		struct error *e);

#endif /* TRANSPORT_IMPORT_H */
