// SPDX-License-Identifier: GPL-2.0-only
/* Groups the buckets of one function by where it is, and by address. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/sort.h"
#include "base/vec.h"
#include "code/hotspots.h"

/* A bucket with its function's extent, to be sorted by place. */
struct hot_bucket {
	const struct bucket *bucket;
	__u64 start, end;
	__u32 owner; /* of code that has no file: its process */
	__u32 place; /* its number, later its rank */
};

/* Buckets of which each is of another place. */
struct places {
	struct hash by_words;
	__u32 *first;
	size_t nr, cap;
};

/* Is it kernel code?  In kernel mode only the kernel's code has no file. */
static void kernel_extent(const struct machine *m, const char *name,
			  struct hot_bucket *c)
{
	const struct ksym *s;

	s = kallsyms_find(&m->kallsyms, c->bucket->key.addr);
	/* Code that comes and goes is named by the time of the sample. */
	if (!s || strlen(name) != s->name_len ||
	    memcmp(name, s->name, s->name_len))
		return;
	c->start = s->addr;
	c->end = s->end;
}

static void find_extent(struct analysis *a, struct hot_bucket *c)
{
	const struct bucket_key *key = &c->bucket->key;
	const struct bundle_file *bf;
	struct machine *m = a->resolver.machines[key->guest];

	c->start = 0;
	c->end = 0;
	c->owner = VMMPROF_NONE;
	if (key->file != VMMPROF_NONE) {
		bf = bundle_find_file(&m->bundle, key->file);
		if (bf &&
		    !symbols_extent(machine_symbols(m, bf - m->bundle.files,
						    key->addr),
				    key->addr, &c->start, &c->end)) {
			c->start = 0;
			c->end = 0;
		}
	} else if (key->mode == MODE_KERNEL) {
		kernel_extent(m, strings_get(&a->resolver.strings, key->func),
			      c);
	} else {
		c->owner = key->proc;
	}
}

static int cmp_u64(__u64 a, __u64 b)
{
	return a < b ? -1 : a > b;
}

static int cmp_place(const struct hot_bucket *x, const struct hot_bucket *y)
{
	const struct bucket_key *a = &x->bucket->key, *b = &y->bucket->key;

	return cmp_u64(a->guest, b->guest)	     ?:
		       cmp_u64(a->mode, b->mode)     ?:
		       cmp_u64(a->module, b->module) ?:
		       cmp_u64(a->file, b->file)     ?:
		       cmp_u64(a->func, b->func)     ?:
		       cmp_u64(x->start, y->start)   ?:
		       cmp_u64(x->owner, y->owner);
}

static int cmp_first(const void *a, const void *b, void *arg)
{
	const struct hot_bucket *buckets = arg;

	return cmp_place(&buckets[*(const __u32 *)a],
			 &buckets[*(const __u32 *)b]);
}

/* Give a bucket the number of its place.  0 or -ENOMEM. */
static int number(struct places *p, struct hot_bucket *buckets, __u32 i)
{
	struct hot_bucket *c = &buckets[i];
	const struct bucket_key *key = &c->bucket->key;
	const __u64 w[] = {
		(__u64)key->guest << 32 | key->mode,
		(__u64)key->module << 32 | key->file,
		(__u64)key->func << 32 | c->owner,
		c->start,
	};
	__u64 hash = hash_words(w, 4);
	int err;

	/* another place may have the same hash: then the next number is its */
	for (;; hash++) {
		c->place = hash_get(&p->by_words, hash);
		if (c->place == VMMPROF_NONE)
			break;
		if (!cmp_place(c, &buckets[p->first[c->place]]))
			return 0;
	}
	err = vec_grow(&p->first, &p->cap, p->nr, sizeof(*p->first));
	if (!err)
		err = hash_set(&p->by_words, hash, p->nr);
	if (err)
		return err;
	c->place = p->nr;
	p->first[p->nr++] = i;
	return 0;
}

/* .place: the rank of each bucket's place among all.  As above. */
static int rank_places(struct hot_bucket *buckets, size_t nr)
{
	struct places p = { 0 };
	__u32 *ranks = NULL;
	size_t i;
	int err = 0;

	for (i = 0; i < nr && !err; i++)
		err = number(&p, buckets, i);
	if (!err)
		ranks = malloc((p.nr + 1) * sizeof(*ranks));
	if (ranks) {
		sort_array_r(p.first, p.nr, sizeof(*p.first), cmp_first,
			     buckets);
		for (i = 0; i < p.nr; i++)
			ranks[buckets[p.first[i]].place] = i;
		for (i = 0; i < nr; i++)
			buckets[i].place = ranks[buckets[i].place];
	} else if (!err) {
		err = -ENOMEM;
	}
	free(ranks);
	free(p.first);
	hash_deinit(&p.by_words);
	return err;
}

/*
 * The buckets' indices, by place, then by address; NULL without memory.  Sorted by
 * address first; then by one number of the place's rank and of where that came.
 */
static struct keyed *in_order(struct hot_bucket *buckets, size_t nr)
{
	struct keyed *order = malloc((nr + 1) * sizeof(*order));
	size_t i;

	if (!order || rank_places(buckets, nr)) {
		free(order);
		return NULL;
	}
	for (i = 0; i < nr; i++)
		order[i] = (struct keyed){ buckets[i].bucket->key.addr, i };
	sort_keyed(order, nr);
	for (i = 0; i < nr; i++)
		order[i].key = (__u64)buckets[order[i].value].place << 32 | i;
	sort_keyed(order, nr);
	return order;
}

/* Most samples first, then as they were sorted: guest, file, address. */
static int cmp_samples(const void *a, const void *b)
{
	const struct hot_place *x = a, *y = b;

	return cmp_u64(y->samples, x->samples) ?: cmp_u64(x->first, y->first);
}

/* From buckets in this order; there is room for all. */
static void group(struct hot_places *h, const struct hot_bucket *buckets,
		  const struct keyed *order, size_t nr)
{
	const struct hot_bucket *c, *last = NULL;
	struct hot_place *p = NULL;
	struct hotspot *s;
	size_t i;

	for (i = 0; i < nr; i++, last = c) {
		c = &buckets[order[i].value];
		if (!last || cmp_place(last, c)) {
			p = &h->places[h->nr++];
			p->key = c->bucket->key;
			p->start = c->start;
			p->end = c->end;
			p->first = h->nr_spots;
		}
		if (!p->nr ||
		    h->spots[h->nr_spots - 1].addr != c->bucket->key.addr) {
			s = &h->spots[h->nr_spots++];
			s->addr = c->bucket->key.addr;
			p->nr++;
		}
		h->spots[h->nr_spots - 1].samples += c->bucket->samples;
		p->samples += c->bucket->samples;
		h->samples += c->bucket->samples;
	}
}

/* In a part of the recording, buckets may be empty. */
static bool counts(const struct bucket *c, hot_fn *fn, void *arg)
{
	return c->samples && c->key.func != VMMPROF_NONE && fn(arg, &c->key);
}

static int make(struct hot_places *h, struct analysis *a,
		const struct bucket *from, size_t nr_from, hot_fn *fn,
		void *arg)
{
	struct hot_bucket *buckets;
	struct keyed *order;
	size_t i, nr = 0;

	memset(h, 0, sizeof(*h));
	for (i = 0; i < nr_from; i++)
		nr += counts(&from[i], fn, arg);
	buckets = calloc(nr + 1, sizeof(*buckets));
	h->places = calloc(nr + 1, sizeof(*h->places));
	h->spots = calloc(nr + 1, sizeof(*h->spots));
	if (!buckets || !h->places || !h->spots) {
		free(buckets);
		return -ENOMEM;
	}
	for (i = 0, nr = 0; i < nr_from; i++) {
		if (!counts(&from[i], fn, arg))
			continue;
		buckets[nr].bucket = &from[i];
		find_extent(a, &buckets[nr++]);
	}
	order = in_order(buckets, nr);
	if (!order) {
		free(buckets);
		return -ENOMEM;
	}
	group(h, buckets, order, nr);
	free(order);
	free(buckets);
	sort_array(h->places, h->nr, sizeof(*h->places), cmp_samples);
	return 0;
}

int hot_places_init(struct hot_places *h, struct analysis *a, hot_fn *fn,
		    void *arg)
{
	return make(h, a, a->profile.buckets, a->profile.nr, fn, arg);
}

int hot_places_counted(struct hot_places *h, struct analysis *a, hot_fn *fn,
		       void *arg)
{
	return make(h, a, a->code.buckets, a->code.nr, fn, arg);
}

static bool any(void *arg, const struct bucket_key *key)
{
	(void)arg;
	(void)key;
	return true;
}

int hot_places_of(struct hot_places *h, struct analysis *a,
		  const struct bucket *buckets, size_t nr)
{
	return make(h, a, buckets, nr, any, NULL);
}

void hot_places_deinit(struct hot_places *h)
{
	free(h->places);
	free(h->spots);
	memset(h, 0, sizeof(*h));
}
