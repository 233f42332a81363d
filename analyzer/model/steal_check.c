// SPDX-License-Identifier: GPL-2.0-only
/* Compares the timeline with other measurements. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/steal_check.h"
#include "base/saturate.h"

static __u64 ns(const struct vmmprof_timeline *tl, __u64 ticks)
{
	return vmmprof_sat_scale(ticks, 1000000, tl->khz);
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

static struct vmmprof_crosscheck none(enum vmmprof_nocheck why)
{
	return (struct vmmprof_crosscheck){ .why = why };
}

struct vmmprof_crosscheck vmmprof_crosscheck_compare(__u64 ours, __u64 theirs,
						     __u64 tolerance,
						     __u64 outside,
						     __u64 inside)
{
	__u64 d = ours > theirs ? ours - theirs : theirs - ours;
	__u64 may = vmmprof_sat_add(tolerance,
				    ours > theirs ? inside : outside);

	return (struct vmmprof_crosscheck){
		.known = true,
		.agrees = d <= may,
		.ours = ours,
		.theirs = theirs,
		.tolerance = tolerance,
		.outside = outside,
		.inside = inside,
	};
}

/* What a vCPU may differ by whatever is compared. */
static __u64 slack(const struct vmmprof_timeline *tl,
		   const struct vmmprof_track *t)
{
	return vmmprof_sat_add(ns(tl, t->end - t->begin) / VMMPROF_CHECK_PART,
			       ns(tl, t->ticks[VMMPROF_ST_UNKNOWN]));
}

/* What of a..b is not in c..d. */
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

static struct times times_of(const struct vmmprof_timeline *tl, __u32 track,
			     bool exact)
{
	const struct vmmprof_track *t = tl->tracks[track];
	const struct vmmprof_blank *b = &tl->blanks.blanks[track];
	struct times x;

	if (exact) {
		x.steal = vmmprof_sat_add(t->ticks[VMMPROF_ST_PREEMPTED],
					  t->ticks[VMMPROF_ST_WOKEN]);
		x.still = t->waits_still < x.steal ? t->waits_still : x.steal;
		x.steal -= x.still;
		x.on_cpu = t->ticks[VMMPROF_ST_ON_CPU];
		x.slack = slack(tl, t);
		return x;
	}
	x.steal = vmmprof_sat_mul(b->steal, tl->period);
	x.still = 0;
	x.on_cpu = vmmprof_sat_mul(b->own, tl->period);
	x.slack = vmmprof_sat_add(
		ns(tl, tl->end - tl->begin) / VMMPROF_CHECK_PART,
		ns(tl, vmmprof_sat_mul(vmmprof_sat_add(b->unknown, 1),
				       tl->period)));
	return x;
}

static struct vmmprof_crosscheck
against_schedstat(const struct vmmprof_timeline *tl,
		  const struct vmmprof_track *t, const struct times *x,
		  enum vmmprof_crosscheck_kind kind)
{
	struct vmmprof_crosscheck ret;
	__u64 switches, tolerance, outside, inside;

	/* a kernel that does not count says 0 0 0 */
	if (!t->start || !t->stop || t->start->tid != t->stop->tid ||
	    !t->stop->run_ns || t->stop->run_ns < t->start->run_ns ||
	    t->stop->delay_ns < t->start->delay_ns ||
	    t->stop->tsc < t->start->tsc)
		return none(VMMPROF_NOCHECK_NO_STATE);
	switches = t->switches;
	if (t->stop->slices > t->start->slices &&
	    t->stop->slices - t->start->slices > switches)
		switches = t->stop->slices - t->start->slices;
	tolerance = vmmprof_sat_add(
		x->slack, vmmprof_sat_mul(switches, VMMPROF_CHECK_SWITCH_NS));
	outside = ns(tl, beyond(t->start->tsc, t->stop->tsc, t->begin, t->end));
	inside = ns(tl, beyond(t->begin, t->end, t->start->tsc, t->stop->tsc));
	if (kind == VMMPROF_CHECK_RUN)
		return vmmprof_crosscheck_compare(
			ns(tl, x->on_cpu), t->stop->run_ns - t->start->run_ns,
			tolerance, outside, inside);
	/* A wait that began before counts there from its own beginning. */
	if (t->began_waiting)
		vmmprof_sum(&outside, ns(tl, t->longest));
	ret = vmmprof_crosscheck_compare(ns(tl, x->steal),
					 t->stop->delay_ns - t->start->delay_ns,
					 tolerance, outside, inside);
	ret.still = ns(tl, x->still);
	return ret;
}

static struct vmmprof_crosscheck
against_samples(const struct vmmprof_timeline *tl,
		const struct vmmprof_track *t, __u64 somebody, bool exact)
{
	__u64 deviation;

	if (!exact)
		return none(VMMPROF_NOCHECK_METHOD);
	if (tl->a->books.lost)
		return none(VMMPROF_NOCHECK_LOST);
	if (!tl->period || !tl->a->books.samples)
		return none(VMMPROF_NOCHECK_NO_SAMPLE);
	/* Four standard deviations of a count, and one sample. */
	deviation = 4 * root(t->nr_waiting_samples) + 1;
	return vmmprof_crosscheck_compare(
		ns(tl, somebody), ns(tl, t->waiting_samples),
		vmmprof_sat_add(slack(tl, t),
				ns(tl, vmmprof_sat_mul(deviation, tl->period))),
		0, 0);
}

/* What others who are somebody took from each track, in ticks. */
static void by_somebody(const struct vmmprof_timeline *tl, __u64 *sums)
{
	const struct vmmprof_culprits *cs = &tl->culprits;
	size_t i;

	for (i = 0; i < cs->nr_thefts; i++) {
		const struct vmmprof_theft *t = &cs->thefts[i];
		unsigned int kind = cs->culprits[t->culprit].kind;

		if (kind != VMMPROF_BY_UNKNOWN && !vmmprof_by_nobody(kind))
			vmmprof_sum(&sums[t->track], vmmprof_theft_ticks(t));
	}
}

static void check_track(struct vmmprof_crosschecks *c, __u32 i, bool exact,
			const __u64 *somebody)
{
	const struct vmmprof_timeline *tl = c->tl;
	const struct vmmprof_track *t = tl->tracks[i];
	struct times x;
	unsigned int k;

	if (!tl->khz || t->end <= t->begin) {
		for (k = 0; k < VMMPROF_NR_CHECKS; k++)
			c->vcpu[i][k] = none(VMMPROF_NOCHECK_NO_TIME);
		return;
	}
	x = times_of(tl, i, exact);
	for (k = 0; k < VMMPROF_CHECK_SAMPLES; k++)
		c->vcpu[i][k] = against_schedstat(tl, t, &x, k);
	c->vcpu[i][VMMPROF_CHECK_SAMPLES] = against_samples(tl, t, somebody[i],
							    exact);
}

/* What a guest's vCPUs sum to. */
struct guest_sum {
	__u64 steal, slack; /* ns */
	struct vmmprof_crosscheck samples;
	bool has, unknown; /* a vCPU; one whose sample check is not known */
};

static void add_track(struct vmmprof_crosschecks *c, struct guest_sum *sums,
		      __u32 i, bool exact)
{
	const struct vmmprof_crosscheck *x = &c->vcpu[i][VMMPROF_CHECK_SAMPLES];
	const struct vmmprof_track *t = c->tl->tracks[i];
	struct guest_sum *s = &sums[t->guest];
	struct times times;

	if (t->end <= t->begin || !c->tl->khz)
		return;
	times = times_of(c->tl, i, exact);
	s->has = true;
	vmmprof_sum(&s->steal,
		    ns(c->tl, vmmprof_sat_add(times.steal, times.still)));
	vmmprof_sum(&s->slack, times.slack);
	vmmprof_sum(&s->slack,
		    vmmprof_sat_mul(t->switches, VMMPROF_CHECK_SWITCH_NS));
	vmmprof_sum(&s->samples.ours, x->ours);
	vmmprof_sum(&s->samples.theirs, x->theirs);
	vmmprof_sum(&s->samples.tolerance, x->tolerance);
	if (!x->known) {
		s->unknown = true;
		s->samples.why = x->why;
	}
}

static int check_guests(struct vmmprof_crosschecks *c, struct guest_sum *sums,
			size_t nr)
{
	const struct guest_sum *s;
	size_t g;
	int err = 0;

	for (g = 0; g < nr && !err; g++) {
		s = &sums[g];
		if (!s->has) {
			c->guest[g][0] = none(VMMPROF_NOCHECK_NO_TIME);
			c->guest[g][1] = c->guest[g][0];
			continue;
		}
		c->guest[g][0] = s->unknown ?
					 none(s->samples.why) :
					 vmmprof_crosscheck_compare(
						 s->samples.ours,
						 s->samples.theirs,
						 s->samples.tolerance, 0, 0);
		err = vmmprof_crosscheck_stat(c->tl, g, s->steal, s->slack,
					      &c->guest[g][1]);
	}
	return err;
}

static void count_failed(struct vmmprof_crosschecks *c, size_t nr_guests)
{
	size_t i, k;

	for (i = 0; i < c->tl->nr; i++)
		for (k = 0; k < VMMPROF_NR_CHECKS; k++)
			c->failed += c->vcpu[i][k].known &&
				     !c->vcpu[i][k].agrees;
	for (i = 0; i < nr_guests; i++)
		for (k = 0; k < 2; k++)
			c->failed += c->guest[i][k].known &&
				     !c->guest[i][k].agrees;
}

int vmmprof_crosschecks_init(struct vmmprof_crosschecks *c,
			     const struct vmmprof_timeline *tl, bool exact)
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

void vmmprof_crosschecks_deinit(struct vmmprof_crosschecks *c)
{
	free(c->vcpu);
	free(c->guest);
	memset(c, 0, sizeof(*c));
}

const char *vmmprof_crosscheck_key(unsigned int kind)
{
	static const char *const key[VMMPROF_NR_ALL_CHECKS] = {
		"run-delay", "run-time", "samples", "proc-stat"
	};

	return kind < VMMPROF_NR_ALL_CHECKS ? key[kind] : "?";
}

const char *vmmprof_nocheck_key(unsigned int why)
{
	static const char *const key[VMMPROF_NR_NOCHECKS] = {
		"",	      "no-time",	"no-schedstat",
		"no-samples", "samples-lost",	"by-samples",
		"no-bundle",  "no-steal-clock", "no-readings",
		"no-clock"
	};

	return why < VMMPROF_NR_NOCHECKS ? key[why] : "?";
}
