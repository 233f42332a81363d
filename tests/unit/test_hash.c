// SPDX-License-Identifier: GPL-2.0-only
/* Keys that somebody chose against the table. */

#include <stdbool.h>
#include <time.h>

#include "test.h"
#include "base/hash.h"
#include "sym/strings.h"

#define NR 4096

/* Steps to a free slot of all keys, in a table twice as large: 1.5 each. */
static size_t steps(const __u64 *keys, size_t nr)
{
	size_t mask = 2 * nr - 1, i, at, n = 0;
	__u8 *used = calloc(1, mask + 1);

	for (i = 0; i < nr; i++) {
		at = hash_mix(keys[i]) & mask;
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
			hashes[n++] = hash_bytes(text, sizeof(text));
		}
		text[i] = 0;
		hashes[n++] = hash_bytes(text, i); /* and the size */
	}
	qsort(hashes, n, sizeof(*hashes), cmp);
	for (i = 1; i < n; i++)
		TEST_OK(hashes[i] != hashes[i - 1]);
	TEST_OK(hash_bytes("abcdefghi", 9) == hash_bytes("abcdefghij", 9));
	return 0;
}

/*
 * Strings that lead FNV-1a from the state before to one state, whichever of
 * the two it is: 4096 names of one value.  From a reduced lattice of powers of
 * its prime.
 */
#define PAIR 24
static const char pairs[12][2][2 * PAIR + 1] = {
	{ "08151e0e0c19191a79f11ef6180f0e353233111512130f16",
	  "06141505710d0e030b71060e1910121c0c1311356d721810" },
	{ "177e0718081c10760b3a1f101a300f7f3339181413191336",
	  "1a7b0508780b2e371ffb1471773e0c100f3b18152b3bfc30" },
	{ "080f0810fa371a1c3108130c14f50e0f1f170b31123f3118",
	  "06180513071f1e16101b0d0d1c350f0f18f0190e1317301b" },
	{ "15157b150f1b17120b082ef0117208320e70717273311906",
	  "13367af6123b13301a0b1417173c37f20f111f733cf11805" },
	{ "3e360c6d060f36723a3706161e331231363815361d167e12",
	  "3f123c1e080810130b320e0e32330e15130e0d160c127515" },
	{ "f612723d13310d36110e7d08133f14191616f31808171418",
	  "f6120e1b7e173534150f12067c080d16712b16087d0e1d1f" },
	{ "0876771f1706367f14320e1a162d6d0c32111906343a070b",
	  "0f111b182d1835fe3f127707151a10131c323e050d18050b" },
	{ "170d7d7a7b081a161236763e061ff20b3b307e16130bf714",
	  "161208050b1b1a070b742d7b38320f0818321710170f1b1a" },
	{ "0e06701c1013111e083a0b0e1b7a35060c0d0e0b1f131831",
	  "0f1b0f0dfd7d11051a05151619fb32050cfa120d3b1b1931" },
	{ "141a70103231382f1af1121706300710107d061617103116",
	  "15393513123ef80e0d1d311c04130431f1f50f1013303108" },
	{ "3d1737171b1012331530f11e0e761f3016337d0e7a151b0e",
	  "3b183e121c141d721f30310605f713110c0bf5143f360e0c" },
	{ "7779081d11770d06101c2f3474071e1215171107147b122f",
	  "761e1b08311633172d0e700f12040d333213120d1c1f2e31" }
};

static void put_pair(char *name, const char *hex)
{
	unsigned int byte, i;

	for (i = 0; i < PAIR && sscanf(hex + 2 * i, "%2x", &byte) == 1; i++)
		name[i] = byte;
}

#define TIMES 4 /* enough for a clock */

/* CPU seconds to intern NR names TIMES, of these pairs or of others. */
static double intern(bool chosen)
{
	static char names[NR][12 * PAIR + 1];
	struct strings t = { 0 };
	clock_t begin;
	size_t i, k, n;
	__u32 id;

	for (i = 0; i < NR; i++)
		for (k = 0; k < 12; k++) {
			put_pair(names[i] + k * PAIR, pairs[k][i >> k & 1]);
			if (!chosen)
				names[i][k * PAIR] += 1 + (i >> k & 1);
		}
	begin = clock();
	for (n = 0; n < TIMES; n++) {
		for (i = 0; i < NR; i++)
			if (strings_add(&t, names[i], sizeof(names[i]), &id) ||
			    id != i)
				return -1;
		strings_deinit(&t);
		memset(&t, 0, sizeof(t));
	}
	return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

TEST(strings_of_one_fnv1a_value_cost_as_much_as_others)
{
	double others = intern(false), chosen = intern(true);

	TEST_OK(others >= 0 && chosen >= 0);
	TEST_OK(chosen < 8 * others + 0.1);
	return 0;
}
