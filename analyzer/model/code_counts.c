// SPDX-License-Identifier: GPL-2.0-only
/* Hash table of addresses. */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/huge_pages.h"
#include "base/saturate.h"
#include "model/code_counts.h"

#define ROOM 4096 /* slots, at first */

static __u64 hash_of(const struct code_count *c)
{
	const __u64 w[] = {
		c->addr,
		(__u64)c->module << 32 | c->func,
		(__u64)c->who << 32 | c->file,
		0,
	};

	return hash_words(w, 4);
}

static bool same(const struct code_count *a, const struct code_count *b)
{
	return !((a->addr ^ b->addr) | (a->func ^ b->func) |
		 (a->module ^ b->module) | (a->file ^ b->file) |
		 (a->who ^ b->who));
}

/* Where it is, or where it belongs. */
static struct code_count *find(const struct code_counts *c,
			       const struct code_count *what, __u64 hash)
{
	size_t i = hash & c->mask;

	while (c->slots[i].samples && !same(&c->slots[i], what))
		i = (i + 1) & c->mask;
	return &c->slots[i];
}

static int grow(struct code_counts *c)
{
	const size_t nr = c->slots ? c->mask + 1 : 0,
		     slots = nr ? 2 * nr : ROOM;
	struct code_count *was = c->slots;
	size_t i;

	c->slots = calloc(slots, sizeof(*c->slots));
	if (!c->slots) {
		c->slots = was;
		return -ENOMEM;
	}
	huge_pages(c->slots, slots * sizeof(*c->slots));
	c->mask = slots - 1;
	for (i = 0; i < nr; i++)
		if (was[i].samples)
			*find(c, &was[i], hash_of(&was[i])) = was[i];
	free(was);
	return 0;
}

int code_counts_flush(struct code_counts *c)
{
	struct code_count *at;
	unsigned int i, nr = c->queued;

	c->queued = 0;
	for (i = 0; i < nr; i++) {
		if (3 * c->nr >= 2 * c->mask && grow(c))
			return -ENOMEM;
		at = find(c, &c->queue[i], c->hash[i]);
		if (!at->samples) {
			*at = c->queue[i];
			at->samples = 0;
			c->nr++;
		}
		sat_sum(&at->samples, 1);
	}
	return 0;
}

int code_counts_later(struct code_counts *c, const struct code_count *what)
{
	const __u64 hash = hash_of(what);
	int err = c->queued == CODE_QUEUE ? code_counts_flush(c) : 0;

	if (c->slots)
		__builtin_prefetch(&c->slots[hash & c->mask], 1);
	c->queue[c->queued] = *what;
	c->hash[c->queued++] = hash;
	return err;
}

void code_counts_deinit(struct code_counts *c)
{
	free(c->slots);
	c->slots = NULL;
}

struct bucket *code_counts_buckets(const struct code_counts *c,
				   const struct profile *parts)
{
	struct bucket *ret = calloc(c->nr + 1, sizeof(*ret));
	const struct code_count *from;
	size_t i, n = 0;

	for (i = 0; ret && c->slots && i <= c->mask; i++) {
		from = &c->slots[i];
		if (!from->samples)
			continue;
		ret[n].key = parts->buckets[from->who].key;
		ret[n].key.addr = from->addr;
		ret[n].key.func = from->func;
		ret[n].key.module = from->module;
		ret[n].key.file = from->file;
		ret[n++].samples = from->samples;
	}
	return ret;
}
