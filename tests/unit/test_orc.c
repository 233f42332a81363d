// SPDX-License-Identifier: GPL-2.0-only
/* ORC entries of the kernels' layouts become the same rules. */

#include "sym/orc.h"

#include "test.h"

#define NR 8

/* An entry's bits, in each layout. */
struct row {
	__s16 sp, bp;
	__u16 bits[5]; /* by enum orc_layout */
	struct vmmprof_unwind_rule want;
};

#define BITS(sp, bp, type) ((sp) | (bp) << 4 | (type) << 8)

static const struct row rows[NR] = {
	/* what most code does, often enough to find the layout */
	{ 8,
	  0,
	  { 0, BITS(5, 0, 0), BITS(5, 0, 0), BITS(5, 0, 2), BITS(3, 0, 2) },
	  { .cfa = 8, .kind = VMMPROF_UNWIND_CALL } },
	{ 16,
	  -16,
	  { 0, BITS(5, 1, 0), BITS(5, 1, 0), BITS(5, 1, 2), BITS(3, 8, 2) },
	  { .cfa = 16,
	    .bp = -16,
	    .kind = VMMPROF_UNWIND_CALL,
	    .bp_from = VMMPROF_BP_CFA } },
	{ 24,
	  -16,
	  { 0, BITS(5, 1, 0), BITS(5, 1, 0), BITS(5, 1, 2), BITS(3, 8, 2) },
	  { .cfa = 24,
	    .bp = -16,
	    .kind = VMMPROF_UNWIND_CALL,
	    .bp_from = VMMPROF_BP_CFA } },
	{ 16,
	  -16,
	  { 0, BITS(4, 1, 0), BITS(4, 1, 0), BITS(4, 1, 2), BITS(4, 8, 2) },
	  { .cfa = 16,
	    .bp = -16,
	    .kind = VMMPROF_UNWIND_CALL,
	    .cfa_from = VMMPROF_CFA_BP,
	    .bp_from = VMMPROF_BP_CFA } },
	{ 8,
	  0,
	  { 0, BITS(5, 0, 0), BITS(5, 0, 0), BITS(5, 0, 2), BITS(3, 0, 2) },
	  { .cfa = 8, .kind = VMMPROF_UNWIND_CALL } },
	/* struct pt_regs, interrupted */
	{ 0,
	  0,
	  { 0, BITS(5, 0, 1), BITS(5, 0, 1 | 4), BITS(5, 0, 3 | 8),
	    BITS(3, 0, 3 | 8) },
	  { .kind = VMMPROF_UNWIND_REGS, .flags = VMMPROF_UNWIND_F_SIGNAL } },
	{ 16,
	  0,
	  { 0, BITS(5, 0, 0), BITS(5, 0, 0), BITS(5, 0, 2), BITS(3, 0, 2) },
	  { .cfa = 16, .kind = VMMPROF_UNWIND_CALL } },
	/* a thread's first function */
	{ 0,
	  0,
	  { 0, BITS(0, 0, 4), BITS(0, 0, 8), BITS(0, 0, 1), BITS(0, 0, 1) },
	  { .kind = VMMPROF_UNWIND_END } },
};

static void make(enum orc_layout layout, const struct row *from, __u8 *entries,
		 size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		memcpy(entries + 6 * i, &from[i].sp, 2);
		memcpy(entries + 6 * i + 2, &from[i].bp, 2);
		memcpy(entries + 6 * i + 4, &from[i].bits[layout], 2);
	}
}

/* Entry i is for address 0x1000 + 16 i. */
static void make_ips(__s32 *ips, size_t nr, __u64 addr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		ips[i] = 0x1000 + 16 * i - (addr + 4 * i);
}

/* Of all code. */
static int table_of(enum orc_layout layout, __s32 *ips, __u64 ips_addr,
		    void *entries, size_t nr, struct unwind_table *ret)
{
	const struct orc_raw raw = { ips, ips_addr, entries, nr, 0, ~0ull };

	return orc_table(layout, &raw, ret);
}

TEST(each_layout_is_told_and_read)
{
	const __u64 addr = 0x80000;
	__u8 entries[6 * NR];
	struct unwind_table t;
	__s32 ips[NR];
	unsigned int layout;
	size_t i;

	make_ips(ips, NR, addr);
	for (layout = ORC_END; layout <= ORC_REGS; layout++) {
		make(layout, rows, entries, NR);
		TEST_EQ(orc_find_layout(entries, NR), layout);
		TEST_EQ(table_of(layout, ips, addr, entries, NR, &t), 0);
		TEST_EQ(t.start, 0x1000);
		for (i = 0; i < NR; i++) {
			const struct vmmprof_unwind_rule *r = unwind_table_find(
				&t, 0x1000 + 16 * i);

			TEST_OK(r && !memcmp(r, &rows[i].want, sizeof(*r)));
		}
		unwind_table_free(&t);
	}
	return 0;
}

/* Registers by their number before and after 7.x, in entries of a call. */
TEST(every_register_has_its_rule)
{
	static const __u8 before[16] = {
		/* kind; the CFA's form */
		[0] = 0xff,
		[1] = 0xff,
		[2] = 0xfe,
		[3] = 0xfe,
		[4] = VMMPROF_CFA_BP,
		[5] = VMMPROF_CFA_SP,
		[6] = 0xfe,
		[7] = 0xfe,
		[8] = VMMPROF_CFA_BP_WORD,
		[9] = VMMPROF_CFA_SP_WORD,
	};
	static const __u8 now[16] = {
		[0] = 0xff,
		[1] = 0xfe,
		[2] = 0xfe,
		[3] = VMMPROF_CFA_SP,
		[4] = VMMPROF_CFA_BP,
		[5] = 0xfe,
		[6] = 0xfe,
		[7] = 0xfe,
		[8] = 0xff,
		[9] = VMMPROF_CFA_SP_WORD,
		[10] = VMMPROF_CFA_BP_WORD,
	};
	unsigned int layout, reg;
	struct unwind_table t;
	__s32 ip = 0;

	for (layout = ORC_TYPES; layout <= ORC_REGS; layout++) {
		for (reg = 0; reg < 10; reg++) {
			__u8 want = (layout == ORC_REGS ? now : before)[reg];
			__u16 e[3] = { -40, 0, BITS(reg, 0, 2) };
			const struct vmmprof_unwind_rule *r;

			TEST_EQ(table_of(layout, &ip, 64, e, 1, &t), 0);
			r = unwind_table_find(&t, 64);
			TEST_EQ(r->kind,
				want == 0xff ? VMMPROF_UNWIND_UNKNOWN :
				want == 0xfe ? VMMPROF_UNWIND_REGISTER :
					       VMMPROF_UNWIND_CALL);
			if (want < 0xfe) {
				TEST_EQ(r->cfa_from, want);
				TEST_EQ(r->cfa, -40);
			}
			unwind_table_free(&t);
		}
	}
	return 0;
}

TEST(entries_that_are_none_are_refused)
{
	__u8 entries[6 * NR];
	__s32 ips[NR];
	struct unwind_table t;

	memset(entries, 0x5a, sizeof(entries));
	TEST_EQ(orc_find_layout(entries, NR), ORC_UNKNOWN);
	make_ips(ips, NR, 0);
	make(ORC_TYPES, rows, entries, NR);
	TEST_EQ(table_of(ORC_UNKNOWN, ips, 0, entries, NR, &t), -EINVAL);
	TEST_EQ(table_of(ORC_TYPES, ips, 0, entries, 0, &t), -ENOENT);
	ips[3] -= 17 + 16;
	TEST_EQ(table_of(ORC_TYPES, ips, 0, entries, NR, &t), -EBADMSG);
	return 0;
}

/* The linker marks the end of a section where the next one begins. */
TEST(of_entries_of_one_address_the_last_counts)
{
	__u8 entries[6 * NR];
	__s32 ips[NR];
	struct unwind_table t;

	make_ips(ips, NR, 0);
	make(ORC_TYPES, rows, entries, NR);
	ips[0] += 16;
	memset(entries, 0, 6);
	TEST_EQ(table_of(ORC_TYPES, ips, 0, entries, NR, &t), 0);
	TEST_EQ(unwind_table_find(&t, 0x1010)->cfa, 16);
	unwind_table_free(&t);
	return 0;
}

/* A rule of code for the beginning, whose memory is others' since then, is none. */
TEST(rules_of_other_code_are_left_out)
{
	__u8 entries[6 * NR];
	__s32 ips[NR];
	struct unwind_table t;
	struct orc_raw raw = { ips, 0, entries, NR, 0x1010, 0x1028 };

	make_ips(ips, NR, 0);
	make(ORC_TYPES, rows, entries, NR);
	TEST_EQ(orc_table(ORC_TYPES, &raw, &t), 0);
	TEST_EQ(t.start, 0x1010);
	TEST_EQ(t.end, 0x1028);
	TEST_OK(!unwind_table_find(&t, 0x100f));
	TEST_OK(!memcmp(unwind_table_find(&t, 0x1010), &rows[1].want,
			sizeof(rows[1].want)));
	TEST_OK(!memcmp(unwind_table_find(&t, 0x1027), &rows[2].want,
			sizeof(rows[2].want)));
	TEST_OK(!unwind_table_find(&t, 0x1028));
	unwind_table_free(&t);
	/* what is behind ends in order, too */
	raw.to = 0x1000;
	TEST_EQ(orc_table(ORC_TYPES, &raw, &t), -ENOENT);
	raw.from = 0;
	TEST_EQ(orc_table(ORC_TYPES, &raw, &t), -ENOENT);
	ips[NR - 1] -= 64;
	TEST_EQ(orc_table(ORC_TYPES, &raw, &t), -EBADMSG);
	return 0;
}
