// SPDX-License-Identifier: GPL-2.0-only
/* Compares the timeline with other measurements. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/steal_check.h"
#include "base/saturate.h"

static __u64 ns(const struct timeline *tl, __u64 ticks)
{
	return sat_scale(ticks, 1000000, tl->khz);
}

/* Rounded up. */
static __u64 root(__u64 n)
{
	__u64 r = 0, bit = 1ull << 31;

	for (; bit; bit >>= 1)
		if ((r + bit) * (r + bit) <= n)
			r += bit;
	return r + (r * r < n);
}

static struct steal_check none(enum nocheck why)
{
	return (struct steal_check){ .why = why };
}

struct steal_check steal_check_compare(__u64 ours, __u64 theirs,
				       __u64 tolerance, __u64 outside,
				       __u64 inside)
{
	__u64 d = ours > theirs ? ours - theirs : theirs - ours;
	__u64 may = sat_add(tolerance, ours > theirs ? inside : outside);

	return (struct steal_check){
		.known = true,
		.agrees = d <= may,
		.ours = ours,
		.theirs = theirs,
		.tolerance = tolerance,
		.outside = outside,
		.inside = inside,
	};
}

/* The tolerance that every comparison of a vCPU has. */
static __u64 slack(const struct timeline *tl, const struct track *t)
{
	return sat_add(ns(tl, t->end - t->begin) / CHECK_PART,
		       ns(tl, t->ticks[STATE_UNKNOWN]));
}

/* The part of a..b that is not in c..d. */
static __u64 beyond(__u64 a, __u64 b, __u64 c, __u64 d)
{
	__u64 n = 0;

	if (a < c)
		n += (b < c ? b : c) - a;
	if (b > d)
		n += b - (a > d ? a : d);
	return n;
}

/* A vCPU's times in ticks, by one method or the other. */
struct times {
	__u64 steal, on_cpu, slack;
	__u64 still; /* not in steal: it waits at the end */
};

static struct times times_of(const struct timeline *tl, __u32 track, bool exact)
{
	const struct track *t = tl->tracks[track];
	const struct vcpu_gaps *b = &tl->gaps.by_track[track];
	struct times x;

	if (exact) {
		x.steal = sat_add(t->ticks[STATE_PREEMPTED],
				  t->ticks[STATE_WOKEN]);
		x.still = t->waits_still < x.steal ? t->waits_still : x.steal;
		x.steal -= x.still;
		x.on_cpu = t->ticks[STATE_ON_CPU];
		x.slack = slack(tl, t);
		return x;
	}
	x.steal = sat_mul(b->steal, tl->period);
	x.still = 0;
	x.on_cpu = sat_mul(b->own, tl->period);
	x.slack = sat_add(ns(tl, tl->end - tl->begin) / CHECK_PART,
			  ns(tl, sat_mul(sat_add(b->unknown, 1), tl->period)));
	return x;
}

static struct steal_check against_schedstat(const struct timeline *tl,
					    const struct track *t,
					    const struct times *x,
					    enum steal_check_kind kind)
{
	struct steal_check ret;
	__u64 switches, tolerance, outside, inside;

	/* a kernel that does not count says 0 0 0 */
	if (!t->start || !t->stop || t->start->tid != t->stop->tid ||
	    !t->stop->run_ns || t->stop->run_ns < t->start->run_ns ||
	    t->stop->delay_ns < t->start->delay_ns ||
	    t->stop->tsc < t->start->tsc)
		return none(NO_CHECK_NO_STATE);
	switches = t->switches;
	if (t->stop->slices > t->start->slices &&
	    t->stop->slices - t->start->slices > switches)
		switches = t->stop->slices - t->start->slices;
	tolerance = sat_add(x->slack, sat_mul(switches, CHECK_SWITCH_NS));
	outside = ns(tl, beyond(t->start->tsc, t->stop->tsc, t->begin, t->end));
	inside = ns(tl, beyond(t->begin, t->end, t->start->tsc, t->stop->tsc));
	if (kind == CHECK_RUN)
		return steal_check_compare(ns(tl, x->on_cpu),
					   t->stop->run_ns - t->start->run_ns,
					   tolerance, outside, inside);
	/* A wait that began before counts there from its own beginning. */
	if (t->began_waiting)
		sat_sum(&outside, ns(tl, t->longest));
	ret = steal_check_compare(ns(tl, x->steal),
				  t->stop->delay_ns - t->start->delay_ns,
				  tolerance, outside, inside);
	ret.still = ns(tl, x->still);
	return ret;
}

static struct steal_check against_samples(const struct timeline *tl,
					  const struct track *t, __u64 somebody,
					  bool exact)
{
	__u64 deviation;

	if (!exact)
		return none(NO_CHECK_METHOD);
	if (tl->a->counts.lost)
		return none(NO_CHECK_LOST);
	if (!tl->period || !tl->a->counts.samples)
		return none(NO_CHECK_NO_SAMPLE);
	/* Four standard deviations of a count, and one sample. */
	deviation = 4 * root(t->nr_waiting_samples) + 1;
	return steal_check_compare(
		ns(tl, somebody),
		ns(tl, sat_mul(t->nr_waiting_samples, tl->period)),
		sat_add(slack(tl, t), ns(tl, sat_mul(deviation, tl->period))),
		0, 0);
}

/* What thieves, other than "nobody", took from each track, in ticks. */
static void by_somebody(const struct timeline *tl, __u64 *sums)
{
	const struct thieves *cs = &tl->thieves;
	size_t i;

	for (i = 0; i < cs->nr_stolen; i++) {
		const struct stolen_time *t = &cs->stolen[i];
		unsigned int kind = cs->thieves[t->thief].kind;

		if (kind != BY_UNKNOWN && !by_nobody(kind))
			sat_sum(&sums[t->track], stolen_ticks(t));
	}
}

static void check_track(struct steal_checks *c, __u32 i, bool exact,
			const __u64 *somebody)
{
	const struct timeline *tl = c->tl;
	const struct track *t = tl->tracks[i];
	struct times x;
	unsigned int k;

	if (!tl->khz || t->end <= t->begin || tl->a->time) {
		for (k = 0; k < NR_CHECKS; k++)
			c->vcpu[i][k] = none(tl->a->time ? NO_CHECK_PART :
							   NO_CHECK_NO_TIME);
		return;
	}
	x = times_of(tl, i, exact);
	for (k = 0; k < CHECK_SAMPLES; k++)
		c->vcpu[i][k] = against_schedstat(tl, t, &x, k);
	c->vcpu[i][CHECK_SAMPLES] = against_samples(tl, t, somebody[i], exact);
}

/* What a guest's vCPUs sum to. */
struct guest_sum {
	__u64 steal, slack; /* ns */
	struct steal_check samples;
	bool has, unknown; /* a vCPU; one whose sample check is not known */
};

static void add_track(struct steal_checks *c, struct guest_sum *sums, __u32 i,
		      bool exact)
{
	const struct steal_check *x = &c->vcpu[i][CHECK_SAMPLES];
	const struct track *t = c->tl->tracks[i];
	struct guest_sum *s = &sums[t->guest];
	struct times times;

	if (t->end <= t->begin || !c->tl->khz)
		return;
	times = times_of(c->tl, i, exact);
	s->has = true;
	sat_sum(&s->steal, ns(c->tl, sat_add(times.steal, times.still)));
	sat_sum(&s->slack, times.slack);
	sat_sum(&s->slack, sat_mul(t->switches, CHECK_SWITCH_NS));
	sat_sum(&s->samples.ours, x->ours);
	sat_sum(&s->samples.theirs, x->theirs);
	sat_sum(&s->samples.tolerance, x->tolerance);
	if (!x->known) {
		s->unknown = true;
		s->samples.why = x->why;
	}
}

static int check_guests(struct steal_checks *c, struct guest_sum *sums,
			size_t nr)
{
	const struct guest_sum *s;
	size_t g;
	int err = 0;

	for (g = 0; g < nr && !err; g++) {
		s = &sums[g];
		if (!s->has || c->tl->a->time) {
			c->guest[g][0] = none(s->has ? NO_CHECK_PART :
						       NO_CHECK_NO_TIME);
			c->guest[g][1] = c->guest[g][0];
			continue;
		}
		c->guest[g][0] = s->unknown ?
					 none(s->samples.why) :
					 steal_check_compare(
						 s->samples.ours,
						 s->samples.theirs,
						 s->samples.tolerance, 0, 0);
		err = steal_check_stat(c->tl, g, s->steal, s->slack,
				       &c->guest[g][1]);
	}
	return err;
}

static void count_failed(struct steal_checks *c, size_t nr_guests)
{
	size_t i, k;

	for (i = 0; i < c->tl->nr; i++)
		for (k = 0; k < NR_CHECKS; k++)
			c->failed += c->vcpu[i][k].known &&
				     !c->vcpu[i][k].agrees;
	for (i = 0; i < nr_guests; i++)
		for (k = 0; k < 2; k++)
			c->failed += c->guest[i][k].known &&
				     !c->guest[i][k].agrees;
}

int steal_checks_init(struct steal_checks *c, const struct timeline *tl,
		      bool exact)
{
	size_t nr = tl->a->resolver.guests.nr;
	struct guest_sum *sums;
	__u64 *somebody;
	int err = -ENOMEM;
	__u32 i;

	memset(c, 0, sizeof(*c));
	c->tl = tl;
	c->vcpu = calloc(tl->nr + 1, sizeof(*c->vcpu));
	c->guest = calloc(nr + 1, sizeof(*c->guest));
	somebody = calloc(tl->nr + 1, sizeof(*somebody));
	sums = calloc(nr + 1, sizeof(*sums));
	if (!c->vcpu || !c->guest || !somebody || !sums)
		goto out;
	by_somebody(tl, somebody);
	for (i = 0; i < tl->nr; i++) {
		check_track(c, i, exact, somebody);
		add_track(c, sums, i, exact);
	}
	err = check_guests(c, sums, nr);
	if (!err)
		count_failed(c, nr);
out:
	free(somebody);
	free(sums);
	return err;
}

void steal_checks_deinit(struct steal_checks *c)
{
	free(c->vcpu);
	free(c->guest);
	memset(c, 0, sizeof(*c));
}

const char *steal_check_key(unsigned int kind)
{
	static const char *const key[NR_ALL_CHECKS] = { "run-delay", "run-time",
							"samples",
							"proc-stat" };

	return kind < NR_ALL_CHECKS ? key[kind] : "?";
}

const char *nocheck_key(unsigned int why)
{
	static const char *const key[NR_NOCHECKS] = {
		"",	      "no-time",	"no-schedstat",
		"no-samples", "samples-lost",	"by-samples",
		"no-bundle",  "no-steal-clock", "no-readings",
		"no-clock",   "part-of-time"
	};

	return why < NR_NOCHECKS ? key[why] : "?";
}
