/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of others beside names of ours.  A row or frame that is no function,
 * process or guest has a word of ours: [steal], (no kernel symbols), host.
 * Whoever is profiled chooses his own names, so one that looks like ours is
 * shown with its first character (or the bracket before a number) as \xNN.
 */
#ifndef VIEW_FOREIGN_NAMES_H
#define VIEW_FOREIGN_NAMES_H

#include <stddef.h>

/*
 * As safe_text(), for a name that somebody else chose.  @words: what else
 * is ours where the name is shown, NULL at its end; or NULL.
 */
size_t foreign(char *dst, size_t size, const char *src,
	       const char *const *words);

/* The same for a guest's name, which may not be "host". */
size_t foreign_guest(char *dst, size_t size, const char *src);

#endif /* VIEW_FOREIGN_NAMES_H */
