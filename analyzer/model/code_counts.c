// SPDX-License-Identifier: GPL-2.0-only
/* Counts samples by address of code that is remembered. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge_pages.h"
#include "base/saturate.h"
#include "model/code_counts.h"

#define ROOM 1024 /* at first */

_Static_assert(16 + CODE_PAGE + CODE_WHO_BITS + CODE_COUNT_BITS == 64,
	       "lines have 16 bits (code_places.c)");
_Static_assert(VMMPROF_MAX_EVENTS *NR_MODES <= CODE_WHO_NONE &&
		       CODE_WHO_NONE < 1 << CODE_WHO_BITS,
	       "events, modes and none");

void code_counts_settle(struct code_counts *c, struct profile *code,
			__u64 *count)
{
	const __u64 samples = *count & CODE_COUNT_MAX;

	sat_sum(&code->buckets[c->bucket[count - c->count]].samples, samples);
	sat_sum(&code->samples, samples);
	*count -= samples;
}

void code_counts_flush(struct code_counts *c, struct profile *code)
{
	size_t i;

	for (i = 0; c->count && i <= c->mask; i++)
		if (c->count[i] & CODE_COUNT_MAX)
			code_counts_settle(c, code, &c->count[i]);
}

/* Where a number is, or has room. */
static size_t find(const __u64 *count, size_t mask, __u64 number)
{
	size_t i = code_counts_hash(number) & mask;

	while (count[i] && (count[i] ^ number) > CODE_COUNT_MAX)
		i = (i + 1) & mask;
	return i;
}

static int grow(struct code_counts *c)
{
	size_t was = c->count ? c->mask + 1 : 0, slots = was ? 2 * was : ROOM;
	__u64 *count = calloc(slots, sizeof(*count));
	__u32 *bucket = malloc(slots * sizeof(*bucket));
	size_t i, to;

	if (!count || !bucket) {
		free(count);
		free(bucket);
		return -ENOMEM;
	}
	huge_pages(count, slots * sizeof(*count));
	for (i = 0; i < was; i++) {
		if (!c->count[i])
			continue;
		to = find(count, slots - 1, c->count[i] & ~CODE_COUNT_MAX);
		count[to] = c->count[i];
		bucket[to] = c->bucket[i];
	}
	free(c->count);
	free(c->bucket);
	c->count = count;
	c->bucket = bucket;
	c->mask = slots - 1;
	return 0;
}

int code_counts_note(struct code_counts *c, const struct code_places *places,
		     struct profile *code, __u64 number, __u32 bucket)
{
	size_t i;
	int err = 0;

	if (c->filled != places->filled) {
		code_counts_flush(c, code);
		if (c->count)
			memset(c->count, 0, (c->mask + 1) * sizeof(*c->count));
		c->nr = 0;
		c->filled = places->filled;
	}
	if (!number)
		return 0;
	if (!c->count || 2 * c->nr >= c->mask)
		err = grow(c);
	if (err)
		return err;
	i = find(c->count, c->mask, number);
	c->nr += !c->count[i];
	if (!c->count[i])
		c->count[i] = number;
	c->bucket[i] = bucket;
	return 0;
}

void code_counts_deinit(struct code_counts *c)
{
	free(c->count);
	free(c->bucket);
	memset(c, 0, sizeof(*c));
}
