// SPDX-License-Identifier: GPL-2.0-only
/* Tells the timeline of samples in runs. */

#include <errno.h>
#include <stdlib.h>

#include "base/saturate.h"
#include "base/search.h"
#include "model/sample_runs.h"

bool sample_runs_may(const struct timeline *tl)
{
	return !tl->gaps.on;
}

int sample_runs_init(struct sample_runs *r, struct merge *m)
{
	struct hash seen = { 0 };
	__u32 i;
	int err = 0;

	r->m = m;
	r->nr = m->nr;
	r->names = r->tl->names;
	r->nr_concerns = 0;
	r->cpus = calloc(r->nr + 1, sizeof(*r->cpus));
	if (!r->cpus)
		return -ENOMEM;
	for (i = 0; i < m->nr && !err; i++) {
		r->cpus[i].cpu = m->cpus[i];
		r->cpus[i].here = RUN_UNKNOWN;
		r->cpus[i].pcpu = VMMPROF_NONE;
		/* two files of one CPU: nothing is presumed */
		if (hash_get(&seen, m->cpus[i]) != VMMPROF_NONE)
			r->nr = 0;
		err = hash_set(&seen, m->cpus[i], i);
	}
	hash_deinit(&seen);
	return err;
}

void sample_runs_deinit(struct sample_runs *r)
{
	free(r->cpus);
	r->cpus = NULL;
	r->nr = 0;
}

/* A vCPU has @nr samples of a class, and its CPU from @from until the last one @to. */
static int tell_class(const struct timeline *tl, const struct track *t,
		      unsigned int class, __u32 nr, __u64 from, __u64 to)
{
	int err = 0;

	if (tl->own)
		err = tl->own(tl->class_arg, t, class, to, nr);
	if (!err && tl->stretch && to > from)
		err = tl->stretch(tl->stretch_arg, t, STATE_ON_CPU, from, to,
				  VMMPROF_NONE);
	return err || !tl->classed ? err : tl->classed(tl->class_arg, t, class);
}

/* Of samples @begin until @end who wants to know is told: some of one class at once. */
static int tell_classes(const struct timeline *tl, const struct cpu_runs *c,
			const struct track *t, __u32 begin, __u32 end)
{
	__u64 from = t->since;
	__u32 i;
	int err = 0;

	for (i = begin; i < end && !err; i++) {
		if (i + 1 < end && c->class[i + 1] == c->class[i])
			continue;
		err = tell_class(tl, t, c->class[i], i + 1 - begin, from,
				 c->tsc[i]);
		begin = i + 1;
		from = c->tsc[i];
	}
	return err;
}

/*
 * Samples @begin until @end as account_own() of one after the other: all find the vCPU
 * on this CPU, and all time from the sample before is counted.
 */
static int sum_up(struct timeline *tl, struct cpu_runs *c, struct track *t,
		  __u32 begin, __u32 end)
{
	const __u64 first = t->since;
	__u64 ticks = t->unsampled, since = first;
	unsigned int class = 0;
	__u32 i;
	int err = 0;

	if (tl->own || tl->stretch || tl->classed)
		err = tell_classes(tl, c, t, begin, end);
	for (i = begin; i < end; i++) {
		class = c->class[i];
		ticks += c->tsc[i] - since;
		since = c->tsc[i];
		t->on_cpu[class]++;
		/* parts of one stretch of time: never too large */
		t->on_ticks[class] += ticks;
		ticks = 0;
	}
	t->since = since;
	t->unsampled = 0;
	t->last_class = class;
	t->last_own = since;
	sat_sum(&t->ticks[STATE_ON_CPU], since - first);
	sat_sum(&tl->residency[t->on_residency].ticks, since - first);
	sat_sum(&tl->pcpus[c->pcpu].vcpus, since - first);
	return err;
}

/* Samples until @end of what vCPUs may wait for on this CPU. */
static void see(struct pcpu *p, const struct cpu_runs *c, __u32 end)
{
	p->seen += end - c->done;
	p->seen_irq += c->irqs[end] - c->irqs[c->done];
}

/* The vCPU's own samples until @end: it has this CPU all the time. */
static int tell_own(struct timeline *tl, struct cpu_runs *c,
		    const struct sample_run *run, __u32 end)
{
	struct track *t = tl->tracks[run->track];
	unsigned int class;
	__u32 i;
	int err = 0;

	t->own_samples += end - c->done;
	if (run->busy)
		see(&tl->pcpus[c->pcpu], c, end);
	for (i = c->done; i < end && !err; i++) {
		/* what was before the first one may be counted in part */
		if (!t->hlt_native && t->on_pcpu == c->pcpu &&
		    (!tl->a->time || i > c->done))
			return sum_up(tl, c, t, i, end);
		class = c->class[i];
		t->on_cpu[class]++;
		if (tl->own)
			err = tl->own(tl->class_arg, t, class, c->tsc[i], 1);
		if (!err)
			err = account_own(tl, t, class, c->pcpu, c->tsc[i]);
	}
	return err;
}

/* Another task's, where no vCPU is. */
static void tell_task(struct timeline *tl, const struct cpu_runs *c,
		      const struct sample_run *run, __u32 end)
{
	struct pcpu *p = &tl->pcpus[c->pcpu];
	const __u32 nr = end - c->done;

	if (!run->busy) {
		p->idle_samples += nr;
		return;
	}
	see(p, c, end);
	p->nr_samples += nr;
	sat_sum(&p->samples, sat_mul(nr, tl->period));
}

/* Tell of a CPU's samples until number @until. */
static int tell(struct timeline *tl, struct cpu_runs *c, __u32 until)
{
	const struct sample_run *run;
	__u32 end;
	int err = 0;

	while (c->done < until && !err) {
		run = &c->run[c->at_run];
		end = c->at_run + 1 < c->nr_runs ? run[1].from : c->nr;
		if (end <= until)
			c->at_run++;
		else
			end = until;
		if (!run->other && run->track != VMMPROF_NONE)
			err = tell_own(tl, c, run, end);
		else if (!run->other)
			tell_task(tl, c, run, end);
		c->done = end;
		if (c->tsc[end - 1] > tl->now)
			tl->now = c->tsc[end - 1];
	}
	return err;
}

/* Those before the record that was returned last, in the order of all. */
static int tell_before(struct sample_runs *r, __u32 stream)
{
	struct cpu_runs *c = &r->cpus[stream];
	const __u64 until = r->tsc + (stream < r->stream);
	__u32 from = c->done, to = c->nr, mid;

	BISECT(from, to, mid, c->tsc[mid] < until);
	return tell(r->tl, c, from);
}

/* Is a CPU's next run as it was presumed, or is a record still to come that says? */
static bool as_presumed(const struct timeline *tl, const struct cpu_runs *c)
{
	const struct sample_run *run = &c->run[c->at_run];
	const struct track *t;

	if (c->done == c->nr || run->after > c->passed)
		return true;
	if (tl->pcpus[c->pcpu].running != run->track)
		return false;
	if (run->track == VMMPROF_NONE)
		return true;
	t = tl->tracks[run->track];
	return t->state == STATE_ON_CPU && t->cpu == c->pcpu &&
	       !t->came_early && c->tsc[c->done] >= t->since;
}

static void give_back(struct sample_runs *r, __u32 stream)
{
	struct cpu_runs *c = &r->cpus[stream];

	if (c->done < c->nr)
		merge_give_back(r->m, stream, c->place + c->done,
				c->nr - c->done);
	c->nr = c->done;
	c->nr_runs = c->at_run;
}

int sample_runs_check(struct sample_runs *r)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < r->nr_concerns; i++)
		if (!as_presumed(r->tl, &r->cpus[r->concerns[i]]))
			give_back(r, r->concerns[i]);
	r->nr_concerns = 0;
	if (r->names == r->tl->names)
		return 0;
	/* other threads may be vCPUs', or other vCPUs', from now on */
	for (i = 0; i < r->nr && !err; i++) {
		err = tell_before(r, i);
		give_back(r, i);
	}
	r->names = r->tl->names;
	return err;
}

static int concern(struct sample_runs *r, __u32 pcpu)
{
	const __u32 stream = r->tl->pcpus[pcpu].stream;
	unsigned int i;

	if (stream == VMMPROF_NONE)
		return 0;
	for (i = 0; i < r->nr_concerns; i++)
		if (r->concerns[i] == stream)
			return 0;
	r->concerns[r->nr_concerns++] = stream;
	return tell_before(r, stream);
}

int sample_runs_concern(struct sample_runs *r, __u32 pcpu, __u32 track)
{
	int err = concern(r, pcpu);
	__u32 on;

	if (err || track == VMMPROF_NONE)
		return err;
	on = r->tl->tracks[track]->cpu;
	return on == VMMPROF_NONE ? 0 : concern(r, on);
}

int sample_runs_record(void *arg, const union rec *rec, __u32 stream)
{
	struct sample_runs *r = arg;
	struct cpu_runs *c;
	__u32 end;

	if (stream >= r->nr)
		return 0;
	c = &r->cpus[stream];
	r->stream = stream;
	/* as the merge has its time */
	r->tsc = rec->hdr.tsc - (rec->hdr.type == VMMPROF_REC_IDENTITY);
	r->concerns[0] = stream;
	r->nr_concerns = 1;
	for (end = c->at_run; end < c->nr_runs; end++)
		if (c->run[end].after > c->passed)
			break;
	c->passed++;
	return tell(r->tl, c, end < c->nr_runs ? c->run[end].from : c->nr);
}

static void begin_cpu(const struct timeline *tl, struct cpu_runs *c)
{
	const struct track *t;

	c->nr = 0;
	c->irqs[0] = 0;
	c->done = 0;
	c->nr_runs = 0;
	c->at_run = 0;
	c->others = 0;
	c->passed = 0;
	c->open = RUN_CLOSED;
	/* of nobody: names may have changed */
	c->thread = ~0ull;
	c->vcpu_id = 0;
	c->track = RUN_NO_TRACK;
	c->here = RUN_UNKNOWN;
	if (c->pcpu == VMMPROF_NONE)
		c->pcpu = small_numbers_get(&tl->by_cpu, c->cpu);
	if (c->pcpu == VMMPROF_NONE)
		return;
	c->here = tl->pcpus[c->pcpu].running;
	t = c->here == VMMPROF_NONE ? NULL : tl->tracks[c->here];
	if (t &&
	    (t->state != STATE_ON_CPU || t->cpu != c->pcpu || t->came_early))
		c->here = RUN_UNKNOWN;
}

int sample_runs_begin(struct sample_runs *r, __u64 first, __u64 last, bool *may)
{
	struct timeline *tl = r->tl;
	struct cpu_runs *c;
	size_t i;
	int err = 0;

	for (i = 0; i < r->nr && !err; i++) {
		c = &r->cpus[i];
		err = tell(tl, c, c->nr);
		begin_cpu(tl, c);
		if (c->pcpu != VMMPROF_NONE)
			tl->pcpus[c->pcpu].stream = i;
	}
	*may = !err && r->nr && tl->started && first >= tl->begin &&
	       (!tl->bounded || last <= tl->end) &&
	       tl->nr_cuts == tl->a->session.cuts.nr &&
	       (tl->next_loss == tl->losses.nr ||
		tl->losses.loss[tl->next_loss].from > last);
	return err;
}

void cpu_runs_thread(const struct timeline *tl, struct cpu_runs *c,
		     const struct vmmprof_rec_sample *s)
{
	c->thread = cpu_runs_pid_tid(s);
	c->vcpu_id = cpu_runs_vcpu(s);
	c->track = track_find(tl, s->pid, s->tid);
	/* it may be a new one, or have another thread */
	if (s->hdr.flags & VMMPROF_S_VCPU &&
	    (c->vcpu_id == VMMPROF_NONE || c->track == VMMPROF_NONE ||
	     tl->tracks[c->track]->vcpu_id != c->vcpu_id))
		c->track = RUN_NO_TRACK;
	c->open = RUN_CLOSED;
}

/* Who has the CPU after a sample that is told of in its turn. */
static void other_sample(const struct timeline *tl, struct cpu_runs *c,
			 const struct vmmprof_rec_sample *s)
{
	const __u32 track = cpu_runs_track(tl, c, s);

	if (track == c->here ||
	    !(s->hdr.flags & (VMMPROF_S_GUEST | VMMPROF_S_USER)))
		return;
	c->here = track == RUN_NO_TRACK ? RUN_UNKNOWN :
		  s->event == tl->event ? track :
					  VMMPROF_NONE;
}

void cpu_runs_other(const struct timeline *tl, struct cpu_runs *c,
		    const union rec *rec)
{
	c->others++;
	c->open = RUN_CLOSED;
	switch (rec->hdr.type) {
	case VMMPROF_REC_SAMPLE:
		other_sample(tl, c, &rec->sample);
		break;
	case VMMPROF_REC_IN:
		c->here = track_find(tl, rec->sw.pid, rec->sw.tid);
		if (c->here == VMMPROF_NONE)
			c->here = RUN_UNKNOWN;
		break;
	case VMMPROF_REC_OUT:
	case VMMPROF_REC_SWITCH:
		c->here = VMMPROF_NONE;
		break;
	}
}
