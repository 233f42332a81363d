/* SPDX-License-Identifier: GPL-2.0-only */
/* From the session of a sampled run to its figures. */
#ifndef SELFTEST_COLLECT_H
#define SELFTEST_COLLECT_H

#include "base/error.h"
#include "selftest/figures.h"

/*
 * Read the session in @dir and fill in all but what is known before.  @pid, @tid:
 * the vCPU's thread.  0, or -errno with words.
 */
int collect_figures(const char *dir, __u32 pid, __u32 tid, struct figures *f,
		    struct error *e);

#endif /* SELFTEST_COLLECT_H */
