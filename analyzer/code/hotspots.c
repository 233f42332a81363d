// SPDX-License-Identifier: GPL-2.0-only
/* Groups the buckets of one function by where it is, and by address. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code/hotspots.h"
#include "base/sort.h"

/* A bucket with its function's extent, to be sorted by place. */
struct hot_bucket {
	const struct bucket *bucket;
	__u64 start, end;
	__u32 owner; /* of code that has no file: its process */
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

static int cmp_bucket(const void *a, const void *b)
{
	const struct hot_bucket *x = a, *y = b;

	return cmp_place(x, y) ?:
		       cmp_u64(x->bucket->key.addr, y->bucket->key.addr);
}

/* Most samples first, then as they were sorted: guest, file, address. */
static int cmp_samples(const void *a, const void *b)
{
	const struct hot_place *x = a, *y = b;

	return cmp_u64(y->samples, x->samples) ?: cmp_u64(x->first, y->first);
}

/* From sorted buckets; there is room for all. */
static void group(struct hot_places *h, const struct hot_bucket *c, size_t nr)
{
	struct hot_place *p = NULL;
	struct hotspot *s;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!i || cmp_place(&c[i - 1], &c[i])) {
			p = &h->places[h->nr++];
			p->key = c[i].bucket->key;
			p->start = c[i].start;
			p->end = c[i].end;
			p->first = h->nr_spots;
		}
		if (!p->nr ||
		    h->spots[h->nr_spots - 1].addr != c[i].bucket->key.addr) {
			s = &h->spots[h->nr_spots++];
			s->addr = c[i].bucket->key.addr;
			p->nr++;
		}
		h->spots[h->nr_spots - 1].samples += c[i].bucket->samples;
		p->samples += c[i].bucket->samples;
		h->samples += c[i].bucket->samples;
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
	sort_array(buckets, nr, sizeof(*buckets), cmp_bucket);
	group(h, buckets, nr);
	free(buckets);
	sort_array(h->places, h->nr, sizeof(*h->places), cmp_samples);
	return 0;
}

int hot_places_init(struct hot_places *h, struct analysis *a, hot_fn *fn,
		    void *arg)
{
	return make(h, a, a->profile.buckets, a->profile.nr, fn, arg);
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
