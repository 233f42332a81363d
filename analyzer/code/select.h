/* SPDX-License-Identifier: GPL-2.0-only */
/* Which code of a guest is worth fetching: the functions with most samples. */
#ifndef VMMPROF_MODEL_CODEWANT_H
#define VMMPROF_MODEL_CODEWANT_H

#include "format/code_list.h"
#include "code/hotspots.h"

/*
 * The list of code of a machine (1 + guest), of a pass that kept addresses:
 * functions of its files and of its kernel, most samples first, as many as its
 * bounds allow.  Its length in @list, which has room for VMMPROF_CODELIST_MAX
 * bytes; 0: none; or -ENOMEM.
 */
int vmmprof_codewant(struct vmmprof_analysis *a, __u32 machine, char *list);

/* Where a place's bytes are; false: not known, or made at run time. */
bool vmmprof_codewant_place(const struct vmmprof_machine *m,
			    const struct vmmprof_hot_place *p,
			    struct vmmprof_code_want *ret);

#endif /* VMMPROF_MODEL_CODEWANT_H */
