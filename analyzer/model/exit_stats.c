// SPDX-License-Identifier: GPL-2.0-only
/* Sums of EXIT items, and the functions that samples name for them. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/search.h"
#include "base/sort.h"
#include "model/exit_stats.h"
#include "sym/exits.h"

/* The row of one item. */
static struct exit_stat row_of(const struct vmmprof_exit *e, __u32 guest,
			       __u32 vcpu, __u32 reason)
{
	struct exit_stat r = {
		.guest = guest,
		.vcpu = vcpu,
		.reason = reason,
		.not_ended = e->open != 0,
		.open = e->open,
		.min = ~0ull,
	};
	unsigned int i;

	memcpy(r.count, e->count, sizeof(r.count));
	for (i = 0; i < VMMPROF_EXIT_COUNTS; i++)
		sat_sum(&r.nr, e->count[i]);
	if (r.nr) {
		r.total = e->total;
		r.min = e->min;
		r.max = e->max;
	}
	return r;
}

static void row_merge(struct exit_stat *r, const struct exit_stat *from)
{
	unsigned int i;

	for (i = 0; i < VMMPROF_EXIT_COUNTS; i++)
		sat_sum(&r->count[i], from->count[i]);
	sat_sum(&r->nr, from->nr);
	sat_sum(&r->total, from->total);
	sat_sum(&r->not_ended, from->not_ended);
	if (from->min < r->min)
		r->min = from->min;
	if (from->max > r->max)
		r->max = from->max;
	if (from->open > r->open)
		r->open = from->open;
}

static int cmp_place(const struct exit_stat *x, const struct exit_stat *y)
{
	if (x->guest != y->guest)
		return x->guest < y->guest ? -1 : 1;
	if (x->vcpu != y->vcpu)
		return x->vcpu < y->vcpu ? -1 : 1;
	/* the sum comes first */
	if (x->reason == EXIT_ALL)
		return y->reason == EXIT_ALL ? 0 : -1;
	return y->reason == EXIT_ALL;
}

static int cmp_reason(const void *a, const void *b)
{
	const struct exit_stat *x = a, *y = b;
	int place = cmp_place(x, y);

	if (place)
		return place;
	return x->reason < y->reason ? -1 : x->reason > y->reason;
}

/* Rows of the same place and reason become one. */
static void merge_rows(struct exit_stats *s)
{
	size_t i, to = 0;

	sort_array(s->rows, s->nr, sizeof(*s->rows), cmp_reason);
	for (i = 1; i < s->nr; i++) {
		if (cmp_reason(&s->rows[to], &s->rows[i]))
			s->rows[++to] = s->rows[i];
		else
			row_merge(&s->rows[to], &s->rows[i]);
	}
	s->nr = s->nr ? to + 1 : 0;
	for (i = 0; i < s->nr; i++)
		if (!s->rows[i].nr)
			s->rows[i].min = 0;
}

/* The names of reasons are 16 bits; what else a file says is none. */
static __u32 reason_of(const struct vmmprof_exit *e, bool svm)
{
	if (svm && e->reason == EXIT_NONE)
		return EXIT_SVM_ERR;
	return e->reason < EXIT_NONE ? exit_reason(svm, e->reason) :
				       VMMPROF_NONE;
}

int exit_stats_init(struct exit_stats *s, struct analysis *a, bool by_vcpu)
{
	const struct session *ses = &a->session;
	size_t i;
	int ret;

	memset(s, 0, sizeof(*s));
	s->by_vcpu = by_vcpu;
	s->rows = calloc(ses->nr_exits + 1, 2 * sizeof(*s->rows));
	if (!s->rows)
		return -ENOMEM;
	for (i = 0; i < ses->nr_exits; i++) {
		const struct vmmprof_exit *e = &ses->exits[i]->exit;
		__u32 guest, vcpu = by_vcpu ? e->vcpu_id : VMMPROF_NONE;

		ret = guests_get(&a->resolver.guests, e->pid, &guest);
		if (ret)
			return ret;
		s->rows[s->nr++] = row_of(e, guest, vcpu, EXIT_ALL);
		s->rows[s->nr++] = row_of(e, guest, vcpu,
					  reason_of(e, a->resolver.svm));
	}
	merge_rows(s);
	return 0;
}

void exit_stats_deinit(struct exit_stats *s)
{
	free(s->rows);
	profile_deinit(&s->profile);
	free(s->functions);
	memset(s, 0, sizeof(*s));
}

int exit_stats_record(struct exit_stats *s, struct analysis *a,
		      const union rec *rec)
{
	const __u32 own = VMMPROF_S_VCPU | VMMPROF_S_VMCS | VMMPROF_S_STATE |
			  VMMPROF_S_OWN;
	struct bucket_key key = { 0 };
	struct resolved w;
	int ret;

	if (rec->hdr.type != VMMPROF_REC_SAMPLE ||
	    (rec->hdr.flags & (own | VMMPROF_S_GUEST)) != own)
		return 0;
	ret = resolve_exit(&a->resolver, &rec->sample, &w);
	if (ret)
		return ret;
	key.guest = w.key.guest;
	key.vcpu = s->by_vcpu ? w.key.vcpu : VMMPROF_NONE;
	key.proc = VMMPROF_NONE;
	key.func = w.key.func;
	key.module = w.key.module;
	key.file = VMMPROF_NONE;
	key.exit = w.key.exit;
	key.event = w.key.event;
	key.mode = w.key.mode;
	key.cause = w.key.cause;
	return profile_add(&s->profile, &key, 1);
}

static int cmp_order(const void *a, const void *b, void *arg)
{
	const struct exit_stat *x = a, *y = b;
	enum exit_order order = *(enum exit_order *)arg;
	__u64 p = order == ORDER_TIME ? x->total :
		  order == ORDER_MAX  ? x->max :
					x->nr;
	__u64 q = order == ORDER_TIME ? y->total :
		  order == ORDER_MAX  ? y->max :
					y->nr;
	int place = cmp_place(x, y);

	if (place)
		return place;
	if (p != q)
		return p > q ? -1 : 1;
	return x->reason < y->reason ? -1 : x->reason > y->reason;
}

/* Functions of one guest, vCPU and reason together, most samples first. */
static int cmp_group(const struct bucket_key *x, const struct bucket_key *y)
{
	if (x->guest != y->guest)
		return x->guest < y->guest ? -1 : 1;
	if (x->vcpu != y->vcpu)
		return x->vcpu < y->vcpu ? -1 : 1;
	return x->exit < y->exit ? -1 : x->exit > y->exit;
}

static int cmp_function(const void *a, const void *b)
{
	const struct bucket *x = a, *y = b;
	int group = cmp_group(&x->key, &y->key);

	if (group)
		return group;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return memcmp(&x->key, &y->key, sizeof(x->key));
}

/* The functions of a row, by bisection. */
static void find_functions(const struct exit_stats *s, struct exit_stat *r)
{
	const struct bucket_key key = { .guest = r->guest + 1,
					.vcpu = r->vcpu,
					.exit = r->reason };
	size_t low = 0, high = s->nr_functions, mid;

	if (r->reason >= EXIT_NONE) /* not one reason */
		return;
	BISECT(low, high, mid, cmp_group(&s->functions[mid].key, &key) < 0);
	r->first = low;
	for (;
	     low < s->nr_functions && !cmp_group(&s->functions[low].key, &key);
	     low++) {
		r->functions++;
		sat_sum(&r->samples, s->functions[low].samples);
	}
}

int exit_stats_finish(struct exit_stats *s, enum exit_order order, __u32 event)
{
	size_t i;

	s->functions = calloc(s->profile.nr + 1, sizeof(*s->functions));
	if (!s->functions)
		return -ENOMEM;
	for (i = 0; i < s->profile.nr; i++)
		if (s->profile.buckets[i].key.event == event)
			s->functions[s->nr_functions++] = s->profile.buckets[i];
	sort_array(s->functions, s->nr_functions, sizeof(*s->functions),
		   cmp_function);
	sort_array_r(s->rows, s->nr, sizeof(*s->rows), cmp_order, &order);
	for (i = 0; i < s->nr; i++)
		find_functions(s, &s->rows[i]);
	return 0;
}

__u64 exit_stats_from(unsigned int i)
{
	return i ? 1ull << (i - 1) : 0;
}

__u64 exit_stats_quantile(const struct exit_stat *r, unsigned int part,
			  unsigned int whole)
{
	unsigned __int128 want = (unsigned __int128)r->nr * part, sum = 0;
	unsigned int i;
	__u64 end;

	if (!r->nr)
		return 0;
	for (i = 0; i < VMMPROF_EXIT_COUNTS - 1; i++) {
		sum += r->count[i];
		if (sum && sum * whole >= want)
			break;
	}
	if (i == VMMPROF_EXIT_COUNTS - 1)
		return r->max;
	end = exit_stats_from(i + 1) - 1;
	return end < r->max ? end : r->max;
}

__u64 exit_stats_mean(const struct exit_stat *r)
{
	return r->nr ? r->total / r->nr : 0;
}
