/* SPDX-License-Identifier: GPL-2.0-only */
/* The made guest with a shared object in its page cache, for tests. */
#ifndef VMMPROF_TEST_GUEST_TREE
#define VMMPROF_TEST_GUEST_TREE

#include <stdio.h>

#include "format/bundle.h"
#include "test.h"
#include "tests/gen/guest_kernel_make.h"

/*
 * As the corpus of its reader's fuzzer has it; the shared object is stripped: one(),
 * two(), three().
 */
static inline int guest_tree_load(struct made *m)
{
	FILE *f = fopen("tests/fuzz/corpus/introspect/guest-tree", "r");
	size_t n;

	TEST_OK(f);
	fgetc(f);
	n = fread(m->mem + MADE_FREE, 1, MADE_SIZE - MADE_FREE, f);
	fclose(f);
	TEST_OK(n > CONTENT - MADE_FREE);
	return 0;
}

/* A whole bundle is all that was written of it. */
static inline int guest_tree_end(struct made *m, struct bundle *b)
{
	TEST_EQ(b->bad, 0);
	TEST_OK(b->complete);
	bundle_deinit(b);
	made_deinit(m);
	return 0;
}

#endif /* VMMPROF_TEST_GUEST_TREE */
