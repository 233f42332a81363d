/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source lines and inlined functions of a file, from its own debugging
 * information or a separate file: by its build-id in the directories of
 * sym/debug_path.h, or by its .gnu_debuglink, where gdb looks, too.  Files of this machine are used, files
 * that the user named as a guest's, and files that a debuginfod server sent;
 * never a file that only a guest named.
 */
#ifndef SYM_DWARF_H
#define SYM_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "sym/source.h"

struct debuginfo;

/*
 * Open what has the debugging information of path (NULL: a separate file
 * only), which must have this build-id.  @flags: as open_regular()'s, of path
 * and what it names.  NULL if there is none.
 */
struct debuginfo *debuginfo_open(const char *path, int flags,
				 const __u8 *build_id, size_t build_id_size);
void debuginfo_close(struct debuginfo *d);

/*
 * The build-id (at most @max bytes) of the file with what this one shares with
 * others (dwz(1)), if that file is not here: names are missing without it.
 * Returns its size; 0: nothing is missing.
 */
size_t debuginfo_lacks(struct debuginfo *d, __u8 *build_id, size_t max);
/* Use @path as that file; it must have this build-id.  False: it has not. */
bool debuginfo_share(struct debuginfo *d, const char *path,
		     const __u8 *build_id, size_t build_id_size);

/*
 * The link address of the only function of this name; of an object that is not
 * linked (a kernel module), the address that the other functions here use for
 * it.  False: there is none, or several.
 */
bool debuginfo_function(struct debuginfo *d, const char *name, __u64 *addr);

/*
 * "FILE:LINE" of a link address, FILE being the last part of its path.
 * Returns false, with buf untouched, if there is none.
 */
bool debuginfo_line(struct debuginfo *d, __u64 addr, char *buf, size_t size);

/*
 * Where source files come from.  @local: this machine, at the path in the
 * debugging information, if the file belongs to it (source.h); not for files
 * that a guest ran.  Then @fetch; NULL: no other.  Without this call: this
 * machine.
 */
void debuginfo_sources(struct debuginfo *d, bool local, source_fn *fetch,
		       void *arg);

/*
 * The text of that line, if its file is at hand.  Returns false, with buf
 * untouched, if there is none; bytes are as the file has them.
 */
bool debuginfo_text(struct debuginfo *d, __u64 addr, char *buf, size_t size);

/* A function that the compiler put into another one. */
struct debuginfo_inline {
	char function[128];
	char call[128]; /* "FILE:LINE" where it was called, "": not known */
};

/*
 * What is inlined at a link address, innermost first, at most @max.  How many
 * were written; bytes are as the file has them.
 */
size_t debuginfo_inlines(struct debuginfo *d, __u64 addr,
			 struct debuginfo_inline *ret, size_t max);

/*
 * Some answers are missing because functions are nested too deep, or are too
 * many (inlines.h).
 */
bool debuginfo_cut(const struct debuginfo *d);

#endif /* SYM_DWARF_H */
