/* SPDX-License-Identifier: GPL-2.0-only */
/* The self-test's result for programs: view/selftest.schema.json. */
#ifndef CMD_SELFTEST_JSON_H
#define CMD_SELFTEST_JSON_H

#include <stdio.h>

#include "base/error.h"
#include "selftest/checks.h"
#include "selftest/run.h"

/* @e: why it could not be run; NULL: it was.  @c: the checks made until then. */
void selftest_json(FILE *out, const struct selftest *t, const struct checks *c,
		   const struct error *e);

/* "ok", "skip" or "fail". */
const char *selftest_word(enum check_verdict verdict);

/* The CPU's own name for itself. */
#define SELFTEST_CPU_NAME 49
void selftest_cpu_name(char name[SELFTEST_CPU_NAME]);

#endif /* CMD_SELFTEST_JSON_H */
