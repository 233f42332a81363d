/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of two sessions, machine by machine. */
#ifndef VIEW_DIFF_TABLES_H
#define VIEW_DIFF_TABLES_H

#include "view/diff.h"

/*
 * Both are there: make the tables.  @keys of one table a machine; NULL: by
 * state, by process, and by function and module.  @samples_only: without time
 * in which no guest code ran, as if one of the sessions had none.  @guest: no
 * table of the host.  0 or -ENOMEM.
 */
int diff_make(struct diff *d, const enum diff_key *keys, size_t nr_keys,
	      bool samples_only, bool guest);

#endif /* VIEW_DIFF_TABLES_H */
