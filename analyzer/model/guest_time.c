// SPDX-License-Identifier: GPL-2.0-only
/* Spreads ticks of vCPUs in their guests over buckets. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/vec.h"
#include "model/guest_time.h"

_Static_assert(ON_GUEST_KERNEL == (int)MODE_KERNEL &&
		       ON_GUEST_USER == (int)MODE_USER &&
		       ON_GUEST_OTHER == (int)MODE_UNKNOWN,
	       "classes in the guest are its modes");

/* A vCPU in a mode of its guest. */
struct share {
	__u64 ticks, samples;
	/* of the buckets so far */
	__u64 seen, given;
};

struct shares {
	struct share *at;
	size_t nr, cap;
	struct hash by_key;
};

/* @guest: index */
static __u64 share_key(__u32 guest, __u32 vcpu, unsigned int mode)
{
	return (__u64)guest << 34 | (__u64)vcpu << 2 | mode;
}

static struct share *find(const struct shares *s, __u64 key)
{
	__u32 i = hash_get(&s->by_key, key);

	return i == VMMPROF_NONE ? NULL : &s->at[i];
}

/* Two threads may have been one vCPU, one after the other. */
static int add_track(struct shares *s, const struct track *t, unsigned int mode)
{
	__u64 key = share_key(t->guest, t->vcpu_id, mode);
	struct share *share = find(s, key);
	int err;

	if (!share) {
		err = vec_grow(&s->at, &s->cap, s->nr, sizeof(*s->at));
		if (!err)
			err = hash_set(&s->by_key, key, s->nr);
		if (err)
			return err;
		share = &s->at[s->nr++];
		memset(share, 0, sizeof(*share));
	}
	sat_sum(&share->ticks, t->on_ticks[mode]);
	return 0;
}

/* NULL: no vCPU's time is spread over it. */
static struct share *share_of(const struct shares *s, const struct timeline *tl,
			      const struct bucket *b)
{
	if (!b->key.guest || b->key.event != tl->event || !b->samples)
		return NULL;
	return find(s, share_key(b->key.guest - 1, b->key.vcpu, b->key.mode));
}

/* What the buckets up to this one are due, less what those before it have. */
static __u64 take(struct share *s, __u64 samples)
{
	__u64 due;

	/* in a part of the time it may have none */
	if (!s->samples)
		return 0;
	sat_sum(&s->seen, samples);
	due = (__uint128_t)s->ticks * s->seen / s->samples - s->given;
	s->given += due;
	return due;
}

static void spread(struct timeline *tl, const struct shares *s)
{
	struct profile *p = &tl->a->profile;
	const struct share *of;
	struct track *t;
	struct share *share;
	unsigned int mode;
	size_t i;

	for (i = 0; i < p->nr; i++) {
		share = share_of(s, tl, &p->buckets[i]);
		if (share)
			sat_sum(&share->samples, p->buckets[i].samples);
	}
	for (i = 0; i < p->nr; i++) {
		share = share_of(s, tl, &p->buckets[i]);
		p->buckets[i].ticks = share ? take(share,
						   p->buckets[i].samples) :
					      0;
	}
	for (i = 0; i < tl->nr; i++) {
		t = tl->tracks[i];
		for (mode = 0; mode < NR_MODES; mode++) {
			of = find(s, share_key(t->guest, t->vcpu_id, mode));
			t->bare[mode] = of && !of->samples ? t->on_ticks[mode] :
							     0;
		}
	}
}

int guest_time_spread(struct timeline *tl)
{
	struct shares s = { 0 };
	unsigned int mode;
	size_t i;
	int err = 0;

	for (i = 0; i < tl->nr && !err; i++)
		for (mode = 0; mode < NR_MODES && !err; mode++)
			err = add_track(&s, tl->tracks[i], mode);
	if (!err)
		spread(tl, &s);
	hash_deinit(&s.by_key);
	free(s.at);
	return err;
}

int guest_time_leaves(struct chain_tree *tree, const struct profile *p)
{
	struct share *shares = calloc(p->nr + 1, sizeof(*shares));
	struct chain_leaf *l;
	size_t i;

	if (!shares)
		return -ENOMEM;
	for (i = 0; i < tree->nr_leaves; i++) {
		l = &tree->leaves[i];
		shares[l->bucket].ticks = p->buckets[l->bucket].ticks;
		sat_sum(&shares[l->bucket].samples, l->samples);
	}
	for (i = 0; i < tree->nr_leaves; i++) {
		l = &tree->leaves[i];
		l->ticks = take(&shares[l->bucket], l->samples);
	}
	free(shares);
	return 0;
}
