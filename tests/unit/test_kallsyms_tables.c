// SPDX-License-Identifier: GPL-2.0-only
/*
 * analyzer/introspect/kallsyms_tables.c: symbol tables as each kernel has them,
 * and damaged ones.
 */

#include "introspect/kallsyms_tables.c"

#include "tests/gen/guest_make.h"
#include "test.h"

static int read_made(const struct made_kallsyms *k, size_t size,
		     struct guest_symbols *s)
{
	void *copy = malloc(size ?: 1); /* so that a byte too far is seen */
	int err;

	memcpy(copy, k->data, size);
	err = kallsyms_tables_read(copy, size, k->va, s);
	free(copy);
	return err;
}

static int check_form(enum kallsyms_form form)
{
	static struct made_kallsyms k;
	struct guest_symbols s;
	unsigned int i;

	made_kallsyms(&k, form, 600, 5);
	TEST_EQ(read_made(&k, k.used, &s), 0);
	TEST_EQ(s.nr, 600);
	for (i = 0; i < s.nr; i++) {
		char want[32];

		TEST_EQ(s.syms[i].addr, made_address(&k, i));
		snprintf(want, sizeof(want), "f_%u", i);
		if (i == 7 && form != FORM_5_10)
			TEST_EQ(strlen(guest_symbol_name(&s, &s.syms[i])),
				4 + 2 * 299);
		else
			TEST_STR(guest_symbol_name(&s, &s.syms[i]), want);
	}
	TEST_EQ(s.syms[0].type, k.nr_percpu ? 'A' : 't');
	TEST_EQ(s.syms[9].type, 'T');
	TEST_EQ(guest_symbols_find(&s, "f_100"), made_address(&k, 100));
	TEST_EQ(guest_symbols_find(&s, "f_1000"), 0);
	guest_symbols_deinit(&s);
	return 0;
}

TEST(kernels_have_their_tables_in_several_orders)
{
	return check_form(FORM_5_10) || check_form(FORM_6_2) ||
	       check_form(FORM_6_4) || check_form(FORM_6_15) ||
	       check_form(FORM_7_0);
}

/* Change a byte or a word, read, change it back. */
static int damaged(struct made_kallsyms *k, size_t at, __u32 value, size_t n)
{
	struct guest_symbols s;
	__u32 was;
	int err;

	memcpy(&was, k->data + at, n);
	memcpy(k->data + at, &value, n);
	err = read_made(k, k->used, &s);
	memcpy(k->data + at, &was, n);
	if (!err)
		guest_symbols_deinit(&s);
	return err;
}

TEST(tables_that_contradict_each_other_are_refused)
{
	static struct made_kallsyms k;

	made_kallsyms(&k, FORM_6_4, 600, 5);
	TEST_EQ(damaged(&k, 0, 'L', 1), 0); /* the same bytes */
	/* counts: one more, one less, huge, none */
	TEST_EQ(damaged(&k, k.num_syms, 601, 4), -ENOENT);
	TEST_EQ(damaged(&k, k.num_syms, 512, 4), -ENOENT);
	TEST_EQ(damaged(&k, k.num_syms, 0xffffffff, 4), -ENOENT);
	TEST_EQ(damaged(&k, k.num_syms, GUEST_SYMBOLS_MAX, 4), -ENOENT);
	TEST_EQ(damaged(&k, k.num_syms, 0, 4), -ENOENT);
	/* a marker, an index beyond the table, a token without an end */
	TEST_EQ(damaged(&k, k.markers + 4, 0x7fffffff, 4), -ENOENT);
	TEST_EQ(damaged(&k, k.index + 2 * 0xf0, 0xffff, 2), -ENOENT);
	TEST_EQ(damaged(&k, k.index + 2 * '0', 0xffff, 2), -ENOENT);
	TEST_EQ(damaged(&k, k.tokens + 2, 'x', 1), -ENOENT);
	/* a name that is longer than all that follows, one of no bytes */
	TEST_EQ(damaged(&k, k.names, 0xffff, 2), -ENOENT);
	TEST_EQ(damaged(&k, k.names, 0, 1), -ENOENT);
	/* addresses that are none of a kernel's, or in no order */
	TEST_EQ(damaged(&k, k.offsets + 4 * 300, 0x7fffffff, 4), -EBADMSG);
	TEST_EQ(damaged(&k, k.base + 4, 0x1234, 4), -EBADMSG);
	return 0;
}

TEST(a_name_with_a_line_end_is_refused)
{
	static struct made_kallsyms k;

	made_kallsyms(&k, FORM_7_0, 600, 0);
	TEST_EQ(damaged(&k, k.names + 2, '\n', 1), -EBADMSG);
	return 0;
}

TEST(data_that_ends_anywhere_is_safe)
{
	static struct made_kallsyms k;
	struct guest_symbols s;
	size_t size;
	int form;

	for (form = FORM_5_10; form <= FORM_7_0; form++) {
		made_kallsyms(&k, form, 300, 5);
		for (size = 0; size < k.used - 200; size += 3) {
			int err = read_made(&k, size, &s);

			/* Behind the last offset there is nothing to miss. */
			if (!err)
				guest_symbols_deinit(&s);
			else
				TEST_OK(err == -ENOENT || err == -EBADMSG);
			TEST_OK(err || size > k.offsets + 4 * k.nr - 1);
		}
	}
	return 0;
}

TEST(data_full_of_counts_takes_bounded_work)
{
	/* Every word is a count, every name one byte long and of a type. */
	size_t size = 4u << 20, at;
	static struct made_kallsyms k;
	struct guest_symbols s;
	__u8 *data = malloc(size + sizeof(k.data));

	made_kallsyms(&k, FORM_7_0, 300, 0);
	for (at = 0; at < size; at += 4)
		memcpy(data + at, "\1t\1\0", 4);
	memcpy(data + size, k.data + k.tokens, k.used - k.tokens);
	TEST_EQ(kallsyms_tables_read(data, size + k.used - k.tokens, k.va, &s),
		-ENOENT);
	for (at = 0; at < size; at += 4)
		memcpy(data + at, "\2tt\0", 4);
	TEST_EQ(kallsyms_tables_read(data, size + k.used - k.tokens, k.va, &s),
		-ENOENT);
	for (at = 0; at < size; at += 2)
		memcpy(data + at, "\1t", 2);
	for (at = 0; at < size; at += 4096)
		memcpy(data + at, "\1\1\17\0", 4);
	TEST_EQ(kallsyms_tables_read(data, size + k.used - k.tokens, k.va, &s),
		-ENOENT);
	free(data);
	return 0;
}
