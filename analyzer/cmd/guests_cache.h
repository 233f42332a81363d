/* SPDX-License-Identifier: GPL-2.0-only */
/* `vmmprof guests --cache`: what is kept of guests' symbols. */
#ifndef CMD_GUESTS_CACHE_H
#define CMD_GUESTS_CACHE_H

#include <stdbool.h>

/*
 * what: "" (list) or "clear"; names: what follows the options, NULL at its
 * end.  Prints; returns the program's exit status.
 */
int guests_cache(const char *what, char **names, bool json);

#endif /* CMD_GUESTS_CACHE_H */
