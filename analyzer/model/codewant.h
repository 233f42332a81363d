/* SPDX-License-Identifier: GPL-2.0-only */
/* Which code of a guest is worth fetching: the functions with most samples. */
#ifndef VMMPROF_MODEL_CODEWANT_H
#define VMMPROF_MODEL_CODEWANT_H

#include "../data/codelist.h"
#include "analysis.h"

/*
 * The list of code of a machine (1 + guest), of a pass that kept addresses:
 * functions of its files and of its kernel, most samples first, as many as its
 * bounds allow.  Its length in @list, which has room for VMMPROF_CODELIST_MAX
 * bytes; 0: none; or -ENOMEM.
 */
int vmmprof_codewant(struct vmmprof_analysis *a, __u32 machine, char *list);

#endif /* VMMPROF_MODEL_CODEWANT_H */
