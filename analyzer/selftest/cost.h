/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a sample costs: a fixed loop, on the host or in the VM, with and without
 * sampling in turns, at ten times the usual rate.
 */
#ifndef SELFTEST_COST_H
#define SELFTEST_COST_H

#include "selftest/run.h"

/*
 * About @ns long.  Runs on t->cpu itself, and is as movable as before when it
 * returns.  0, or -errno with words.
 */
int cost_measure(struct selftest *t, bool guest, __u64 ns,
		 struct cost_figures *f, struct error *e);

#endif /* SELFTEST_COST_H */
