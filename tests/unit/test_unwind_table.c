// SPDX-License-Identifier: GPL-2.0-only
/* Unwind tables: what is added is found, stored, and read back; nothing else. */

#include "sym/unwind_table.h"

#include "test.h"

#define ROWS 5000

static __u64 random_state = 1;

static __u32 draw(__u32 below)
{
	random_state = random_state * 6364136223846793005ull + 1;
	return (random_state >> 33) % below;
}

static struct vmmprof_unwind_rule make_rule(__u32 n)
{
	return (struct vmmprof_unwind_rule){
		.kind = VMMPROF_UNWIND_CALL,
		.cfa = 8 * n,
		.bp_from = n % 2 ? VMMPROF_BP_CFA : VMMPROF_BP_SAME,
	};
}

static int build(struct unwind_table *t, __u64 *addrs, __u32 *rules)
{
	struct unwind_builder b = { 0 };
	__u64 at = 0xffffffff81000000;
	size_t i;

	for (i = 0; i < ROWS; i++) {
		struct vmmprof_unwind_rule r;

		at += draw(50);
		addrs[i] = at;
		/* few rules are most rows' */
		rules[i] = draw(4) ? draw(8) : draw(300);
		r = make_rule(rules[i]);
		TEST_EQ(unwind_builder_add(&b, at, &r), 0);
	}
	TEST_EQ(unwind_builder_end(&b, at + 7, t), 0);
	return 0;
}

/* Every address has the rule that was added last at or below it. */
static int check(const struct unwind_table *t, const __u64 *addrs,
		 const __u32 *rules)
{
	size_t i = 0;
	__u64 at;

	TEST_OK(!unwind_table_find(t, addrs[0] - 1));
	TEST_OK(!unwind_table_find(t, addrs[ROWS - 1] + 7));
	for (at = addrs[0]; at < addrs[ROWS - 1] + 7; at++) {
		const struct vmmprof_unwind_rule *r = unwind_table_find(t, at);
		struct vmmprof_unwind_rule want;

		while (i + 1 < ROWS && addrs[i + 1] <= at)
			i++;
		want = make_rule(rules[i]);
		TEST_OK(r && !memcmp(r, &want, sizeof(want)));
	}
	return 0;
}

TEST(rows_come_back_from_their_stored_form)
{
	static __u64 addrs[ROWS];
	static __u32 rules[ROWS];
	struct unwind_table t, again;
	size_t size;
	void *data;

	TEST_EQ(build(&t, addrs, rules), 0);
	TEST_EQ(check(&t, addrs, rules), 0);
	TEST_EQ(unwind_table_encode(&t, &data, &size), 0);
	TEST_OK(size < sizeof(struct vmmprof_unwind) +
			       t.nr_rules * sizeof(*t.rule) +
			       t.nr_rows * 5 / 2);
	TEST_EQ(unwind_table_decode(data, size, &again), 0);
	TEST_EQ(check(&again, addrs, rules), 0);
	unwind_table_free(&again);
	unwind_table_free(&t);
	free(data);
	return 0;
}

TEST(addresses_that_descend_and_empty_tables_are_refused)
{
	struct vmmprof_unwind_rule r = make_rule(1);
	struct unwind_builder b = { 0 };
	struct unwind_table t;

	TEST_EQ(unwind_builder_end(&b, 5, &t), -ENOENT);
	TEST_EQ(unwind_builder_add(&b, 100, &r), 0);
	TEST_EQ(unwind_builder_add(&b, 200, &r), 0);
	/* the same rule is no new row, and still it descends */
	TEST_EQ(unwind_builder_add(&b, 199, &r), -EINVAL);
	TEST_EQ(unwind_builder_add(&b, 100 + (1ull << 32), &r), -EFBIG);
	unwind_builder_free(&b);
	TEST_EQ(unwind_builder_add(&b, 100, &r), 0);
	TEST_EQ(unwind_builder_end(&b, 100, &t), -EINVAL);
	return 0;
}

TEST(more_rules_than_fit_know_nothing)
{
	const struct vmmprof_unwind_rule *found;
	struct unwind_builder b = { 0 };
	struct unwind_table t;
	__u32 i;

	for (i = 0; i < 70000; i++) {
		struct vmmprof_unwind_rule r = make_rule(i);

		TEST_EQ(unwind_builder_add(&b, i, &r), 0);
	}
	TEST_EQ(unwind_builder_end(&b, i, &t), 0);
	TEST_EQ(t.nr_rules, UNWIND_RULES_MAX);
	found = unwind_table_find(&t, 65534);
	TEST_EQ(found->cfa, 8 * 65534);
	found = unwind_table_find(&t, 65535);
	TEST_EQ(found->kind, VMMPROF_UNWIND_UNKNOWN);
	found = unwind_table_find(&t, 69999);
	TEST_EQ(found->kind, VMMPROF_UNWIND_UNKNOWN);
	unwind_table_free(&t);
	return 0;
}

/* Rows at 0, 4 and 204, of 250 bytes of code. */
static const __u8 small[] = {
	0,  0x10, 0, 0, 0, 0, 0, 0, 250, 0x10, 0, 0, 0, 0, 0, 0, /* range */
	2,  0,	  0, 0, 3, 0, 0, 0,				 /* counts */
	8,  0,	  0, 0, 0, 0, 0, 0, 1,	 0,    0, 0,		 /* rules */
	16, 0,	  0, 0, 0, 0, 0, 0, 1,	 0,    0, 0, 0, 0, 4, 1, 200, 1, 0,
};

TEST(stored_forms_are_checked)
{
	const size_t heads[] = { 8, 16, 20 };
	struct unwind_table t;
	__u8 bytes[sizeof(small)];
	size_t i, size;

	TEST_EQ(unwind_table_decode(small, sizeof(small), &t), 0);
	TEST_EQ(t.nr_rows, 3);
	TEST_EQ(unwind_table_find(&t, 0x1000)->cfa, 8);
	TEST_EQ(unwind_table_find(&t, 0x1004)->cfa, 16);
	TEST_EQ(unwind_table_find(&t, 0x1000 + 203)->cfa, 16);
	TEST_EQ(unwind_table_find(&t, 0x1000 + 249)->cfa, 8);
	unwind_table_free(&t);
	for (size = 0; size < sizeof(small); size++)
		TEST_EQ(unwind_table_decode(small, size, &t), -EBADMSG);
	/* the end, and both counts: none, and one too many */
	for (i = 0; i < 3; i++) {
		memcpy(bytes, small, sizeof(small));
		memset(bytes + heads[i], 0, 2);
		TEST_EQ(unwind_table_decode(bytes, sizeof(bytes), &t),
			-EBADMSG);
		memset(bytes + heads[i], 0xff, i ? 4 : 8);
		TEST_OK(unwind_table_decode(bytes, sizeof(bytes), &t));
	}
	/* rows: no step, past the end, of no rule */
	memcpy(bytes, small, sizeof(small));
	bytes[50] = 0;
	TEST_EQ(unwind_table_decode(bytes, sizeof(bytes), &t), -EBADMSG);
	bytes[50] = 60;
	TEST_EQ(unwind_table_decode(bytes, sizeof(bytes), &t), -EBADMSG);
	bytes[50] = 4;
	bytes[51] = 2;
	TEST_EQ(unwind_table_decode(bytes, sizeof(bytes), &t), -EBADMSG);
	bytes[51] = 1;
	/* rules of a later version */
	bytes[32] = 200;
	TEST_EQ(unwind_table_decode(bytes, sizeof(bytes), &t), 0);
	TEST_EQ(unwind_table_find(&t, 0x1000)->kind, VMMPROF_UNWIND_UNKNOWN);
	unwind_table_free(&t);
	return 0;
}
