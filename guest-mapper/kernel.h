/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the running kernel does with CR3: where page tables lie, and which
 * bits of CR3 are no address.
 */
#ifndef VMMPROF_KERNEL_H
#define VMMPROF_KERNEL_H

#include "emit.h"

/*
 * Fill in e->rule, and emit it: TEXT pti, la57, phys_mask, the MM item of
 * init_mm.  What cannot be found is emitted as a limitation and stays 0.
 * 0 or -errno of the writer.
 */
int kernel_rule(struct emit *e);

/* What to do if kcore_open() returned @err: constant text. */
const char *kernel_kcore_advice(int err);

/* Flags of @cpuinfo (text of /proc/cpuinfo): is @flag one of them? */
bool kernel_has_flag(const char *cpuinfo, const char *flag);

#endif /* VMMPROF_KERNEL_H */
