// SPDX-License-Identifier: GPL-2.0-only
/* analyzer/base/sort.c, analyzer/base/number_set.c: right, and never slow. */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_set.h"
#include "base/sort.h"
#include "test.h"

#define NR   20000
#define LOG2 15

static unsigned long compared;

struct odd {
	char c[3];
	unsigned char value[2];
	char d[8];
};

static int cmp_odd(const void *a, const void *b, void *arg)
{
	const struct odd *x = a, *y = b;

	(void)arg;
	compared++;
	return memcmp(x->value, y->value, 2);
}

/* In order, and the same elements as before: their other bytes say which. */
static int check_sorted(unsigned int (*value)(unsigned int i))
{
	static struct odd of[NR];
	static bool seen[NR];
	unsigned int i, was;

	memset(seen, 0, sizeof(seen));
	for (i = 0; i < NR; i++) {
		was = value(i);
		of[i].value[0] = was >> 8;
		of[i].value[1] = was;
		memcpy(of[i].c, &i, 3);
		memcpy(of[i].d + 4, &i, 4);
	}
	compared = 0;
	sort_in_place(of, NR, sizeof(of[0]), cmp_odd, NULL);
	TEST_OK(compared < 6 * NR * LOG2);
	for (i = 0; i < NR; i++) {
		TEST_OK(!i || cmp_odd(&of[i - 1], &of[i], NULL) <= 0);
		memcpy(&was, of[i].d + 4, 4);
		TEST_OK(was < NR && !seen[was]);
		seen[was] = true;
		TEST_OK(!memcmp(of[i].c, &was, 3));
		was = value(was);
		TEST_EQ(of[i].value[0] << 8 | of[i].value[1], was & 0xffff);
	}
	return 0;
}

static unsigned int rising(unsigned int i)
{
	return i;
}

static unsigned int falling(unsigned int i)
{
	return NR - i;
}

static unsigned int equal(unsigned int i)
{
	return i & 0;
}

static unsigned int few(unsigned int i)
{
	return i * 2654435761u >> 29;
}

static unsigned int scattered(unsigned int i)
{
	return i * 2654435761u >> 16;
}

static unsigned int pipe_organ(unsigned int i)
{
	return i < NR / 2 ? i : NR - i;
}

TEST(sort_orders_whatever_comes)
{
	TEST_EQ(check_sorted(rising), 0);
	TEST_EQ(check_sorted(falling), 0);
	TEST_EQ(check_sorted(equal), 0);
	TEST_EQ(check_sorted(few), 0);
	TEST_EQ(check_sorted(scattered), 0);
	TEST_EQ(check_sorted(pipe_organ), 0);
	sort_in_place(NULL, 0, 8, cmp_odd, NULL);
	sort_array_r(NULL, 0, 8, cmp_odd, NULL);
	return 0;
}

/*
 * Values that are settled only when they are compared, so that each pivot is
 * among the least there are (McIlroy, "A Killer Adversary for Quicksort").
 */
static unsigned int settled[NR], nr_settled, candidate;

static int cmp_against(const void *a, const void *b, void *arg)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	(void)arg;
	compared++;
	if (settled[x] == NR && settled[y] == NR)
		settled[x == candidate ? x : y] = nr_settled++;
	if (settled[x] == NR)
		candidate = x;
	else if (settled[y] == NR)
		candidate = y;
	return settled[x] < settled[y] ? -1 : settled[x] > settled[y];
}

TEST(sort_has_no_order_that_is_quadratic)
{
	static unsigned int of[NR];
	unsigned int i;

	for (i = 0; i < NR; i++) {
		of[i] = i;
		settled[i] = NR;
	}
	compared = 0;
	sort_in_place(of, NR, sizeof(of[0]), cmp_against, NULL);
	TEST_OK(compared < 6 * NR * LOG2);
	for (i = 1; i < NR; i++)
		TEST_OK(settled[of[i - 1]] <= settled[of[i]]);
	return 0;
}

static int cmp_byte(const void *a, const void *b)
{
	compared++;
	return (*(const char *)a >> 1) - (*(const char *)b >> 1);
}

TEST(sort_keeps_equals_in_order_where_it_makes_a_copy)
{
	const size_t large = 1 << 20;
	char few[6] = { 5, 3, 2, 1, 4, 0 }, *many = calloc(40, large);
	unsigned int i;

	sort_array(few, 6, 1, cmp_byte);
	TEST_OK(!memcmp(few, "\1\0\3\2\5\4", 6));
	for (i = 0; i < 40; i++)
		memset(many + i * large, 2 * (i * 7 % 40), large);
	compared = 0;
	sort_array(many, 40, large, cmp_byte);
	TEST_OK(compared < 40 * 40 / 2);
	for (i = 0; i < 40; i++)
		TEST_OK(many[i * large] == (char)(2 * i) &&
			many[(i + 1) * large - 1] == (char)(2 * i));
	free(many);
	return 0;
}

static int cmp_keyed(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* By qsort() the values, which are the places before, break ties. */
static int cmp_both(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	return cmp_keyed(a, b) ?: (x->value > y->value) - (x->value < y->value);
}

TEST(numbers_are_sorted_by_key_and_equal_ones_stay)
{
	static const size_t sizes[] = { 0, 1, 2, 64, 65, 1000, 70000 };
	/* few values, some high digits, all of 64 bits, one value */
	static const __u64 masks[] = { 7, 0x7ff00000000007ff, ~0ull, 0 };
	struct keyed *a, *want;
	size_t s, m, i, n;

	srand(2);
	for (s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		n = sizes[s];
		a = malloc((n + 1) * sizeof(*a));
		want = malloc((n + 1) * sizeof(*a));
		for (m = 0; m < 4; m++) {
			for (i = 0; i < n; i++) {
				a[i].key = ((__u64)rand() << 33 ^
					    (__u64)rand() << 11 ^ rand()) &
					   masks[m];
				a[i].value = i;
			}
			memcpy(want, a, n * sizeof(*a));
			qsort(want, n, sizeof(*want), cmp_both);
			sort_keyed(a, n);
			TEST_OK(!memcmp(a, want, n * sizeof(*a)));
		}
		free(a);
		free(want);
	}
	return 0;
}

TEST(number_set_agrees_with_an_array)
{
	static const size_t bounds[] = { 1, 64, 65, 4096, 4097, 300000 };
	struct number_set s;
	size_t b, i, k, n, next;
	bool *in;

	srand(1);
	for (b = 0; b < sizeof(bounds) / sizeof(*bounds); b++) {
		n = bounds[b];
		in = calloc(n, 1);
		TEST_EQ(number_set_init(&s, n), 0);
		TEST_EQ(number_set_last(&s, n - 1), NUMBER_SET_NONE);
		for (i = 0; i < 2000; i++) {
			k = (size_t)rand() % n;
			in[k] = rand() % 3;
			if (in[k])
				number_set_add(&s, k);
			else
				number_set_remove(&s, k);
			k = (size_t)rand() % n;
			if (i % 50)
				continue;
			for (next = k; next < n && !in[next];)
				next++;
			TEST_EQ(number_set_next(&s, k),
				next < n ? next : NUMBER_SET_NONE);
			TEST_EQ(number_set_next(&s, n), NUMBER_SET_NONE);
			while (k && !in[k])
				k--;
			TEST_EQ(number_set_last(&s, k),
				in[k] ? k : NUMBER_SET_NONE);
			k = n - 1;
			while (k && !in[k])
				k--;
			TEST_EQ(number_set_last(&s, n - 1),
				in[k] ? k : NUMBER_SET_NONE);
		}
		free(in);
		number_set_deinit(&s);
	}
	return 0;
}
