/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The unit tests' harness: TEST(rule) { ... return 0; } registers itself in a
 * linker section; main.c runs each in a process of its own.
 *
 * A test may #include the .c file whose statics it needs: the archive's copy
 * of that object is then not linked.
 */
#ifndef VMMPROF_TEST_H
#define VMMPROF_TEST_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test {
	const char *name;
	int (*run)(void);
};

#define TEST(rule)                                             \
	static int rule(void);                                 \
	static const struct test test_##rule                   \
		__attribute__((section("vmmprof_tests"), used, \
			       aligned(8))) = { #rule, rule }; \
	static int rule(void)

/* In a file whose tests look at all processes there are: other tests' are none. */
#define TESTS_ALONE                                             \
	static void __attribute__((constructor)) be_alone(void) \
	{                                                       \
		tests_alone = true;                             \
	}
extern bool tests_alone;

/* Both print what was and what should have been, and fail the test. */
#define TEST_EQ(got, want)                                                    \
	do {                                                                  \
		long long got_ = (long long)(got), want_ = (long long)(want); \
		if (got_ != want_) {                                          \
			printf("# %s:%d: %s = %lld, not %lld (%s)\n",         \
			       __FILE__, __LINE__, #got, got_, want_, #want); \
			return 1;                                             \
		}                                                             \
	} while (0)

#define TEST_OK(condition)                                                    \
	do {                                                                  \
		if (!(condition)) {                                           \
			printf("# %s:%d: not true: %s\n", __FILE__, __LINE__, \
			       #condition);                                   \
			return 1;                                             \
		}                                                             \
	} while (0)

#define TEST_STR(got, want)                                                    \
	do {                                                                   \
		const char *got_ = (got), *want_ = (want);                     \
		if (!got_ || strcmp(got_, want_)) {                            \
			printf("# %s:%d: %s = \"%s\", not \"%s\"\n", __FILE__, \
			       __LINE__, #got, got_ ? got_ : "(null)", want_); \
			return 1;                                              \
		}                                                              \
	} while (0)

#endif /* VMMPROF_TEST_H */
