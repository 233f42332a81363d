// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unwind tables: built row by row, stored, read back, searched.  In memory a
 * row takes 6 bytes; decoding at each look-up would save four of them and cost
 * each frame of each chain a hundred nanoseconds.
 */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sym/unwind_table.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/vec.h"

#define ROW_MIN 2  /* bytes of a stored row */
#define ROW_MAX 10 /* two numbers of 32 bits */

/* The number of @rule, new or known; -ENOMEM. */
static long intern(struct unwind_builder *b,
		   const struct vmmprof_unwind_rule *rule)
{
	static const struct vmmprof_unwind_rule none;
	struct unwind_table *t = &b->table;
	__u64 key = hash_bytes(rule, sizeof(*rule));
	__u32 i = hash_get(&b->known, key);

	if (i != VMMPROF_NONE && !memcmp(&t->rule[i], rule, sizeof(*rule)))
		return i;
	if (t->nr_rules >= UNWIND_RULES_MAX - 1) {
		/* the last place is for the rule that knows nothing */
		if (t->nr_rules == UNWIND_RULES_MAX)
			return UNWIND_RULES_MAX - 1;
		rule = &none;
	}
	if (vec_grow(&t->rule, &b->max_rule, t->nr_rules, sizeof(*t->rule)) ||
	    hash_set(&b->known, key, t->nr_rules))
		return -ENOMEM;
	t->rule[t->nr_rules] = *rule;
	return t->nr_rules++;
}

int unwind_builder_add(struct unwind_builder *b, __u64 addr,
		       const struct vmmprof_unwind_rule *rule)
{
	struct unwind_table *t = &b->table;
	long number = intern(b, rule);
	__u64 at;

	if (number < 0)
		return number;
	if (!t->nr_rows) {
		t->start = addr;
		b->last = addr;
	}
	if (addr < b->last)
		return -EINVAL;
	b->last = addr;
	at = addr - t->start;
	if (at > UINT32_MAX)
		return -EFBIG;
	if (t->nr_rows && t->addrs[t->nr_rows - 1] == at)
		t->nr_rows--;
	if (t->nr_rows && t->rules[t->nr_rows - 1] == number)
		return 0;
	if (t->nr_rows == UNWIND_ROWS_MAX)
		return -EFBIG;
	if (vec_grow(&t->addrs, &b->max_addrs, t->nr_rows, sizeof(*t->addrs)) ||
	    vec_grow(&t->rules, &b->max_rules, t->nr_rows, sizeof(*t->rules)))
		return -ENOMEM;
	t->addrs[t->nr_rows] = at;
	t->rules[t->nr_rows++] = number;
	return 0;
}

/* A rule's number before and the rows that have it. */
struct use {
	__u32 number, rows;
};

static int compare_uses(const void *pa, const void *pb)
{
	const struct use *a = pa, *b = pb;

	if (a->rows != b->rows)
		return a->rows > b->rows ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* The most frequent rule first: numbers below 128 are stored in a byte. */
static int order_rules(struct unwind_table *t)
{
	struct vmmprof_unwind_rule *rule = calloc(t->nr_rules, sizeof(*rule));
	struct use *use = calloc(t->nr_rules, sizeof(*use));
	__u16 *number = calloc(t->nr_rules, sizeof(*number));
	__u32 i, nr = 0;

	if (!rule || !use || !number) {
		free(rule);
		free(use);
		free(number);
		return -ENOMEM;
	}
	for (i = 0; i < t->nr_rules; i++)
		use[i].number = i;
	for (i = 0; i < t->nr_rows; i++)
		use[t->rules[i]].rows++;
	sort_array(use, t->nr_rules, sizeof(*use), compare_uses);
	while (nr < t->nr_rules && use[nr].rows) {
		rule[nr] = t->rule[use[nr].number];
		number[use[nr].number] = nr;
		nr++;
	}
	for (i = 0; i < t->nr_rows; i++)
		t->rules[i] = number[t->rules[i]];
	free(t->rule);
	t->rule = rule;
	t->nr_rules = nr;
	free(use);
	free(number);
	return 0;
}

int unwind_builder_end(struct unwind_builder *b, __u64 end,
		       struct unwind_table *ret)
{
	struct unwind_table *t = &b->table;
	int err = 0;

	memset(ret, 0, sizeof(*ret));
	if (!t->nr_rows)
		err = -ENOENT;
	else if (end <= b->last)
		err = -EINVAL;
	else if (end - t->start > UINT32_MAX)
		err = -EFBIG;
	if (!err)
		err = order_rules(t);
	if (!err) {
		t->end = end;
		*ret = *t;
		memset(t, 0, sizeof(*t));
	}
	unwind_builder_free(b);
	return err;
}

void unwind_builder_free(struct unwind_builder *b)
{
	unwind_table_free(&b->table);
	hash_deinit(&b->known);
	memset(b, 0, sizeof(*b));
}

const struct vmmprof_unwind_rule *
unwind_table_find(const struct unwind_table *t, __u64 addr)
{
	__u32 lo = 0, hi = t->nr_rows, mid;

	if (addr < t->start || addr >= t->end)
		return NULL;
	BISECT(lo, hi, mid, t->addrs[mid] <= addr - t->start);
	/* the first row is at start */
	return &t->rule[t->rules[lo - 1]];
}

static __u8 *put_uleb(__u8 *to, __u32 v)
{
	for (; v >= 0x80; v >>= 7)
		*to++ = v | 0x80;
	*to++ = v;
	return to;
}

int unwind_table_encode(const struct unwind_table *t, void **data, size_t *size)
{
	const struct vmmprof_unwind head = {
		.start = t->start,
		.end = t->end,
		.nr_rules = t->nr_rules,
		.nr_rows = t->nr_rows,
	};
	size_t rules = t->nr_rules * sizeof(*t->rule);
	__u8 *v = malloc(sizeof(head) + rules + (size_t)ROW_MAX * t->nr_rows);
	__u32 i, at = 0;
	__u8 *to = v;
	void *less;

	if (!v)
		return -ENOMEM;
	memcpy(to, &head, sizeof(head));
	to += sizeof(head);
	memcpy(to, t->rule, rules);
	to += rules;
	for (i = 0; i < t->nr_rows; i++) {
		to = put_uleb(to, t->addrs[i] - at);
		to = put_uleb(to, t->rules[i]);
		at = t->addrs[i];
	}
	*size = to - v;
	less = realloc(v, *size);
	*data = less ? less : v;
	return 0;
}

/* False: cut, or above 32 bits. */
static bool get_uleb(const __u8 **from, const __u8 *end, __u32 *v)
{
	unsigned int shift;
	__u64 sum = 0;
	__u8 byte;

	for (shift = 0; shift < 35 && *from < end; shift += 7) {
		byte = *(*from)++;
		sum |= (__u64)(byte & 0x7f) << shift;
		*v = sum;
		if (!(byte & 0x80))
			return sum <= UINT32_MAX;
	}
	return false;
}

static bool decode_rows(const __u8 *from, const __u8 *end,
			struct unwind_table *t)
{
	__u32 i, delta, rule, at = 0;

	for (i = 0; i < t->nr_rows; i++) {
		if (!get_uleb(&from, end, &delta) ||
		    !get_uleb(&from, end, &rule) || !delta != !i ||
		    delta >= t->end - t->start - at || rule >= t->nr_rules)
			return false;
		at += delta;
		t->addrs[i] = at;
		t->rules[i] = rule;
	}
	return from == end;
}

/* What later versions may write is taken for a rule that knows nothing. */
static void check_rules(struct unwind_table *t)
{
	struct vmmprof_unwind_rule *r;

	for (r = t->rule; r < t->rule + t->nr_rules; r++)
		if (r->kind > VMMPROF_UNWIND_EXPRESSION ||
		    r->cfa_from > VMMPROF_CFA_PLT ||
		    r->bp_from > VMMPROF_BP_LOST)
			memset(r, 0, sizeof(*r));
}

int unwind_table_decode(const void *data, size_t size, struct unwind_table *ret)
{
	struct vmmprof_unwind head;
	const __u8 *at = data;
	size_t rules, left;

	memset(ret, 0, sizeof(*ret));
	if (size < sizeof(head))
		return -EBADMSG;
	memcpy(&head, data, sizeof(head));
	at += sizeof(head);
	left = size - sizeof(head);
	if (head.nr_rules > UNWIND_RULES_MAX || head.nr_rows > UNWIND_ROWS_MAX)
		return -EFBIG;
	rules = head.nr_rules * sizeof(*ret->rule);
	if (!head.nr_rules || !head.nr_rows || head.end <= head.start ||
	    head.end - head.start > UINT32_MAX || rules > left ||
	    (size_t)head.nr_rows * ROW_MIN > left - rules)
		return -EBADMSG;
	ret->start = head.start;
	ret->end = head.end;
	ret->nr_rows = head.nr_rows;
	ret->nr_rules = head.nr_rules;
	ret->addrs = calloc(head.nr_rows, sizeof(*ret->addrs));
	ret->rules = calloc(head.nr_rows, sizeof(*ret->rules));
	ret->rule = malloc(rules);
	if (!ret->addrs || !ret->rules || !ret->rule) {
		unwind_table_free(ret);
		return -ENOMEM;
	}
	memcpy(ret->rule, at, rules);
	check_rules(ret);
	if (!decode_rows(at + rules, at + left, ret)) {
		unwind_table_free(ret);
		return -EBADMSG;
	}
	return 0;
}

void unwind_table_free(struct unwind_table *t)
{
	free(t->addrs);
	free(t->rules);
	free(t->rule);
	memset(t, 0, sizeof(*t));
}
