// SPDX-License-Identifier: GPL-2.0-only
/* Hands each record to who accounts for it. */

#include <stdlib.h>
#include <string.h>

#include "model/sample_class.h"
#include "model/sample_gaps.h"
#include "model/sample_runs.h"
#include "model/timeline.h"
#include "model/timeline_internal.h"
#include "base/saturate.h"
#include "base/vec.h"

/* SDM, "Primary Processor-Based VM-Execution Controls" */
#define HLT_EXITING	  0x80	    /* VMX: of exec_controls */
#define HLT_INTERCEPT	  0x1000000 /* SVM: the same */

/* linux/perf_event.h */
#define TYPE_HARDWARE	  0
#define TYPE_SOFTWARE	  1
#define HW_CPU_CYCLES	  0
#define HW_REF_CPU_CYCLES 9
#define SW_CPU_CLOCK	  0
#define SW_TASK_CLOCK	  1

#define PERIOD_MAX	  1099511627776ull /* minutes; longer ones are ignored */

/*
 * A busy CPU may run at a fraction of its TSC's frequency, where cycles are as much
 * farther apart: hardly one that is busy runs at a sixth.
 */
#define SLOWEST_CPU	  6

/* Ticks between two samples of an event, 0 if it does not count time. */
static __u64 event_period(const struct session *s, unsigned int i, __u64 khz)
{
	const struct vmmprof_info_event *e = s->events[i];
	bool clock = e->type == TYPE_SOFTWARE &&
		     (e->config == SW_CPU_CLOCK || e->config == SW_TASK_CLOCK);
	bool cycles = e->type == TYPE_HARDWARE &&
		      (e->config == HW_CPU_CYCLES ||
		       e->config == HW_REF_CPU_CYCLES);
	__u64 ret;

	ret = session_period(s, i);
	if (ret > PERIOD_MAX || (!clock && !cycles))
		return 0;
	if (e->flags & VMMPROF_EVENT_F_FREQ)
		ret = ret ? sat_scale(khz, 1000, ret) : 0;
	else if (clock)
		ret = sat_scale(ret, khz, 1000000);
	return ret > PERIOD_MAX ? 0 : ret;
}

/* Does a busy CPU count it as fast as it runs, and not as its TSC? */
static bool at_frequency(const struct vmmprof_info_event *e)
{
	return e->type == TYPE_HARDWARE && e->config == HW_CPU_CYCLES;
}

static void choose_event(struct timeline *tl)
{
	const struct session *s = &tl->a->session;
	unsigned int i;

	for (i = 0; i < VMMPROF_MAX_EVENTS && !tl->period; i++) {
		if (!s->events[i])
			continue;
		/* Not counted everywhere: its samples tell no shares of time. */
		if (s->events[i]->flags & VMMPROF_EVENT_F_MODES) {
			tl->event += tl->event == i;
			continue;
		}
		tl->period = event_period(s, i, tl->khz);
		if (!tl->period)
			continue;
		tl->event = i;
		tl->idle_gap = at_frequency(s->events[i]) ?
				       sat_mul(tl->period, SLOWEST_CPU) :
				       tl->period + tl->period / 2;
	}
}

/* Makes the tracks of vCPUs in info. */
static int info_tracks(struct timeline *tl)
{
	const struct session *s = &tl->a->session;
	__u32 t;
	size_t i;
	int err = 0;

	for (i = 0; i < s->nr_vcpus && !err; i++)
		err = track_get(tl, s->vcpus[i]->pid, s->vcpus[i]->tid,
				s->vcpus[i]->vcpu_id, &t);
	for (i = 0; i < s->nr_states && !err; i++) {
		err = track_get(tl, s->states[i]->pid, s->states[i]->tid,
				VMMPROF_NONE, &t);
		if (err || t == VMMPROF_NONE)
			continue;
		if (s->states[i]->when == VMMPROF_WHEN_START) {
			tl->tracks[t]->start = s->states[i];
			tl->has_start = true;
		} else {
			tl->tracks[t]->stop = s->states[i];
			tl->has_stop = true;
		}
	}
	return err;
}

static int start(struct timeline *tl, __u64 tsc)
{
	const struct time_ranges *time = tl->a->time;

	tl->started = true;
	tl->begin = tsc;
	tl->now = tsc;
	if (time && time->nr)
		steal_times_init(&tl->times, time->at[0].from,
				 time->at[time->nr - 1].to);
	else
		steal_times_init(&tl->times, tsc, tl->bounded ? tl->end : 0);
	return info_tracks(tl);
}

int timeline_init(struct timeline *tl, struct analysis *a, enum gaps_for gaps)
{
	const struct vmmprof_info_stop *stop = a->session.stop;
	__u32 unknown;
	int err;

	memset(tl, 0, sizeof(*tl));
	tl->a = a;
	tl->names = 1;
	tl->gaps.guest_only = gaps == GAPS_AS_PUBLISHED;
	tl->khz = session_tsc_khz(&a->session);
	choose_event(tl);
	tl->gaps.on = tl->period &&
		      (gaps != GAPS_WITHOUT_SWITCHES || !timeline_exact(tl));
	err = number_set_init(&tl->known, TRACKS_MAX);
	if (!err)
		err = thief_plain(&tl->thieves, BY_UNKNOWN, &unknown);
	if (!err)
		err = losses_init(&tl->losses, &a->session);
	if (err || !stop || stop->stop_tsc < stop->start_tsc)
		return err;
	tl->bounded = true;
	tl->end = stop->stop_tsc;
	return start(tl, stop->start_tsc);
}

void timeline_deinit(struct timeline *tl)
{
	size_t i;

	for (i = 0; i < tl->nr; i++)
		free(tl->tracks[i]);
	free(tl->tracks);
	for (i = 0; i < tl->nr_pcpus; i++)
		free(tl->pcpus[i].waiting);
	free(tl->pcpus);
	free(tl->residency);
	number_set_deinit(&tl->known);
	groups_deinit(&tl->by_guest);
	hash_deinit(&tl->by_tid);
	hash_deinit(&tl->by_vcpu);
	hash_deinit(&tl->by_vpid);
	small_numbers_deinit(&tl->by_cpu);
	hash_deinit(&tl->by_residency);
	thieves_deinit(&tl->thieves);
	steal_times_deinit(&tl->times);
	losses_deinit(&tl->losses);
	sample_gaps_deinit(&tl->gaps);
	memset(tl, 0, sizeof(*tl));
}

bool timeline_exact(const struct timeline *tl)
{
	const struct vmmprof_info_switches *s = tl->a->session.switches;

	return s ? s->on != 0 : tl->switch_records > 0;
}

bool timeline_throttled(const struct timeline *tl, const struct track *t)
{
	(void)tl;
	return t->start && t->stop &&
	       (t->stop->throttled_ns > t->start->throttled_ns ||
		t->stop->nr_throttled > t->start->nr_throttled);
}

/*
 * Files that end too early.  Those of a recorder that died all do, as the session
 * does there.
 */
static int look_for_cuts(struct timeline *tl)
{
	const struct merge_cuts *c = &tl->a->session.cuts;
	int err = 0;

	for (; !err && tl->nr_cuts < c->nr; tl->nr_cuts++)
		if (tl->bounded)
			err = losses_cut(&tl->losses, tl->next_loss,
					 &c->at[tl->nr_cuts]);
	return err;
}

/* Stretches without switch records that begin before this time. */
static int losses_until(struct timeline *tl, __u64 tsc)
{
	const struct loss *l;
	__u64 from, to;
	__u32 pcpu;
	int err = 0;

	while (!err && tl->next_loss < tl->losses.nr) {
		l = &tl->losses.loss[tl->next_loss];
		if (l->from >= tsc)
			break;
		tl->next_loss++;
		pcpu = VMMPROF_NONE;
		if (l->cpu != VMMPROF_NONE)
			err = pcpu_get(tl, l->cpu, &pcpu);
		from = l->from > tl->begin ? l->from : tl->begin;
		to = tl->bounded && l->to > tl->end ? tl->end : l->to;
		if (!err && l->names && to >= from)
			err = account_vcpu_nameless(tl, pcpu, from, to);
		else if (!err && to > from && l->cut)
			err = account_cut(tl, pcpu, from);
		else if (!err && to > from)
			err = account_loss(tl, pcpu, from, to);
	}
	return err;
}

static void host_sample(struct timeline *tl, struct pcpu *p,
			const struct vmmprof_rec_sample *s)
{
	if (!s->tid) {
		p->idle_samples++;
		return;
	}
	p->nr_samples++;
	sat_sum(&p->samples, tl->period);
}

/* The track of a sample, mostly that of the CPU's sample before. */
static int sample_track(struct timeline *tl, const struct vmmprof_rec_sample *s,
			struct track_name *last, __u32 *ret)
{
	const bool loaded = s->hdr.flags & VMMPROF_S_VCPU;
	/* all bits of it are VMMPROF_NONE */
	const __u32 vcpu_id = s->vcpu_id | -(__u32)!loaded;
	int err = 0;

	*ret = last->track;
	if (last->names == tl->names && last->pid == s->pid &&
	    last->tid == s->tid && last->vcpu_id == vcpu_id &&
	    last->loaded == loaded)
		return 0;
	if (loaded)
		err = track_get(tl, s->pid, s->tid, s->vcpu_id, ret);
	else
		*ret = track_find(tl, s->pid, s->tid);
	/* each vCPU beyond TRACKS_MAX is counted, so it is not remembered */
	last->names = err || (loaded && *ret == VMMPROF_NONE) ? 0 : tl->names;
	last->pid = s->pid;
	last->tid = s->tid;
	last->vcpu_id = vcpu_id;
	last->loaded = loaded;
	last->track = *ret;
	return err;
}

/* A vCPU's own sample. */
static int own_sample(struct timeline *tl, struct track *t, __u32 p,
		      const struct vmmprof_rec_sample *s,
		      const struct resolved *w, __u64 tsc, bool counted)
{
	/* In kernel mode it may be on its way in or out. */
	bool proof = s->hdr.flags & (VMMPROF_S_GUEST | VMMPROF_S_USER);
	unsigned int class = sample_class(w->context, s);
	int err = 0;

	if (counted) {
		t->own_samples++;
		t->on_cpu[class]++;
		if (tl->own)
			err = tl->own(tl->class_arg, t, class, s->hdr.tsc, 1);
	}
	if (err || (!proof && (t->state != STATE_ON_CPU || t->cpu != p)))
		return err;
	return account_own(tl, t, class, p, tsc);
}

/* What a record is about, before it is accounted for. */
static inline int concerns(struct timeline *tl, __u32 pcpu, __u32 track)
{
	return tl->runs ? sample_runs_concern(tl->runs, pcpu, track) : 0;
}

static int on_sample(struct timeline *tl, const struct vmmprof_rec_sample *s,
		     const struct resolved *w, __u64 tsc)
{
	bool proof = s->hdr.flags & (VMMPROF_S_GUEST | VMMPROF_S_USER), counted;
	__u32 i, p;
	int err;

	err = pcpu_get(tl, s->cpu, &p);
	if (!err)
		err = sample_track(tl, s, &tl->pcpus[p].last, &i);
	if (!err)
		err = concerns(tl, p, i);
	if (!err)
		err = account_taken(tl, p, tsc, i, proof);
	if (err || s->event != tl->event)
		return err;
	counted = time_ranges_has(tl->a->time, s->hdr.tsc);
	cpu_waiters_sample(tl, i, p, counted & (s->tid != 0),
			   sample_irq(s) != IRQ_NONE);
	if (i != VMMPROF_NONE)
		err = own_sample(tl, tl->tracks[i], p, s, w, tsc, counted);
	else if (counted)
		host_sample(tl, &tl->pcpus[p], s);
	return err || !tl->gaps.on ? err : sample_gaps_sample(tl, i, p, s, w);
}

static int on_switch(struct timeline *tl, const struct vmmprof_rec_switch *s,
		     __u64 tsc)
{
	struct task_id a = { s->pid, s->tid, s->comm, tsc };
	struct task_id b = { s->other_pid, s->other_tid, s->other_comm, tsc };
	bool in = s->hdr.type == VMMPROF_REC_IN;
	__u32 i = VMMPROF_NONE, p;
	int err;

	tl->switch_records++;
	err = pcpu_get(tl, s->cpu, &p);
	if (!err && s->hdr.type != VMMPROF_REC_SWITCH)
		err = track_get(tl, s->pid, s->tid,
				s->hdr.flags & VMMPROF_W_VCPU ? s->vcpu_id :
								VMMPROF_NONE,
				&i);
	if (!err)
		err = concerns(tl, p, i);
	if (!err)
		err = account_switch(tl, p, tsc, in ? &b : &a, in ? &a : &b);
	if (!err)
		err = account_taken(tl, p, tsc, in ? VMMPROF_NONE : i, true);
	if (err || i == VMMPROF_NONE)
		return err;
	tl->tracks[i]->switches += !in && time_ranges_has(tl->a->time, tsc);
	return account_event(tl, i, in ? EV_IN : state_of_out(s), p, tsc);
}

static int on_wake(struct timeline *tl, const struct vmmprof_rec_wake *w,
		   __u64 tsc)
{
	__u32 i, p;
	int err;

	tl->switch_records++;
	err = pcpu_get(tl, w->cpu, &p);
	if (!err)
		err = track_get(tl, w->pid, w->tid,
				w->hdr.flags & VMMPROF_W_VCPU ? w->vcpu_id :
								VMMPROF_NONE,
				&i);
	if (!err)
		err = concerns(tl, p, i);
	if (err || i == VMMPROF_NONE)
		return err;
	return account_event(
		tl, i, w->hdr.type == VMMPROF_REC_WAKE ? EV_WAKE : EV_MIGRATE,
		p, tsc);
}

static int on_vcpu(struct timeline *tl, const struct vmmprof_rec_vcpu *v)
{
	__u32 i;
	int err;

	err = track_get(tl, v->pid, v->tid, v->vcpu_id, &i);
	if (err || i == VMMPROF_NONE)
		return err;
	if (v->hdr.flags & VMMPROF_V_CONTROLS)
		tl->tracks[i]->hlt_native = !(v->exec_controls & HLT_EXITING);
	else if (v->hdr.flags & VMMPROF_V_INTERCEPTS)
		tl->tracks[i]->hlt_native = !(v->exec_controls & HLT_INTERCEPT);
	return v->vpid ? hash_set(&tl->by_vpid, v->vpid, i) : 0;
}

static __attribute__((noinline)) int on_other(struct timeline *tl,
					      const union rec *rec, __u64 tsc)
{
	switch (rec->hdr.type) {
	case VMMPROF_REC_VCPU:
		return on_vcpu(tl, &rec->vcpu);
	case VMMPROF_REC_OUT:
	case VMMPROF_REC_IN:
	case VMMPROF_REC_SWITCH:
		return on_switch(tl, &rec->sw, tsc);
	case VMMPROF_REC_WAKE:
	case VMMPROF_REC_MIGRATE:
		return on_wake(tl, &rec->wake, tsc);
	}
	return 0;
}

int timeline_record(struct analysis *a, void *arg, const union rec *rec,
		    const struct resolved *where)
{
	struct timeline *tl = arg;
	__u64 tsc = rec->hdr.tsc;
	int err = 0;

	(void)a;
	if (!tl->started)
		err = start(tl, tsc);
	if (tsc > tl->now)
		tl->now = tsc;
	if (tsc < tl->begin)
		tsc = tl->begin;
	if (tl->bounded && tsc > tl->end)
		tsc = tl->end;
	if (!err && tl->nr_cuts < tl->a->session.cuts.nr)
		err = look_for_cuts(tl);
	if (!err && tl->next_loss < tl->losses.nr)
		err = losses_until(tl, tsc);
	if (!err)
		err = rec->hdr.type == VMMPROF_REC_SAMPLE ?
			      on_sample(tl, &rec->sample, where, tsc) :
			      on_other(tl, rec, tsc);
	return err || !tl->runs ? err : sample_runs_check(tl->runs);
}

static void tell_disorder(const struct timeline *tl)
{
	const struct tsc_disorder *d = &tl->disorder;

	if (d->pairs)
		problem(&tl->a->session.problems,
			"%llu pair%s of switch records of two CPUs in an impossible order (last: CPUs %u and %u): their TSCs differ, or records are missing; the time around them is unknown",
			d->pairs, d->pairs == 1 ? "" : "s", d->cpu[0],
			d->cpu[1]);
}

static void tell_crowded(const struct timeline *tl)
{
	if (tl->crowded)
		problem(&tl->a->session.problems,
			"%llu wait%s for a CPU that %u vCPUs waited for already: their thief is unknown",
			tl->crowded, tl->crowded == 1 ? "" : "s", WAITERS_MAX);
	if (tl->gaps.crowded)
		problem(&tl->a->session.problems,
			"%llu time%s a vCPU was sampled on a CPU where %u others were last: by samples alone the thief is unknown",
			tl->gaps.crowded, tl->gaps.crowded == 1 ? "" : "s",
			SAMPLE_GAPS_MAX);
}

static __u32 guest_of(const void *arg, size_t i)
{
	const struct timeline *tl = arg;

	return tl->tracks[i]->guest;
}

static int group(struct timeline *tl)
{
	size_t nr = tl->a->resolver.guests.nr;
	int err;

	groups_deinit(&tl->by_guest);
	err = groups_init(&tl->by_guest, nr, tl->nr, guest_of, tl);
	if (!err)
		err = thieves_group(&tl->thieves, tl->nr);
	return err ? err : thieves_group(&tl->gaps.stolen, tl->nr);
}

int timeline_finish(struct timeline *tl)
{
	int err = 0;

	if (!tl->started)
		err = start(tl, 0);
	if (!tl->bounded)
		tl->end = tl->now;
	if (!err)
		err = look_for_cuts(tl);
	if (!err)
		err = losses_until(tl, tl->end);
	if (!err)
		err = account_end(tl);
	steal_times_end(&tl->times,
			tl->a->time && tl->a->time->nr ?
				tl->a->time->at[tl->a->time->nr - 1].to :
				tl->end);
	tell_disorder(tl);
	tell_crowded(tl);
	if (!err)
		err = sample_gaps_end(tl);
	return err ? err : group(tl);
}

void timeline_forget_names(struct timeline *tl)
{
	tl->names++;
	owners_forget(&tl->thieves.owners);
}

int timeline_losses(struct timeline *tl)
{
	const size_t next = tl->next_loss;

	tl->next_loss = 0;
	return losses_renew(&tl->losses, next, tl->end, &tl->a->session);
}

int timeline_begin(struct timeline *tl, __u64 tsc)
{
	return tl->started ? 0 : start(tl, tsc);
}

int timeline_until(struct timeline *tl, __u64 tsc)
{
	int err;

	err = losses_until(tl, tsc);
	if (err || tsc < tl->end)
		return err;
	tl->end = tsc;
	err = account_until(tl);
	return err ? err : group(tl);
}

void timeline_gone(struct timeline *tl, __u32 pid, __u32 tid)
{
	__u32 i = track_find(tl, pid, tid);

	if (i != VMMPROF_NONE && tl->tracks[i]->tid == tid)
		account_gone(tl, i);
}
