/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Judges figures.  Tolerances are four standard deviations of a share of that
 * many samples, and a bias that is stated where it is used.
 */
#ifndef SELFTEST_CHECKS_H
#define SELFTEST_CHECKS_H

#include "selftest/figures.h"

enum check_verdict {
	CHECK_OK,
	CHECK_SKIPPED, /* not possible here; the text says why */
	CHECK_BAD,
};

struct check {
	enum check_verdict verdict;
	const char *name; /* static: one or two words */
	char text[320];
};

#define CHECKS_MAX 32

struct checks {
	unsigned int nr;
	struct check list[CHECKS_MAX];
};

/* All of the VM alone on its CPU. */
void checks_alone(struct checks *c, const struct figures *f);

/* All of the VM beside a thread that spins on its CPU. */
void checks_shared(struct checks *c, const struct figures *f);

/* All of a VM that halts. */
void checks_halting(struct checks *c, const struct figures *f);

/* @name: of what was measured.  @f: of the host. */
void checks_cost(struct checks *c, const char *name,
		 const struct cost_figures *cost, const struct figures *f);

unsigned int checks_count(const struct checks *c, enum check_verdict verdict);

#endif /* SELFTEST_CHECKS_H */
