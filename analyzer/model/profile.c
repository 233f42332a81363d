// SPDX-License-Identifier: GPL-2.0-only
/* Hash table of buckets. */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <vmmprof/record.h>

#include "base/hash.h"
#include "base/huge_pages.h"
#include "model/profile.h"
#include "base/saturate.h"
#include "base/vec.h"

static __u64 key_hash(const struct bucket_key *key)
{
	__u64 w[sizeof(*key) / 8];

	_Static_assert(sizeof(w) == 48, "six words");
	memcpy(w, key, sizeof(w));
	return hash_words(w, sizeof(w) / sizeof(w[0]));
}

struct profile_slot {
	__u32 bucket; /* + 1; 0: free */
	__u32 hash;
};

static inline struct profile_slot *next_free(struct profile_slot *table,
					     size_t mask, __u32 hash)
{
	size_t i = hash & mask;

	while (table[i].bucket)
		i = (i + 1) & mask;
	return &table[i];
}

static int profile_resize(struct profile *p)
{
	size_t was = p->mask ? p->mask + 1 : 0, slots = was ? 2 * was : 1024, i;
	struct profile_slot *table = calloc(slots, sizeof(*table));

	if (!table)
		return -ENOMEM;
	huge_pages(table, slots * sizeof(*table));
	for (i = 0; i < was; i++)
		if (p->table[i].bucket)
			*next_free(table, slots - 1,
				   p->table[i].hash) = p->table[i];
	free(p->table);
	p->table = table;
	p->mask = slots - 1;
	return 0;
}

/* A bucket that is not there. */
static int new_bucket(struct profile *p, const struct bucket_key *key, __u64 n)
{
	int err = vec_grow(&p->buckets, &p->cap, p->nr, sizeof(*p->buckets));

	if (err)
		return err;
	p->last = p->nr;
	p->buckets[p->nr].key = *key;
	p->buckets[p->nr].samples = n;
	p->buckets[p->nr].ticks = 0;
	p->nr++;
	sat_sum(&p->samples, n);
	return 0;
}

static inline bool same_key(const struct bucket_key *a,
			    const struct bucket_key *b)
{
	__u64 x[sizeof(*a) / 8], y[sizeof(*b) / 8];

	memcpy(x, a, sizeof(x));
	memcpy(y, b, sizeof(y));
	return !((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3]) |
		 (x[4] ^ y[4]) | (x[5] ^ y[5]));
}

static int profile_count(struct profile *p, const struct bucket_key *key,
			 __u32 hash, __u64 n)
{
	struct profile_slot *slot;
	struct bucket *c;
	size_t i;
	int ret;

	if (2 * (p->nr + 1) > p->mask) {
		ret = profile_resize(p);
		if (ret)
			return ret;
	}
	for (i = hash & p->mask;; i = (i + 1) & p->mask) {
		slot = &p->table[i];
		if (!slot->bucket)
			break;
		c = &p->buckets[slot->bucket - 1];
		if (slot->hash != hash || !same_key(&c->key, key))
			continue;
		sat_sum(&c->samples, n);
		sat_sum(&p->samples, n);
		p->last = slot->bucket - 1;
		return 0;
	}
	ret = new_bucket(p, key, n);
	if (ret)
		return ret;
	slot->bucket = p->last + 1;
	slot->hash = hash;
	return 0;
}

int profile_add(struct profile *p, const struct bucket_key *key, __u64 n)
{
	return profile_count(p, key, key_hash(key), n);
}

/* By now what a count touches is in the cache, but the buckets. */
static int count_later(struct profile *p)
{
	unsigned int i, nr = p->nr_later;
	__u32 bucket;
	int err = 0;

	p->nr_later = 0;
	for (i = 0; i < nr && p->table; i++) {
		bucket = p->table[p->later[i].hash & p->mask].bucket;
		if (bucket)
			__builtin_prefetch(&p->buckets[bucket - 1], 1);
	}
	for (i = 0; i < nr && !err; i++)
		err = profile_count(p, &p->later[i].key, p->later[i].hash, 1);
	return err;
}

int profile_add_later(struct profile *p, const struct bucket_key *key)
{
	const __u32 hash = key_hash(key);
	int err = p->nr_later == PROFILE_QUEUE ? count_later(p) : 0;

	if (p->table)
		__builtin_prefetch(&p->table[hash & p->mask]);
	p->later[p->nr_later].key = *key;
	p->later[p->nr_later++].hash = hash;
	return err;
}

int profile_part(struct profile *parts, const struct bucket_key *key,
		 __u32 *ret)
{
	int err = profile_add(parts, key, 0);

	*ret = parts->last;
	return err;
}

/* Where a pair is, or has room; @hash: profile_hash(). */
static inline size_t find_pair(const __u64 *pairs, size_t mask, __u64 pair,
			       __u64 hash)
{
	size_t i = hash & mask;

	while (pairs[i] && !pair_is(pairs[i], pair))
		i = (i + 1) & mask;
	return i;
}

static int grow_pairs(struct profile *p)
{
	size_t nr = p->pairs ? p->pair_mask + 1 : 0, slots = nr ? 2 * nr : 1024;
	__u64 *pairs = calloc(slots, sizeof(*pairs));
	__u32 *bucket = malloc(slots * sizeof(*bucket));
	size_t i, to;

	if (!pairs || !bucket) {
		free(pairs);
		free(bucket);
		return -ENOMEM;
	}
	huge_pages(pairs, slots * sizeof(*pairs));
	huge_pages(bucket, slots * sizeof(*bucket));
	for (i = 0; i < nr; i++) {
		if (!p->pairs[i])
			continue;
		to = find_pair(pairs, slots - 1, p->pairs[i],
			       profile_hash(p->pairs[i]));
		pairs[to] = p->pairs[i];
		bucket[to] = p->pair_bucket[i];
	}
	free(p->pairs);
	free(p->pair_bucket);
	p->pairs = pairs;
	p->pair_bucket = bucket;
	p->pair_mask = slots - 1;
	return 0;
}

static struct bucket_key key_of(const struct profile *parts, __u32 stem,
				__u32 place)
{
	const struct bucket_key *where = &parts->buckets[place].key;
	struct bucket_key key = parts->buckets[stem].key;

	key.addr = where->addr;
	key.func = where->func;
	key.module = where->module;
	key.file = where->file;
	key.cause = where->cause;
	return key;
}

/* Where a pair that was not met before is to be. */
static int new_pair(struct profile *p, __u64 pair, __u64 hash, size_t *ret)
{
	int err = 2 * p->nr_pairs >= p->pair_mask ? grow_pairs(p) : 0;

	if (!err)
		*ret = find_pair(p->pairs, p->pair_mask, pair, hash);
	return err;
}

static void set_pair(struct profile *p, size_t at, __u64 pair, __u32 bucket)
{
	p->pairs[at] = pair;
	p->pair_bucket[at] = bucket;
	p->nr_pairs++;
}

/*
 * A pair that was not met before: as parts are told apart by all that they hold,
 * no other pair has this bucket.
 */
static int add_pair(struct profile *p, const struct bucket_key *key, __u64 pair,
		    __u64 hash, size_t *ret)
{
	int err = new_pair(p, pair, hash, ret);

	if (!err)
		err = new_bucket(p, key, 0);
	if (!err)
		set_pair(p, *ret, pair, p->last);
	return err;
}

int profile_pair_set(struct profile *p, __u64 pair, __u32 bucket)
{
	size_t at;
	int err = new_pair(p, pair, profile_hash(pair), &at);

	if (!err)
		set_pair(p, at, pair, bucket);
	return err;
}

static inline int get_pair(struct profile *p, const struct profile *parts,
			   __u32 stem, __u32 place, __u64 pair, __u64 hash,
			   size_t *ret)
{
	struct bucket_key key;

	if (p->pairs) {
		*ret = find_pair(p->pairs, p->pair_mask, pair, hash);
		if (p->pairs[*ret])
			return 0;
	}
	key = key_of(parts, stem, place);
	return add_pair(p, &key, pair, hash, ret);
}

/* Of parts of large numbers, of which no pair is made: never of others. */
static int count_far(struct profile *p, const struct profile *parts, __u32 stem,
		     __u32 place)
{
	const struct bucket_key key = key_of(parts, stem, place);

	return profile_add(p, &key, 1);
}

int profile_pair(struct profile *p, const struct profile *parts, __u32 stem,
		 __u32 place)
{
	const __u64 pair = profile_pair_of(stem, place);
	size_t i;
	int err;

	if (!pair)
		return count_far(p, parts, stem, place);
	err = get_pair(p, parts, stem, place, pair, profile_hash(pair), &i);
	if (err)
		return err;
	p->last = p->pair_bucket[i];
	sat_sum(&p->buckets[p->last].samples, 1);
	sat_sum(&p->samples, 1);
	return 0;
}

void profile_settle(struct profile *p, __u64 *pair)
{
	const __u64 samples = *pair & PAIR_COUNT_MAX;

	sat_sum(&p->buckets[p->pair_bucket[pair - p->pairs]].samples, samples);
	sat_sum(&p->samples, samples);
	*pair -= samples;
}

static int count_queued(struct profile *p, const struct profile *parts,
			unsigned int place)
{
	const __u64 pair = p->queue[place].pair;
	size_t i;
	int err;

	if (!pair)
		return count_far(p, parts, p->queue[place].stem,
				 p->queue[place].place);
	err = get_pair(p, parts, p->queue[place].stem, p->queue[place].place,
		       pair, p->queue[place].hash, &i);
	if (err)
		return err;
	profile_count_pair(p, &p->pairs[i]);
	if (p->counted)
		p->last = p->pair_bucket[i];
	return 0;
}

int profile_count_queue(struct profile *p, const struct profile *parts)
{
	unsigned int i, nr = p->queued;
	int err = 0;

	p->queued = 0;
	for (i = 0; i < nr && !err; i++) {
		err = count_queued(p, parts, i);
		if (!err && p->counted)
			err = p->counted(p->counted_arg, i, p->last);
	}
	return err;
}

static void settle_all(struct profile *p)
{
	size_t i;

	for (i = 0; p->pairs && i <= p->pair_mask; i++)
		if (p->pairs[i] & PAIR_COUNT_MAX)
			profile_settle(p, &p->pairs[i]);
}

void profile_forget_pairs(struct profile *p)
{
	settle_all(p);
	if (p->pairs)
		memset(p->pairs, 0, (p->pair_mask + 1) * sizeof(*p->pairs));
	p->nr_pairs = 0;
}

int profile_flush(struct profile *p, const struct profile *parts)
{
	int err = profile_count_queue(p, parts);

	if (!err)
		err = count_later(p);
	settle_all(p);
	return err;
}

static __u32 guest_of(const void *arg, size_t i)
{
	const struct profile *p = arg;

	return p->buckets[i].key.guest;
}

int profile_buckets_on(struct profile *p, __u32 machine,
		       struct profile_buckets *ret)
{
	size_t i, machines = 0;
	int err;

	if (p->by_guest.nr_things != p->nr) {
		groups_deinit(&p->by_guest);
		for (i = 0; i < p->nr; i++)
			if (p->buckets[i].key.guest >= machines)
				machines = p->buckets[i].key.guest + 1;
		err = groups_init(&p->by_guest, machines, p->nr, guest_of, p);
		if (err)
			return err;
	}
	ret->number = groups_of(&p->by_guest, machine, &ret->nr);
	return 0;
}

int profile_buckets_of(struct profile *p, __u32 guest,
		       struct profile_buckets *ret)
{
	if (guest)
		return profile_buckets_on(p, guest, ret);
	ret->number = NULL;
	ret->nr = p->nr;
	return 0;
}

void profile_deinit(struct profile *p)
{
	groups_deinit(&p->by_guest);
	free(p->buckets);
	free(p->table);
	free(p->pairs);
	free(p->pair_bucket);
	memset(p, 0, sizeof(*p));
}

static const struct {
	const char *key, *text;
} causes[NR_CAUSES] = {
	[CAUSE_NONE] = { "resolved", "resolved" },
	[CAUSE_VCPU_UNKNOWN] = { "vcpu-unknown",
				 "in a guest, vCPU not known yet" },
	[CAUSE_NEAR_GUEST] = { "near-guest", "near a guest, PC not known" },
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
	[CAUSE_NOT_READ] = { "not-read", "who ran could not be read" },
	[CAUSE_NO_PROCESS] = { "no-process", "process not known" },
	[CAUSE_NOT_MAPPED] = { "not-mapped",
			       "no known mapping at the address" },
	[CAUSE_ANONYMOUS] = { "anonymous", "anonymous memory (JIT?)" },
	[CAUSE_REMAPPED] = { "remapped", "memory in place of file's text" },
	[CAUSE_NO_SYMBOLS] = { "no-symbols", "file has no symbols" },
	[CAUSE_UNREADABLE] = { "unreadable", "file could not be read" },
	[CAUSE_NOT_RESIDENT] = { "not-resident",
				 "symbols not in the guest's memory" },
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
