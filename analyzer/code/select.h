/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chooses the code that is fetched from a guest: of the functions with most
 * samples.
 */
#ifndef CODE_SELECT_H
#define CODE_SELECT_H

#include "format/code_list.h"
#include "code/hotspots.h"

/*
 * The list of code of a machine (1 + guest), of a pass that counted code
 * (KEEP_CODE): functions of its files and of its kernel, most samples first, as
 * many as its bounds allow.  Its length in @list, which has room for
 * CODE_LIST_MAX bytes; 0: none; or -ENOMEM.
 */
int code_select(struct analysis *a, __u32 machine, char *list);

/* Where a place's bytes are; false: not known, or made at run time. */
bool code_select_place(const struct machine *m, const struct hot_place *p,
		       struct code_want *ret);

#endif /* CODE_SELECT_H */
