/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of source files that the debugging information of a file names.
 * Anything may be written there as a path, so a file is read only if it belongs
 * to the binary (below) and if everybody may read it by that path.
 */
#ifndef SYM_SOURCE_H
#define SYM_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <linux/types.h>

#define SOURCE_FILES 8		 /* kept at a time */
#define SOURCE_MAX   (16U << 20) /* bytes; no larger ones */

/* A descriptor of the file that was @path where it was compiled, or -errno. */
typedef int source_fn(void *arg, const char *path);

/* Zeroed: empty, of this machine's files. */
struct sources {
	bool not_local;	  /* do not use files of this machine */
	source_fn *fetch; /* for files that are not here; may be NULL */
	void *arg;
	struct source {
		char *path; /* NULL: none */
		char *text;
		__u32 *lines; /* where each begins; the last: the end */
		size_t nr;    /* lines; 0: it does not belong, or is missing */
	} files[SOURCE_FILES];
	unsigned int next; /* to be replaced */
};

void sources_deinit(struct sources *s);

/*
 * Line @line (from 1) of the file @path, tabs as spaces, cut to size; not safe
 * to print.  @binary: the file whose debugging information names it.  It
 * belongs if it is a regular file that was neither changed (mtime) nor put
 * there (ctime) after the binary; fetched files belong.  False, with buf
 * untouched: there is none.
 */
bool sources_line(struct sources *s, const char *path, unsigned int line,
		  const struct stat *binary, char *buf, size_t size);

#endif /* SYM_SOURCE_H */
