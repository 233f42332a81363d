/* SPDX-License-Identifier: GPL-2.0-only */
/* `vmmprof guests --cache`: lists and clears the cache of guests' symbols. */
#ifndef CMD_GUESTS_CACHE_H
#define CMD_GUESTS_CACHE_H

#include <stdbool.h>

enum guests_cache_what { CACHE_NOT, CACHE_LIST, CACHE_CLEAR };

/*
 * List it, or remove what there is of the guests called @name, NULL: of all.
 * Prints; returns the program's exit status.
 */
int guests_cache(bool clearing, const char *name, bool json);

#endif /* CMD_GUESTS_CACHE_H */
