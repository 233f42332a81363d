// SPDX-License-Identifier: GPL-2.0-only
/* Stretches of a vCPU joined to slices, and what a slice is called. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/foreign_names.h"
#include "view/timeline.h"

struct joiner {
	struct vmmprof_timeline *tl;
	vmmprof_slice_fn *fn;
	void *arg;
	struct vmmprof_slice *slices; /* of each track */
	size_t nr;
};

void vmmprof_slice_vcpu(const struct vmmprof_track *t, char *buf, size_t size)
{
	if (t->vcpu_id == VMMPROF_NONE)
		snprintf(buf, size, "thread %u", t->tid);
	else
		snprintf(buf, size, "vCPU %u", t->vcpu_id);
}

void vmmprof_slice_guest(const struct vmmprof_timeline *tl,
			 const struct vmmprof_track *t, char *buf, size_t size)
{
	vmmprof_foreign_guest(buf, size,
			      tl->a->resolver.guests.guests[t->guest].name);
}

void vmmprof_slice_culprit(const struct vmmprof_timeline *tl,
			   const struct vmmprof_slice *s, char *buf,
			   size_t size)
{
	const char *words[VMMPROF_NR_BY + 1] = { NULL };
	const struct vmmprof_culprit *c;
	char guest[128], vcpu[32];
	unsigned int i;

	*buf = 0;
	if (s->culprit == VMMPROF_NONE)
		return;
	c = &tl->culprits.culprits[s->culprit];
	for (i = 0; i < VMMPROF_NR_BY; i++)
		words[i] = vmmprof_culprit_key(i);
	if (c->kind == VMMPROF_BY_VCPU) {
		vmmprof_slice_guest(tl, tl->tracks[c->id], guest,
				    sizeof(guest));
		vmmprof_slice_vcpu(tl->tracks[c->id], vcpu, sizeof(vcpu));
		snprintf(buf, size, "%s %s", guest, vcpu);
	} else if (c->kind == VMMPROF_BY_PROCESS ||
		   c->kind == VMMPROF_BY_KTHREAD || c->kind == VMMPROF_BY_IRQ) {
		vmmprof_foreign(buf, size,
				vmmprof_strings_get(&tl->culprits.names, c->id),
				words);
	} else {
		snprintf(buf, size, "%s", vmmprof_culprit_key(c->kind));
	}
}

static int flush_slice(struct joiner *j, __u32 i)
{
	struct vmmprof_slice *s = &j->slices[i];
	int err;

	if (!s->open)
		return 0;
	s->open = false;
	if (vmmprof_state_waits(s->state))
		vmmprof_sum(&s->stolen, s->to - s->from);
	err = j->fn(j->arg, i, s);
	s->named = true;
	return err;
}

/* vmmprof_stretch_fn */
static int join(void *arg, const struct vmmprof_track *t,
		enum vmmprof_state state, __u64 from, __u64 to, __u32 culprit)
{
	struct joiner *j = arg;
	__u32 i = vmmprof_track_find(j->tl, t->pid, t->tid);
	struct vmmprof_slice *s;
	size_t nr = j->tl->nr;
	int err;

	if (i == VMMPROF_NONE)
		return 0;
	if (j->nr < nr) {
		s = realloc(j->slices, nr * sizeof(*s));
		if (!s)
			return -ENOMEM;
		memset(s + j->nr, 0, (nr - j->nr) * sizeof(*s));
		j->slices = s;
		j->nr = nr;
	}
	s = &j->slices[i];
	/* Time on a CPU comes in pieces, one for each sample. */
	if (s->open && s->to == from && s->state == state &&
	    s->culprit == culprit && s->cpu == t->cpu) {
		s->to = to;
		return 0;
	}
	err = flush_slice(j, i);
	s->open = true;
	s->from = from;
	s->to = to;
	s->state = state;
	s->culprit = culprit;
	s->cpu = t->cpu;
	return err;
}

int vmmprof_slices_write(struct vmmprof_timeline *tl, vmmprof_slice_fn *fn,
			 void *arg, FILE *out)
{
	struct joiner j = { .tl = tl, .fn = fn, .arg = arg };
	size_t i;
	int err;

	tl->stretch = join;
	tl->stretch_arg = &j;
	err = vmmprof_timeline_run(tl, 0);
	for (i = 0; i < j.nr && !err; i++)
		err = flush_slice(&j, i);
	if (!err && (fflush(out) || ferror(out)))
		err = -EIO;
	free(j.slices);
	return err;
}
