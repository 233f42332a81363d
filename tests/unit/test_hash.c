// SPDX-License-Identifier: GPL-2.0-only
/* Keys that somebody chose against the table. */

#include "test.h"
#include "data/hash.h"

#define NR 4096

/* Steps to a free slot of all keys, in a table twice as large: 1.5 each. */
static size_t steps(const __u64 *keys, size_t nr)
{
	size_t mask = 2 * nr - 1, i, at, n = 0;
	__u8 *used = calloc(1, mask + 1);

	for (i = 0; i < nr; i++) {
		at = vmmprof_hash_mix(keys[i]) & mask;
		for (n++; used[at]; n++)
			at = (at + 1) & mask;
		used[at] = 1;
	}
	free(used);
	return n;
}

TEST(hash_spreads_keys_that_differ_in_few_bits)
{
	static __u64 keys[NR];
	unsigned int shift;
	size_t i;

	for (shift = 0; shift <= 52; shift++) {
		for (i = 0; i < NR; i++)
			keys[i] = (__u64)i << shift;
		TEST_OK(steps(keys, NR) < 4 * NR);
		/* A pair of numbers, as most keys are. */
		for (i = 0; i < NR; i++)
			keys[i] = (i >> 6) << 32 | (i & 63) << (shift & 15);
		TEST_OK(steps(keys, NR) < 4 * NR);
	}
	return 0;
}

TEST(hash_spreads_keys_that_collide_without_a_seed)
{
	static __u64 keys[NR];
	size_t i;

	/* What a mixer without a secret makes of them has the same low bits. */
	for (i = 0; i < NR; i++)
		keys[i] = (i << 40) * 0x0e217c1e66c88cc3ull;
	TEST_OK(steps(keys, NR) < 4 * NR);
	for (i = 0; i < NR; i++)
		keys[i] = ~(i << 20 | i >> 3);
	TEST_OK(steps(keys, NR) < 4 * NR);
	return 0;
}

static int cmp(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

TEST(hash_of_bytes_is_told_apart_by_each_of_them)
{
	static __u64 hashes[64 * 256];
	char text[64] = "";
	size_t i, k, n = 0;

	for (i = 0; i < sizeof(text); i++) {
		for (k = 1; k < 256; k++) {
			text[i] = k;
			hashes[n++] = vmmprof_hash_bytes(text, sizeof(text));
		}
		text[i] = 0;
		hashes[n++] = vmmprof_hash_bytes(text, i); /* and the size */
	}
	qsort(hashes, n, sizeof(*hashes), cmp);
	for (i = 1; i < n; i++)
		TEST_OK(hashes[i] != hashes[i - 1]);
	TEST_OK(vmmprof_hash_bytes("abcdefghi", 9) ==
		vmmprof_hash_bytes("abcdefghij", 9));
	return 0;
}
