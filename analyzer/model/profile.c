// SPDX-License-Identifier: GPL-2.0-only
/* Hash table of buckets. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <vmmprof/record.h>

#include "base/hash.h"
#include "model/profile.h"
#include "base/saturate.h"
#include "base/vec.h"

/* Folds the product of two words, each mixed with a secret number. */
static __u64 mix2(__u64 a, __u64 b)
{
	unsigned __int128 p = a ^ hash_set_seed[0];

	p *= b ^ hash_set_seed[1];
	return (__u64)p ^ (__u64)(p >> 64);
}

static __u64 key_hash(const struct bucket_key *key)
{
	__u64 w[sizeof(*key) / 8];

	_Static_assert(sizeof(w) == 48, "six words");
	memcpy(w, key, sizeof(w));
	/*
	 * Three products that do not depend on each other, so that the CPU
	 * computes them at once.
	 */
	return hash_mix(mix2(w[0], w[1]) ^
			mix2(w[2] + 0x9e3779b97f4a7c15ull, w[3]) * 3 ^
			mix2(w[4] + 0xd6e8feb86659fd93ull, w[5]) * 5);
}

static int profile_resize(struct profile *p)
{
	size_t slots = p->mask ? (p->mask + 1) * 2 : 1024, i, j;
	__u32 *table = malloc(slots * sizeof(*table));

	if (!table)
		return -ENOMEM;
	memset(table, 0xff, slots * sizeof(*table));
	for (i = 0; i < p->nr; i++) {
		j = key_hash(&p->buckets[i].key) & (slots - 1);
		while (table[j] != VMMPROF_NONE)
			j = (j + 1) & (slots - 1);
		table[j] = i;
	}
	free(p->table);
	p->table = table;
	p->mask = slots - 1;
	return 0;
}

static int profile_count(struct profile *p, const struct bucket_key *key,
			 __u64 hash, __u64 n)
{
	struct bucket *c;
	size_t i;
	int ret;

	if (2 * (p->nr + 1) > p->mask) {
		ret = profile_resize(p);
		if (ret)
			return ret;
	}
	for (i = hash & p->mask; p->table[i] != VMMPROF_NONE;
	     i = (i + 1) & p->mask) {
		c = &p->buckets[p->table[i]];
		if (memcmp(&c->key, key, sizeof(*key)))
			continue;
		sat_sum(&c->samples, n);
		sat_sum(&p->samples, n);
		p->last = p->table[i];
		return 0;
	}
	ret = vec_grow(&p->buckets, &p->cap, p->nr, sizeof(*p->buckets));
	if (ret)
		return ret;
	p->table[i] = p->nr;
	p->last = p->nr;
	p->buckets[p->nr].key = *key;
	p->buckets[p->nr].samples = n;
	p->buckets[p->nr].ticks = 0;
	p->nr++;
	sat_sum(&p->samples, n);
	return 0;
}

int profile_add(struct profile *p, const struct bucket_key *key, __u64 n)
{
	return profile_count(p, key, key_hash(key), n);
}

int profile_flush(struct profile *p)
{
	unsigned int i, nr = p->queued;
	const struct bucket *c;
	__u32 bucket;
	int ret = 0;

	p->queued = 0;
	for (i = 0; i < nr && p->mask; i++) {
		bucket = p->table[p->queue_hash[i] & p->mask];
		if (bucket == VMMPROF_NONE)
			continue;
		c = &p->buckets[bucket];
		__builtin_prefetch(c, 1);
		__builtin_prefetch(&c->samples, 1);
	}
	for (i = 0; i < nr && !ret; i++)
		ret = profile_count(p, &p->queue[i], p->queue_hash[i], 1);
	return ret;
}

int profile_later(struct profile *p, const struct bucket_key *key)
{
	__u64 hash = key_hash(key);

	p->queue[p->queued] = *key;
	p->queue_hash[p->queued] = hash;
	if (p->mask)
		__builtin_prefetch(&p->table[hash & p->mask]);
	if (++p->queued < PROFILE_QUEUE)
		return 0;
	return profile_flush(p);
}

static __u32 guest_of(const void *arg, size_t i)
{
	const struct profile *p = arg;

	return p->buckets[i].key.guest;
}

int profile_buckets_of(struct profile *p, __u32 guest,
		       struct profile_buckets *ret)
{
	size_t i, guests = 0;
	int err;

	ret->number = NULL;
	ret->nr = p->nr;
	if (!guest)
		return 0;
	if (p->by_guest.nr_things != p->nr) {
		groups_deinit(&p->by_guest);
		for (i = 0; i < p->nr; i++)
			if (p->buckets[i].key.guest >= guests)
				guests = p->buckets[i].key.guest + 1;
		err = groups_init(&p->by_guest, guests, p->nr, guest_of, p);
		if (err)
			return err;
	}
	ret->number = groups_of(&p->by_guest, guest, &ret->nr);
	return 0;
}

void profile_deinit(struct profile *p)
{
	groups_deinit(&p->by_guest);
	free(p->buckets);
	free(p->table);
	memset(p, 0, sizeof(*p));
}

static const struct {
	const char *key, *text;
} causes[NR_CAUSES] = {
	[CAUSE_NONE] = { "resolved", "resolved" },
	[CAUSE_VCPU_UNKNOWN] = { "vcpu-unknown",
				 "in a guest, vCPU not known yet" },
	[CAUSE_NO_BUNDLE] = { "no-bundle", "no bundle for this guest" },
	[CAUSE_L2] = { "nested", "nested guest (L2)" },
	[CAUSE_PROTECTED] = { "protected", "guest with protected state" },
	[CAUSE_SMM] = { "smm", "firmware (SMM)" },
	[CAUSE_UNPAGED] = { "unpaged", "guest without paging" },
	[CAUSE_NO_STATE] = { "no-state", "guest state could not be read" },
	[CAUSE_CPL] = { "cpl", "CPL is neither 0 nor 3" },
	[CAUSE_SHADOW] = { "shadow", "shadow paging: CR3 is KVM's" },
	[CAUSE_CR3_UNKNOWN] = { "cr3-unknown", "CR3 of no known process" },
	[CAUSE_CR3_NOT_THEN] = { "cr3-not-then",
				 "CR3 of no process at that time" },
	[CAUSE_CR3_SEVERAL] = { "cr3-several",
				"CR3 of several, no common clock" },
	[CAUSE_NO_PROCESS] = { "no-process", "process not known" },
	[CAUSE_NOT_MAPPED] = { "not-mapped",
			       "no known mapping at the address" },
	[CAUSE_ANONYMOUS] = { "anonymous", "anonymous memory (JIT?)" },
	[CAUSE_REMAPPED] = { "remapped", "memory in place of file's text" },
	[CAUSE_NO_SYMBOLS] = { "no-symbols", "file has no symbols" },
	[CAUSE_UNREADABLE] = { "unreadable", "file could not be read" },
	[CAUSE_NOT_COLLECTED] = { "not-collected",
				  "symbols of file not collected" },
	[CAUSE_CACHE_LOST] = { "cache-lost", "symbols not sent: cache lost" },
	[CAUSE_GAP] = { "gap", "between the symbols of the file" },
	[CAUSE_NO_KALLSYMS] = { "no-kallsyms", "no kernel symbols" },
	[CAUSE_KERNEL_GAP] = { "kernel-gap", "outside all kernel symbols" },
};

const char *cause_text(unsigned int cause)
{
	return cause < NR_CAUSES ? causes[cause].text : "?";
}

const char *cause_key(unsigned int cause)
{
	return cause < NR_CAUSES ? causes[cause].key : "?";
}
