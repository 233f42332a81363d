/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Foreign names beside vmmprof's own.  Rows and frames that are no function,
 * process or guest have a name of ours: [steal], (no kernel symbols), host.  A
 * profiled program can choose the same name: it is shown with its first
 * character (or the bracket before a number) as \xNN.
 */
#ifndef VIEW_FOREIGN_NAMES_H
#define VIEW_FOREIGN_NAMES_H

#include <stddef.h>

/*
 * As safe_text(), for a foreign name.  @words: more names of ours in that
 * place, NULL at its end; or NULL.
 */
size_t foreign(char *dst, size_t size, const char *src,
	       const char *const *words);

/* The same for a guest's name, which may not be "host". */
size_t foreign_guest(char *dst, size_t size, const char *src);

#endif /* VIEW_FOREIGN_NAMES_H */
