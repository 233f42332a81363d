// SPDX-License-Identifier: GPL-2.0-only
/* Rows of `vmmprof steal`: of a timeline, or of its sample-only method. */

#include <stdlib.h>
#include <string.h>

#include "view/foreign_names.h"
#include "view/steal.h"
#include "base/saturate.h"
#include "base/vec.h"

void vmmprof_steal_deinit(struct vmmprof_steal *s)
{
	free(s->rows);
	free(s->thefts);
	free(s->cpus);
	free(s->on);
	vmmprof_crosschecks_deinit(&s->checks);
	memset(s, 0, sizeof(*s));
}

/* A vCPU's blanks as ticks: of each virtual sample one period. */
static void sample_sum(const struct vmmprof_timeline *tl, __u32 track,
		       struct vmmprof_track_sum *sum)
{
	const struct vmmprof_blank *b = &tl->blanks.blanks[track];
	struct vmmprof_track t = { 0 };

	memcpy(t.on_cpu, tl->tracks[track]->on_cpu, sizeof(t.on_cpu));
	t.ticks[VMMPROF_ST_ON_CPU] = vmmprof_sat_mul(b->own, tl->period);
	t.ticks[VMMPROF_ST_PREEMPTED] = vmmprof_sat_mul(b->steal, tl->period);
	t.ticks[VMMPROF_ST_HALT] = vmmprof_sat_mul(b->halt, tl->period);
	t.ticks[VMMPROF_ST_UNKNOWN] = vmmprof_sat_mul(b->unknown, tl->period);
	vmmprof_track_sum(&t, sum);
}

static __u64 total(const struct vmmprof_track_sum *sum)
{
	const __u64 parts[] = { sum->guest, sum->vmm,	  sum->steal,
				sum->halt,  sum->blocked, sum->unknown };
	__u64 ret = 0;
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		vmmprof_sum(&ret, parts[i]);
	return ret;
}

static int add_row(struct vmmprof_steal *s, __u32 guest, __u32 track)
{
	struct vmmprof_steal_row *r;
	int err;

	err = vmmprof_vec_grow(&s->rows, &s->cap_rows, s->nr_rows, sizeof(*r));
	if (err)
		return err;
	r = &s->rows[s->nr_rows++];
	memset(r, 0, sizeof(*r));
	r->guest = guest;
	r->track = track;
	if (track == VMMPROF_NONE)
		return 0;
	if (s->exact)
		vmmprof_track_sum(s->tl->tracks[track], &r->sum);
	else
		sample_sum(s->tl, track, &r->sum);
	r->total = total(&r->sum);
	return 0;
}

/* By guest and vCPU; a guest's own row before its vCPUs. */
static int cmp_row(const void *a, const void *b, void *arg)
{
	const struct vmmprof_steal_row *x = a, *y = b;
	const struct vmmprof_timeline *tl = arg;
	__u32 i, j;

	if (x->guest != y->guest)
		return x->guest < y->guest ? -1 : 1;
	if (x->track == y->track)
		return 0;
	if (x->track == VMMPROF_NONE || y->track == VMMPROF_NONE)
		return x->track == VMMPROF_NONE ? -1 : 1;
	i = tl->tracks[x->track]->vcpu_id;
	j = tl->tracks[y->track]->vcpu_id;
	if (i != j)
		return i < j ? -1 : 1;
	return x->track < y->track ? -1 : 1;
}

static int make_rows(struct vmmprof_steal *s)
{
	const struct vmmprof_timeline *tl = s->tl;
	struct vmmprof_steal_row *of_guest = NULL;
	size_t i, nr = tl->nr;
	__u32 last = VMMPROF_NONE;
	int err = 0;

	for (i = 0; i < nr && !err; i++)
		if (!s->exact || tl->tracks[i]->end > tl->tracks[i]->begin)
			err = add_row(s, tl->tracks[i]->guest, i);
	nr = s->nr_rows;
	if (err || !nr)
		return err;
	qsort_r(s->rows, nr, sizeof(*s->rows), cmp_row, (void *)tl);
	for (i = 0; i < nr && !err; i++) {
		if (s->rows[i].guest != last)
			err = add_row(s, s->rows[i].guest, VMMPROF_NONE);
		last = s->rows[i].guest;
	}
	if (err)
		return err;
	qsort_r(s->rows, s->nr_rows, sizeof(*s->rows), cmp_row, (void *)tl);
	for (i = 0; i < s->nr_rows; i++) {
		if (s->rows[i].track == VMMPROF_NONE) {
			of_guest = &s->rows[i];
			continue;
		}
		vmmprof_track_sum_add(&of_guest->sum, &s->rows[i].sum);
		vmmprof_sum(&of_guest->total, s->rows[i].total);
	}
	return 0;
}

static int add_theft(struct vmmprof_steal *s, const struct vmmprof_theft *from,
		     struct vmmprof_hash *have)
{
	__u64 unit = s->exact ? 1 : s->tl->period;
	__u32 guest = s->tl->tracks[from->track]->guest, i;
	struct vmmprof_steal_theft *t;
	__u64 key, longest;
	int err;

	key = (__u64)(s->by_culprit ? from->track : guest) << 32 |
	      from->culprit;
	i = vmmprof_hash_get(have, key);
	if (i == VMMPROF_NONE) {
		i = s->nr_thefts;
		err = vmmprof_vec_grow(&s->thefts, &s->cap_thefts, i,
				       sizeof(*t));
		if (!err)
			err = vmmprof_hash_set(have, key, i);
		if (err)
			return err;
		s->nr_thefts++;
		s->thefts[i] = (struct vmmprof_steal_theft){
			.guest = guest,
			.culprit = from->culprit,
			.vcpu = s->by_culprit ? from->track : VMMPROF_NONE,
		};
	}
	t = &s->thefts[i];
	vmmprof_sum(&t->preempted, vmmprof_sat_mul(from->preempted, unit));
	vmmprof_sum(&t->woken, vmmprof_sat_mul(from->woken, unit));
	longest = vmmprof_sat_mul(from->longest, unit);
	if (longest > t->longest)
		t->longest = longest;
	return 0;
}

struct theft_order {
	const struct vmmprof_steal *s;
	__u64 *sums; /* by culprit, with by_culprit */
};

static int cmp_theft(const void *a, const void *b, void *arg)
{
	const struct vmmprof_steal_theft *x = a, *y = b;
	const struct theft_order *o = arg;
	__u64 p = vmmprof_steal_took(x), q = vmmprof_steal_took(y);

	if (o->s->by_culprit && x->culprit != y->culprit) {
		if (o->sums[x->culprit] != o->sums[y->culprit])
			return o->sums[x->culprit] > o->sums[y->culprit] ? -1 :
									   1;
		return x->culprit < y->culprit ? -1 : 1;
	}
	if (!o->s->by_culprit && x->guest != y->guest)
		return x->guest < y->guest ? -1 : 1;
	if (p != q)
		return p > q ? -1 : 1;
	if (x->vcpu != y->vcpu)
		return x->vcpu < y->vcpu ? -1 : 1;
	return x->culprit < y->culprit ? -1 : x->culprit > y->culprit;
}

static int make_thefts(struct vmmprof_steal *s)
{
	const struct vmmprof_culprits *cs = s->exact ? &s->tl->culprits :
						       &s->tl->blanks.thefts;
	struct theft_order order = { .s = s };
	struct vmmprof_hash have = { 0 };
	size_t i;
	int err = 0;

	for (i = 0; i < cs->nr_thefts && !err; i++)
		err = add_theft(s, &cs->thefts[i], &have);
	vmmprof_hash_deinit(&have);
	order.sums = calloc(s->tl->culprits.nr + 1, sizeof(*order.sums));
	if (!err && !order.sums)
		err = -ENOMEM;
	for (i = 0; i < s->nr_thefts && !err; i++)
		vmmprof_sum(&order.sums[s->thefts[i].culprit],
			    vmmprof_steal_took(&s->thefts[i]));
	if (!err && s->nr_thefts)
		qsort_r(s->thefts, s->nr_thefts, sizeof(*s->thefts), cmp_theft,
			&order);
	free(order.sums);
	return err;
}

static int cmp_cpu(const void *a, const void *b)
{
	const struct vmmprof_pcpu *const *x = a, *const *y = b;

	return (*x)->cpu < (*y)->cpu ? -1 : (*x)->cpu > (*y)->cpu;
}

static int cmp_on(const void *a, const void *b)
{
	const struct vmmprof_steal_on *x = a, *y = b;

	if (x->cpu->cpu != y->cpu->cpu)
		return x->cpu->cpu < y->cpu->cpu ? -1 : 1;
	if (x->guest != y->guest)
		return x->guest < y->guest ? -1 : 1;
	return x->track < y->track ? -1 : x->track > y->track;
}

static int sort_presence(struct vmmprof_steal *s)
{
	size_t i, nr = s->tl->nr_presence;

	s->on = calloc(nr + 1, sizeof(*s->on));
	if (!s->on)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		const struct vmmprof_presence *p = &s->tl->presence[i];

		s->on[i] = (struct vmmprof_steal_on){
			.cpu = &s->tl->pcpus[p->pcpu],
			.guest = s->tl->tracks[p->track]->guest,
			.track = p->track,
			.ticks = p->ticks,
		};
	}
	qsort(s->on, nr, sizeof(*s->on), cmp_on);
	return 0;
}

static int sort_cpus(struct vmmprof_steal *s)
{
	size_t i, nr = s->tl->nr_pcpus;

	s->cpus = calloc(nr + 1, sizeof(*s->cpus));
	if (!s->cpus)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		s->cpus[i] = &s->tl->pcpus[i];
	qsort(s->cpus, nr, sizeof(*s->cpus), cmp_cpu);
	return 0;
}

size_t vmmprof_steal_first(const struct vmmprof_steal *s, __u32 guest)
{
	size_t lo = 0, hi = s->nr_thefts, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (s->thefts[mid].guest < guest)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int vmmprof_steal_init(struct vmmprof_steal *s,
		       const struct vmmprof_timeline *tl, bool exact,
		       bool by_culprit)
{
	int err;

	memset(s, 0, sizeof(*s));
	s->tl = tl;
	s->exact = exact;
	s->by_culprit = by_culprit;
	err = make_rows(s);
	if (!err)
		err = make_thefts(s);
	if (!err)
		err = sort_cpus(s);
	if (!err)
		err = sort_presence(s);
	return err ? err : vmmprof_crosschecks_init(&s->checks, tl, exact);
}

void vmmprof_steal_columns(const struct vmmprof_steal_row *row,
			   __u64 columns[VMMPROF_STEAL_COLUMNS])
{
	columns[0] = row->sum.guest;
	columns[1] = row->sum.vmm;
	columns[2] = row->sum.steal;
	columns[3] = row->sum.halt;
	columns[4] = row->sum.blocked;
	columns[5] = row->sum.unknown;
}

void vmmprof_steal_percent(const __u64 columns[VMMPROF_STEAL_COLUMNS],
			   __u64 part[VMMPROF_STEAL_COLUMNS])
{
	__uint128_t rest[VMMPROF_STEAL_COLUMNS], total = 0;
	unsigned int i, most;
	__u64 left;

	for (i = 0; i < VMMPROF_STEAL_COLUMNS; i++)
		total += columns[i];
	left = total ? 10000 : 0;
	for (i = 0; i < VMMPROF_STEAL_COLUMNS; i++) {
		__uint128_t x = (__uint128_t)columns[i] * 10000;

		part[i] = total ? x / total : 0;
		rest[i] = total ? x % total : 0;
		left -= part[i];
	}
	for (; left; left--) {
		for (i = 1, most = 0; i < VMMPROF_STEAL_COLUMNS; i++)
			if (rest[i] > rest[most])
				most = i;
		part[most]++;
		rest[most] = 0;
	}
}

const char *vmmprof_steal_heading(unsigned int column)
{
	static const char *const text[VMMPROF_STEAL_COLUMNS] = {
		"guest", "vmm", "steal", "halt", "blocked", "unknown"
	};

	return column < VMMPROF_STEAL_COLUMNS ? text[column] : "?";
}

void vmmprof_steal_guest(const struct vmmprof_steal *s, __u32 guest, char *buf,
			 size_t size)
{
	vmmprof_foreign_guest(buf, size,
			      s->tl->a->resolver.guests.guests[guest].name);
}

void vmmprof_steal_vcpu(const struct vmmprof_steal *s, __u32 track, char *buf,
			size_t size)
{
	const struct vmmprof_track *t = s->tl->tracks[track];

	if (t->vcpu_id == VMMPROF_NONE)
		snprintf(buf, size, "thread %u", t->tid);
	else
		snprintf(buf, size, "vCPU %u", t->vcpu_id);
}

static void named_culprit(const struct vmmprof_steal *s,
			  const struct vmmprof_culprit *c, const char *what,
			  char *buf, size_t size)
{
	char name[80];

	vmmprof_foreign(name, sizeof(name),
			vmmprof_strings_get(&s->tl->culprits.names, c->id),
			NULL);
	if (c->several)
		snprintf(buf, size, "%s%s (several)", what, name);
	else
		snprintf(buf, size, "%s%s (pid %u)", what, name, c->pid);
}

void vmmprof_steal_culprit(const struct vmmprof_steal *s, __u32 culprit,
			   __u32 victim, char *buf, size_t size)
{
	const struct vmmprof_culprit *c = &s->tl->culprits.culprits[culprit];
	char vcpu[32], name[256];
	__u32 guest;

	switch (c->kind) {
	case VMMPROF_BY_VCPU:
		guest = s->tl->tracks[c->id]->guest;
		vmmprof_steal_vcpu(s, c->id, vcpu, sizeof(vcpu));
		vmmprof_steal_guest(s, guest, name, sizeof(name));
		if (guest == victim)
			snprintf(buf, size, "%s of the same VM", vcpu);
		else
			snprintf(buf, size, "%s of %s (VM%u)", vcpu, name,
				 guest + 1);
		return;
	case VMMPROF_BY_PROCESS:
		named_culprit(s, c, "process ", buf, size);
		return;
	case VMMPROF_BY_KTHREAD:
		named_culprit(s, c, "kernel thread ", buf, size);
		return;
	case VMMPROF_BY_IRQ:
		named_culprit(s, c, "interrupts: ", buf, size);
		return;
	case VMMPROF_BY_WAKEUP:
		snprintf(buf, size, "nobody: the CPU was idle and woke up");
		return;
	case VMMPROF_BY_QUOTA:
		snprintf(buf, size, "nobody: the quota of its cgroup");
		return;
	case VMMPROF_BY_NOBODY:
		snprintf(buf, size,
			 s->exact ?
				 "nobody: idle CPU (affinity, or not known)" :
				 "nobody was sampled on its CPU");
		return;
	default:
		snprintf(buf, size,
			 "not known: nothing tells who was on that CPU");
	}
}

double vmmprof_steal_seconds(const struct vmmprof_steal *s, __u64 ticks)
{
	return vmmprof_timeline_seconds(s->tl, ticks);
}
