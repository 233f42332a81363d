// SPDX-License-Identifier: GPL-2.0-only
/* Stretches of a vCPU joined to slices, and what a slice is called. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "model/chain_pass.h"
#include "view/foreign_names.h"
#include "view/timeline.h"
#include "model/pass.h"

struct joiner {
	struct timeline *tl;
	slice_fn *fn;
	slice_sample_fn *sample; /* may be NULL */
	void *arg;
	struct slice *slices; /* of each track */
	size_t nr;
	__u32 *on_cpu; /* by tl->pcpus: 1 + the last track there; 0: none */
	size_t nr_cpus;
	/* what the timeline told before, and still does */
	stretch_fn *stretch;
	void *stretch_arg;
};

void slice_vcpu(const struct track *t, char *buf, size_t size)
{
	if (t->vcpu_id == VMMPROF_NONE)
		snprintf(buf, size, "thread %u", t->tid);
	else
		snprintf(buf, size, "vCPU %u", t->vcpu_id);
}

void slice_guest(const struct timeline *tl, const struct track *t, char *buf,
		 size_t size)
{
	foreign_guest(buf, size, tl->a->resolver.guests.guests[t->guest].name);
}

void timeline_thief(const struct timeline *tl, __u32 thief, char *buf,
		    size_t size)
{
	const char *words[NR_BY + 1] = { NULL };
	const struct thief *c;
	char guest[128], vcpu[32];
	unsigned int i;

	*buf = 0;
	if (thief == VMMPROF_NONE)
		return;
	c = &tl->thieves.thieves[thief];
	for (i = 0; i < NR_BY; i++)
		words[i] = thief_key(i);
	if (c->kind == BY_VCPU) {
		slice_guest(tl, tl->tracks[c->id], guest, sizeof(guest));
		slice_vcpu(tl->tracks[c->id], vcpu, sizeof(vcpu));
		snprintf(buf, size, "%s %s", guest, vcpu);
	} else if (c->kind == BY_PROCESS || c->kind == BY_KTHREAD ||
		   c->kind == BY_IRQ) {
		foreign(buf, size, strings_get(&tl->thieves.names, c->id),
			words);
	} else {
		snprintf(buf, size, "%s", thief_key(c->kind));
	}
}

void slice_thief(const struct timeline *tl, const struct slice *s, char *buf,
		 size_t size)
{
	timeline_thief(tl, s->thief, buf, size);
}

static int flush_slice(struct joiner *j, __u32 i)
{
	struct slice *s = &j->slices[i];
	int err;

	if (!s->open)
		return 0;
	s->open = false;
	if (state_waits(s->state))
		sat_sum(&s->stolen, s->to - s->from);
	err = j->fn(j->arg, i, s);
	s->named = true;
	return err;
}

/* The timeline has more of something now: the new elements are zero. */
static int grow(void *array, size_t *nr, size_t want, size_t elem)
{
	void **p = array;
	char *more;

	if (*nr >= want)
		return 0;
	more = realloc(*p, want * elem);
	if (!more)
		return -ENOMEM;
	memset(more + *nr * elem, 0, (want - *nr) * elem);
	*p = more;
	*nr = want;
	return 0;
}

/*
 * A track begins on a CPU: who was there before has left it, even if of his next
 * state nothing is told before its end.
 */
static int take_cpu(struct joiner *j, __u32 cpu, __u32 track)
{
	int err = grow(&j->on_cpu, &j->nr_cpus, j->tl->nr_pcpus,
		       sizeof(*j->on_cpu));
	const struct slice *s;
	__u32 last;

	if (err)
		return err;
	last = j->on_cpu[cpu];
	if (last && last != track + 1) {
		s = &j->slices[last - 1];
		if (s->state == STATE_ON_CPU && s->cpu == cpu)
			err = flush_slice(j, last - 1);
	}
	j->on_cpu[cpu] = track + 1;
	return err;
}

/* stretch_fn */
static int join(void *arg, const struct track *t, enum vcpu_state state,
		__u64 from, __u64 to, __u32 thief)
{
	struct joiner *j = arg;
	const __u32 i = t->index;
	struct slice *s;
	int err = 0;

	if (j->stretch)
		err = j->stretch(j->stretch_arg, t, state, from, to, thief);
	if (err)
		return err;
	err = grow(&j->slices, &j->nr, j->tl->nr, sizeof(*s));
	if (err)
		return err;
	s = &j->slices[i];
	/* Time on a CPU comes in pieces, one for each sample. */
	if (s->open && s->to == from && s->state == state &&
	    s->thief == thief && s->cpu == t->cpu) {
		s->to = to;
		return 0;
	}
	err = flush_slice(j, i);
	if (!err && state == STATE_ON_CPU && t->cpu != VMMPROF_NONE)
		err = take_cpu(j, t->cpu, i);
	s->open = true;
	s->from = from;
	s->to = to;
	s->state = state;
	s->thief = thief;
	s->cpu = t->cpu;
	return err;
}

/* record_fn */
static int record(struct analysis *a, void *arg, const union rec *rec,
		  const struct resolved *where)
{
	struct joiner *j = arg;
	int err = timeline_record(a, j->tl, rec, where);

	if (!err && where && j->sample &&
	    time_ranges_has(a->time, rec->hdr.tsc))
		err = j->sample(j->arg, &rec->sample, where);
	return err;
}

int slices_write(struct timeline *tl, slice_fn *fn, slice_sample_fn *sample,
		 void *arg, struct chain_pass *chains, FILE *out)
{
	struct joiner j = { .tl = tl,
			    .fn = fn,
			    .sample = sample,
			    .arg = arg,
			    .stretch = tl->stretch,
			    .stretch_arg = tl->stretch_arg };
	size_t i;
	int err;

	tl->stretch = join;
	tl->stretch_arg = &j;
	if (chains) {
		chains->fn = record;
		chains->arg = &j;
		err = chain_pass_run(chains, 0);
	} else {
		err = analysis_run(tl->a, 0, record, &j);
	}
	if (!err)
		err = timeline_finish(tl);
	for (i = 0; i < j.nr && !err; i++)
		err = flush_slice(&j, i);
	if (!err)
		err = io_flush(out);
	free(j.slices);
	free(j.on_cpu);
	return err;
}
