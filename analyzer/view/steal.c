// SPDX-License-Identifier: GPL-2.0-only
/* Rows of `vmmprof steal`: of a timeline, or of its sample-only method. */

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "view/foreign_names.h"
#include "view/owner_name.h"
#include "view/steal.h"
#include "base/saturate.h"
#include "base/vec.h"
#include "base/sort.h"

void steal_deinit(struct steal *s)
{
	free(s->rows);
	free(s->stolen);
	free(s->cpus);
	free(s->on);
	steal_checks_deinit(&s->checks);
	memset(s, 0, sizeof(*s));
}

/* A vCPU's gaps as ticks: of each virtual sample one period. */
static void sample_sum(const struct timeline *tl, __u32 track,
		       struct track_sum *sum)
{
	const struct vcpu_gaps *b = &tl->gaps.by_track[track];
	struct track t = { 0 };

	memcpy(t.on_cpu, tl->tracks[track]->on_cpu, sizeof(t.on_cpu));
	t.ticks[STATE_ON_CPU] = sat_mul(b->own, tl->period);
	t.ticks[STATE_PREEMPTED] = sat_mul(b->steal, tl->period);
	t.ticks[STATE_HALT] = sat_mul(b->halt, tl->period);
	t.ticks[STATE_UNKNOWN] = sat_mul(b->unknown, tl->period);
	track_by_samples(&t);
	track_sum(&t, sum);
}

static __u64 total(const struct track_sum *sum)
{
	const __u64 parts[] = { sum->guest, sum->vmm,	  sum->steal,
				sum->halt,  sum->blocked, sum->unknown };
	__u64 ret = 0;
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		sat_sum(&ret, parts[i]);
	return ret;
}

static int add_row(struct steal *s, __u32 guest, __u32 track)
{
	struct steal_row *r;
	int err;

	err = vec_grow(&s->rows, &s->cap_rows, s->nr_rows, sizeof(*r));
	if (err)
		return err;
	r = &s->rows[s->nr_rows++];
	memset(r, 0, sizeof(*r));
	r->guest = guest;
	r->track = track;
	if (track == VMMPROF_NONE)
		return 0;
	if (s->exact)
		track_sum(s->tl->tracks[track], &r->sum);
	else
		sample_sum(s->tl, track, &r->sum);
	r->total = total(&r->sum);
	return 0;
}

/* By guest and vCPU; a guest's own row before its vCPUs. */
static int cmp_row(const void *a, const void *b, void *arg)
{
	const struct steal_row *x = a, *y = b;
	const struct timeline *tl = arg;
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

static int make_rows(struct steal *s)
{
	const struct timeline *tl = s->tl;
	struct steal_row *of_guest = NULL;
	size_t i, nr = tl->nr;
	__u32 last = VMMPROF_NONE;
	int err = 0;

	for (i = 0; i < nr && !err; i++)
		if (!s->exact || tl->tracks[i]->end > tl->tracks[i]->begin)
			err = add_row(s, tl->tracks[i]->guest, i);
	nr = s->nr_rows;
	if (err || !nr)
		return err;
	sort_array_r(s->rows, nr, sizeof(*s->rows), cmp_row, (void *)tl);
	for (i = 0; i < nr && !err; i++) {
		if (s->rows[i].guest != last)
			err = add_row(s, s->rows[i].guest, VMMPROF_NONE);
		last = s->rows[i].guest;
	}
	if (err)
		return err;
	sort_array_r(s->rows, s->nr_rows, sizeof(*s->rows), cmp_row,
		     (void *)tl);
	for (i = 0; i < s->nr_rows; i++) {
		if (s->rows[i].track == VMMPROF_NONE) {
			of_guest = &s->rows[i];
			continue;
		}
		track_sum_add(&of_guest->sum, &s->rows[i].sum);
		sat_sum(&of_guest->total, s->rows[i].total);
	}
	return 0;
}

static int add_stolen(struct steal *s, const struct stolen_time *from,
		      struct hash *have)
{
	__u64 unit = s->exact ? 1 : s->tl->period;
	__u32 guest = s->tl->tracks[from->track]->guest, i;
	struct steal_stolen *t;
	__u64 key, longest;
	int err;

	key = (__u64)(s->by_thief ? from->track : guest) << 32 | from->thief;
	i = hash_get(have, key);
	if (i == VMMPROF_NONE) {
		i = s->nr_stolen;
		err = vec_grow(&s->stolen, &s->cap_stolen, i, sizeof(*t));
		if (!err)
			err = hash_set(have, key, i);
		if (err)
			return err;
		s->nr_stolen++;
		s->stolen[i] = (struct steal_stolen){
			.guest = guest,
			.thief = from->thief,
			.vcpu = s->by_thief ? from->track : VMMPROF_NONE,
		};
	}
	t = &s->stolen[i];
	sat_sum(&t->preempted, sat_mul(from->preempted, unit));
	sat_sum(&t->woken, sat_mul(from->woken, unit));
	longest = sat_mul(from->longest, unit);
	if (longest > t->longest)
		t->longest = longest;
	return 0;
}

struct stolen_order {
	const struct steal *s;
	__u64 *sums; /* by thief, with by_thief */
};

static int cmp_stolen(const void *a, const void *b, void *arg)
{
	const struct steal_stolen *x = a, *y = b;
	const struct stolen_order *o = arg;
	__u64 p = steal_took(x), q = steal_took(y);

	if (o->s->by_thief && x->thief != y->thief) {
		if (o->sums[x->thief] != o->sums[y->thief])
			return o->sums[x->thief] > o->sums[y->thief] ? -1 : 1;
		return x->thief < y->thief ? -1 : 1;
	}
	if (!o->s->by_thief && x->guest != y->guest)
		return x->guest < y->guest ? -1 : 1;
	if (p != q)
		return p > q ? -1 : 1;
	if (x->vcpu != y->vcpu)
		return x->vcpu < y->vcpu ? -1 : 1;
	return x->thief < y->thief ? -1 : x->thief > y->thief;
}

static int sum_stolen(struct steal *s)
{
	const struct thieves *cs = s->exact ? &s->tl->thieves :
					      &s->tl->gaps.stolen;
	struct stolen_order order = { .s = s };
	struct hash have = { 0 };
	size_t i;
	int err = 0;

	for (i = 0; i < cs->nr_stolen && !err; i++)
		err = add_stolen(s, &cs->stolen[i], &have);
	hash_deinit(&have);
	order.sums = calloc(s->tl->thieves.nr + 1, sizeof(*order.sums));
	if (!err && !order.sums)
		err = -ENOMEM;
	for (i = 0; i < s->nr_stolen && !err; i++)
		sat_sum(&order.sums[s->stolen[i].thief],
			steal_took(&s->stolen[i]));
	if (!err && s->nr_stolen)
		sort_array_r(s->stolen, s->nr_stolen, sizeof(*s->stolen),
			     cmp_stolen, &order);
	free(order.sums);
	return err;
}

static int cmp_cpu(const void *a, const void *b)
{
	const struct pcpu *const *x = a, *const *y = b;

	return (*x)->cpu < (*y)->cpu ? -1 : (*x)->cpu > (*y)->cpu;
}

static int cmp_on(const void *a, const void *b)
{
	const struct steal_on *x = a, *y = b;

	if (x->cpu->cpu != y->cpu->cpu)
		return x->cpu->cpu < y->cpu->cpu ? -1 : 1;
	if (x->guest != y->guest)
		return x->guest < y->guest ? -1 : 1;
	return x->track < y->track ? -1 : x->track > y->track;
}

static int sort_residency(struct steal *s)
{
	size_t i, nr = s->tl->nr_residency;

	s->on = calloc(nr + 1, sizeof(*s->on));
	if (!s->on)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		const struct cpu_residency *p = &s->tl->residency[i];

		s->on[i] = (struct steal_on){
			.cpu = &s->tl->pcpus[p->pcpu],
			.guest = s->tl->tracks[p->track]->guest,
			.track = p->track,
			.ticks = p->ticks,
		};
	}
	sort_array(s->on, nr, sizeof(*s->on), cmp_on);
	return 0;
}

static int sort_cpus(struct steal *s)
{
	size_t i, nr = s->tl->nr_pcpus;

	s->cpus = calloc(nr + 1, sizeof(*s->cpus));
	if (!s->cpus)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		s->cpus[i] = &s->tl->pcpus[i];
	sort_array(s->cpus, nr, sizeof(*s->cpus), cmp_cpu);
	return 0;
}

size_t steal_first(const struct steal *s, __u32 guest)
{
	size_t lo = 0, hi = s->nr_stolen, mid;

	BISECT(lo, hi, mid, s->stolen[mid].guest < guest);
	return lo;
}

int steal_init(struct steal *s, const struct timeline *tl, bool exact,
	       bool by_thief)
{
	int err;

	memset(s, 0, sizeof(*s));
	s->tl = tl;
	s->exact = exact;
	s->by_thief = by_thief;
	err = make_rows(s);
	if (!err)
		err = sum_stolen(s);
	if (!err)
		err = sort_cpus(s);
	if (!err)
		err = sort_residency(s);
	return err ? err : steal_checks_init(&s->checks, tl, exact);
}

void steal_columns(const struct steal_row *row, __u64 columns[STEAL_COLUMNS])
{
	columns[0] = row->sum.guest;
	columns[1] = row->sum.vmm;
	columns[2] = row->sum.steal;
	columns[3] = row->sum.halt;
	columns[4] = row->sum.blocked;
	columns[5] = row->sum.unknown;
}

void steal_percent(const __u64 columns[STEAL_COLUMNS],
		   __u64 part[STEAL_COLUMNS])
{
	__uint128_t rest[STEAL_COLUMNS], total = 0;
	unsigned int i, most;
	__u64 left;

	for (i = 0; i < STEAL_COLUMNS; i++)
		total += columns[i];
	left = total ? 10000 : 0;
	for (i = 0; i < STEAL_COLUMNS; i++) {
		__uint128_t x = (__uint128_t)columns[i] * 10000;

		part[i] = total ? x / total : 0;
		rest[i] = total ? x % total : 0;
		left -= part[i];
	}
	for (; left; left--) {
		for (i = 1, most = 0; i < STEAL_COLUMNS; i++)
			if (rest[i] > rest[most])
				most = i;
		part[most]++;
		rest[most] = 0;
	}
}

__u64 steal_part_percent(const __u64 columns[STEAL_COLUMNS],
			 enum steal_column column, __u64 ticks)
{
	__u64 part[STEAL_COLUMNS];
	__uint128_t total = 0;
	unsigned int i;

	if (ticks == columns[column]) {
		steal_percent(columns, part);
		return part[column];
	}
	for (i = 0; i < STEAL_COLUMNS; i++)
		total += columns[i];
	return total ? ((__uint128_t)ticks * 10000 + total / 2) / total : 0;
}

const char *steal_heading(unsigned int column)
{
	static const char *const text[STEAL_COLUMNS] = { "guest",   "vmm",
							 "steal",   "halt",
							 "blocked", "unknown" };

	return column < STEAL_COLUMNS ? text[column] : "?";
}

void steal_guest(const struct steal *s, __u32 guest, char *buf, size_t size)
{
	foreign_guest(buf, size, s->tl->a->resolver.guests.guests[guest].name);
}

void steal_vcpu(const struct steal *s, __u32 track, char *buf, size_t size)
{
	const struct track *t = s->tl->tracks[track];

	if (t->vcpu_id == VMMPROF_NONE)
		snprintf(buf, size, "thread %u", t->tid);
	else
		snprintf(buf, size, "vCPU %u", t->vcpu_id);
}

/* The last words of a program: whose it is, if that is not itself. */
static void whose(const struct steal *s, const struct thief *c, __u32 victim,
		  char *buf, size_t size)
{
	const struct owner *o = &s->tl->thieves.owners.owners[c->owner];
	char name[256];

	*buf = 0;
	if (o->kind == OF_VM && o->id == victim) {
		snprintf(buf, size, " of the same VM");
	} else if (o->kind == OF_VM && o->id != VMMPROF_NONE) {
		owner_name(s->tl, c->owner, name, sizeof(name));
		snprintf(buf, size, " of %s (VM%u)", name, o->id + 1);
	} else if (o->kind == OF_UNIT || o->kind == OF_CONTAINER) {
		owner_name(s->tl, c->owner, name, sizeof(name));
		snprintf(buf, size, " of %s", name);
	}
}

static void thief_by_name(const struct steal *s, const struct thief *c,
			  const char *what, __u32 victim, char *buf,
			  size_t size)
{
	const struct owner *o = &s->tl->thieves.owners.owners[c->owner];
	char name[80], pid[32] = "", of[300];

	foreign(name, sizeof(name), strings_get(&s->tl->thieves.names, c->id),
		NULL);
	whose(s, c, victim, of, sizeof(of));
	if (c->kind == BY_PROCESS && o->kind == OF_VM &&
	    o->id != VMMPROF_NONE &&
	    c->pid == s->tl->a->resolver.guests.guests[o->id].pid)
		what = "thread ";
	else if (!c->pid)
		; /* a hardirq or softirq */
	else if (c->several)
		snprintf(pid, sizeof(pid), " (several)");
	else
		snprintf(pid, sizeof(pid), " (pid %u)", c->pid);
	snprintf(buf, size, "%s%s%s%s", what, name, pid, of);
}

void steal_thief(const struct steal *s, __u32 thief, __u32 victim, char *buf,
		 size_t size)
{
	const struct thief *c = &s->tl->thieves.thieves[thief];
	char vcpu[32], of[300];

	switch (c->kind) {
	case BY_VCPU:
		steal_vcpu(s, c->id, vcpu, sizeof(vcpu));
		whose(s, c, victim, of, sizeof(of));
		snprintf(buf, size, "%s%s", vcpu, of);
		return;
	case BY_PROCESS:
		thief_by_name(s, c, "process ", victim, buf, size);
		return;
	case BY_KTHREAD:
		thief_by_name(s, c, "kernel thread ", victim, buf, size);
		return;
	case BY_IRQ:
		thief_by_name(s, c, "interrupts: ", victim, buf, size);
		return;
	case BY_WAKEUP:
		snprintf(buf, size, "nobody: the CPU was idle and woke up");
		return;
	case BY_QUOTA:
		snprintf(buf, size, "nobody: the quota of its cgroup");
		return;
	case BY_NOBODY:
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

double steal_seconds(const struct steal *s, __u64 ticks)
{
	return timeline_seconds(s->tl, ticks);
}
