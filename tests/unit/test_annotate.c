// SPDX-License-Identifier: GPL-2.0-only
/* The join of instructions and samples: analyzer/view/annotate.c's own parts. */

#include "test.h"
#include "view/annotate.c"

static struct hotspot spots[64];
static struct hot_place place;
static struct annotate an;

/* Join @code at 0x1000 with the first @nr spots; x is to be freed. */
static int join(struct annotated *x, const void *code, size_t size, size_t nr)
{
	struct joiner j = { .x = x, .spot = spots, .end = spots + nr };
	int ret = 0;
	size_t i;

	memset(x, 0, sizeof(*x));
	place.start = 0x1000;
	place.end = 0x1000 + size;
	place.samples = 0;
	for (i = 0; i < nr; i++)
		place.samples += spots[i].samples;
	x->place = &place;
	x->found.code.bytes = malloc(size + 1);
	x->found.code.size = size;
	memcpy(x->found.code.bytes, code, size);
	if (size)
		ret = join_code(&j, &an);
	while (!ret && j.spot < j.end)
		ret = add_line(&j, NULL, LINE_NO_CODE);
	mark_targets(x);
	return ret;
}

static void put_spots(const __u64 (*s)[2], size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		spots[i].addr = s[i][0];
		spots[i].samples = s[i][1];
	}
}

TEST(samples_stay_where_they_are)
{
	/* call 1010; nop; 1: dec %eax; jne 1b; jmp 1006; nop */
	static const char code[] =
		"\xe8\x0b\0\0\0\x90\xff\xc8\x75\xfc\xeb\xfa\x90";
	static const __u64 at[][2] = {
		{ 0x1000, 10 }, { 0x1002, 1 },	{ 0x1005, 20 }, { 0x1006, 30 },
		{ 0x1008, 1 },	{ 0x100c, 20 }, { 0x1020, 18 },
	};
	struct annotated x;

	put_spots(at, 7);
	TEST_EQ(join(&x, code, sizeof(code) - 1, 7), 0);
	TEST_EQ(x.nr, 8);
	TEST_EQ(x.lines[0].samples, 10);
	TEST_EQ(annotate_likely(&x, 0), LIKELY_CALLER);
	TEST_EQ(x.lines[1].kind, LINE_INSIDE);
	TEST_EQ(x.lines[1].insn.addr, 0x1002);
	/* behind the call, not behind what is inside of it */
	TEST_EQ(x.lines[2].samples, 20);
	TEST_EQ(annotate_likely(&x, 2), LIKELY_CALLEE);
	TEST_EQ(x.lines[3].samples, 30);
	TEST_EQ(annotate_likely(&x, 3), LIKELY_BEFORE);
	TEST_EQ(x.lines[3].jumps, 2);
	TEST_EQ(x.lines[3].jump, 0x1008);
	/* one of a hundred tells nothing */
	TEST_EQ(annotate_likely(&x, 4), LIKELY_UNKNOWN);
	TEST_EQ(x.lines[6].samples, 20);
	TEST_EQ(annotate_likely(&x, 6), LIKELY_JUMP);
	TEST_EQ(x.lines[6].jumps, 0);
	TEST_EQ(x.lines[7].kind, LINE_NO_CODE);
	TEST_EQ(x.lines[7].samples, 18);
	annotated_deinit(&x);
	return 0;
}

TEST(repeated_instructions_are_interrupted_themselves)
{
	static const __u64 at[][2] = { { 0x1001, 10 } };
	struct annotated x;

	put_spots(at, 1);
	TEST_EQ(join(&x, "\x90\xf3\xa4\xc3", 4, 1), 0);
	TEST_EQ(annotate_likely(&x, 1), LIKELY_ITSELF);
	annotated_deinit(&x);
	return 0;
}

TEST(no_sample_is_lost_whatever_the_bytes)
{
	struct annotated x;
	__u8 code[200];
	__u64 addr, sum;
	size_t i, n, nr;
	int round;

	srand(1);
	for (round = 0; round < 2000; round++) {
		n = rand() % sizeof(code);
		for (i = 0; i < n; i++)
			code[i] = rand();
		addr = 0x1000;
		nr = rand() % 64;
		for (i = 0; i < nr; i++) {
			spots[i].addr = addr += !!i + rand() % 9;
			spots[i].samples = 1 + rand() % 100;
		}
		TEST_EQ(join(&x, code, n, nr), 0);
		for (i = 0, sum = 0; i < x.nr; i++) {
			sum += x.lines[i].samples;
			TEST_OK(!i || x.lines[i - 1].insn.addr <
					      x.lines[i].insn.addr);
			annotate_likely(&x, i);
		}
		TEST_EQ(sum, place.samples);
		annotated_deinit(&x);
	}
	return 0;
}
