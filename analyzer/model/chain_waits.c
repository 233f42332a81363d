// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the chain of each stretch of time in which a vCPU did not run.
 *
 * A stretch is told when it ends, or a part of it does; by then the CHAIN
 * records of the OUT record that it began with have come, for they have its time
 * and are behind it on its CPU.  An OUT record is looked at when its first
 * stretch comes, or the CPU's next OUT record.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/vec.h"
#include "model/chain_waits.h"

static int out(void *arg, const struct chain_out *o);
static int stretch(void *arg, const struct track *t, enum vcpu_state state,
		   __u64 from, __u64 to, __u32 thief);

void chain_waits_init(struct chain_waits *w, struct timeline *tl,
		      struct chain_tree *tree, struct chain_join *join,
		      struct chain_names *names)
{
	memset(w, 0, sizeof(*w));
	w->a = tl->a;
	w->tl = tl;
	w->tree = tree;
	w->join = join;
	w->names = names;
	w->stretch = tl->stretch;
	w->stretch_arg = tl->stretch_arg;
	tl->stretch = stretch;
	tl->stretch_arg = w;
	join->out_fn = out;
	join->out_arg = w;
}

void chain_waits_deinit(struct chain_waits *w)
{
	free(w->tracks);
	free(w->waits);
	hash_deinit(&w->by_wait);
	memset(w, 0, sizeof(*w));
}

int chain_waits_clear(struct chain_waits *w)
{
	__u32 **keep = malloc((2 * w->nr_tracks + 1) * sizeof(*keep));
	struct chain_asleep *s;
	size_t i, nr = 0;
	int err;

	if (!keep)
		return -ENOMEM;
	for (i = 0; i < w->nr_tracks; i++) {
		s = &w->tracks[i];
		if (!s->known)
			continue;
		keep[nr++] = &s->code;
		if (s->blocked != VMMPROF_NONE)
			keep[nr++] = &s->blocked;
	}
	err = chain_tree_clear(w->tree, keep, nr);
	free(keep);
	hash_deinit(&w->by_wait);
	memset(&w->by_wait, 0, sizeof(w->by_wait));
	memset(&w->counts, 0, sizeof(w->counts));
	w->nr = 0;
	w->last = 0;
	return err;
}

/* NULL without memory. */
static struct chain_asleep *asleep(struct chain_waits *w, __u32 track)
{
	size_t more = 2 * ((size_t)track + 1);
	struct chain_asleep *p;

	if (track < w->nr_tracks)
		return &w->tracks[track];
	p = realloc(w->tracks, more * sizeof(*p));
	if (!p)
		return NULL;
	w->tracks = p;
	memset(p + w->nr_tracks, 0, (more - w->nr_tracks) * sizeof(*p));
	for (; w->nr_tracks < more; w->nr_tracks++)
		p[w->nr_tracks].cpu = VMMPROF_NONE;
	return &p[track];
}

static __u32 machine_of(const struct chain_waits *w, __u32 track)
{
	return 1 + w->tl->tracks[track]->guest;
}

/* The node of w->frames. */
static int add_path(struct chain_waits *w, __u32 *node)
{
	int err = 0;

	if (w->inlines)
		err = chain_inlines_expand(w->inlines, &w->frames);
	return err ? err :
		     chain_tree_path(w->tree, &w->frames,
				     chain_tree_full(w->tree, &w->frames),
				     node);
}

/* chain_out_fn */
static int out(void *arg, const struct chain_out *o)
{
	struct chain_waits *w = arg;
	struct chain_asleep *s = asleep(w, o->track);
	__u32 machine = machine_of(w, o->track);
	int err;

	if (!s)
		return -ENOMEM;
	w->any |= o->has_state;
	if (s->cpu == VMMPROF_NONE)
		return 0; /* it ran since then */
	s->cpu = VMMPROF_NONE;
	err = chain_frames_out(&w->frames, &w->a->resolver, w->names, o,
			       machine, false);
	if (err)
		return err;
	s->known = true;
	s->guest = w->frames.nr > 0;
	s->end = w->frames.end;
	err = add_path(w, &s->code);
	s->blocked = VMMPROF_NONE;
	if (err || state_of_out(&o->rec) != EV_OUT_BLOCKED)
		return err;
	err = chain_frames_out(&w->frames, &w->a->resolver, w->names, o,
			       machine, true);
	s->blocked_end = w->frames.end;
	return err ? err : add_path(w, &s->blocked);
}

int chain_waits_record(struct chain_waits *w, const union rec *rec)
{
	unsigned int type = rec->hdr.type;
	struct chain_asleep *s;
	__u32 track;
	int err;

	if (type != VMMPROF_REC_OUT && type != VMMPROF_REC_IN)
		return 0;
	track = track_find(w->tl, rec->sw.pid, rec->sw.tid);
	if (track == VMMPROF_NONE)
		return 0;
	s = asleep(w, track);
	if (!s)
		return -ENOMEM;
	s->known = false;
	s->cpu = VMMPROF_NONE;
	if (type == VMMPROF_REC_IN)
		return 0;
	/* the CPU's last one comes to an end by this, and may be of this track */
	err = chain_join_out(w->join, w->a->rec_cpu, &rec->sw, track);
	w->tracks[track].cpu = w->a->rec_cpu;
	return err;
}

/* The chain of a track that does not run; NULL without memory. */
static int find_asleep(struct chain_waits *w, __u32 track,
		       struct chain_asleep **ret)
{
	struct chain_asleep *s = asleep(w, track);
	int err = 0;

	if (!s)
		return -ENOMEM;
	if (s->cpu != VMMPROF_NONE)
		err = chain_join_out_now(w->join, s->cpu);
	*ret = s;
	if (err || s->known)
		return err;
	/* no OUT record: its machine is all that is known */
	w->frames.nr = 0;
	w->frames.machine = machine_of(w, track);
	w->frames.proc = VMMPROF_NONE;
	w->frames.tid = 0;
	s->known = true;
	s->guest = false;
	s->end = VMMPROF_END_DONE;
	s->blocked = VMMPROF_NONE;
	return add_path(w, &s->code);
}

static unsigned int end_of(const struct chain_asleep *s, unsigned int state)
{
	return state == STATE_BLOCKED && s->blocked != VMMPROF_NONE ?
		       s->blocked_end :
		       s->end;
}

/* The machine alone: there are too many chains. */
static int step_full(struct chain_waits *w, __u32 machine, __u32 *node)
{
	int err;

	*node = 0;
	err = chain_tree_step(w->tree, FRAME_MACHINE, machine, 0, node);
	return err ? err :
		     chain_tree_step(w->tree, FRAME_BROKEN, machine,
				     CHAIN_TREE_FULL, node);
}

int chain_waits_node(struct chain_waits *w, const struct track *t,
		     enum vcpu_state state, __u32 thief, __u32 *node)
{
	bool full = w->tree->nr_nodes + 2 > w->tree->max ||
		    w->nr >= 2 * w->tree->max;
	__u32 machine = machine_of(w, t->index);
	struct chain_asleep *s;
	int err;

	err = find_asleep(w, t->index, &s);
	if (err)
		return err;
	if (state == STATE_BLOCKED && s->blocked != VMMPROF_NONE) {
		*node = s->blocked;
		return 0;
	}
	*node = s->code;
	if (full)
		err = step_full(w, machine, node);
	if (!err)
		err = chain_tree_step(
			w->tree, FRAME_STATE, machine,
			state_waits(state) ? STATE_PREEMPTED : state, node);
	if (!err && state_waits(state))
		err = chain_tree_step(w->tree, FRAME_THIEF, machine, thief,
				      node);
	return err;
}

static void count(struct chain_waits *w, const struct chain_asleep *s,
		  unsigned int state, __u64 ticks)
{
	unsigned int end = end_of(s, state);

	sat_sum(&w->counts.ticks, ticks);
	if (!s->guest) {
		sat_sum(&w->counts.none, ticks);
		return;
	}
	sat_sum(&w->counts.class[chain_class_of(end)], ticks);
	sat_sum(&w->counts.end[end], ticks);
}

/* Add ticks of a track below a node. */
static int add(struct chain_waits *w, const struct chain_wait *of)
{
	__u64 key = (__u64)of->node << 32 | of->track;
	__u32 i = hash_get(&w->by_wait, key);
	int err;

	if (i == VMMPROF_NONE) {
		i = w->nr;
		err = vec_grow(&w->waits, &w->cap, i, sizeof(*w->waits));
		if (!err)
			err = hash_set(&w->by_wait, key, i);
		if (err)
			return err;
		w->waits[w->nr++] = *of;
	} else {
		sat_sum(&w->waits[i].ticks, of->ticks);
	}
	w->last = i;
	return 0;
}

/* stretch_fn */
static int stretch(void *arg, const struct track *t, enum vcpu_state state,
		   __u64 from, __u64 to, __u32 thief)
{
	struct chain_waits *w = arg;
	struct chain_wait of = { .track = t->index,
				 .state = state,
				 .thief = VMMPROF_NONE,
				 .ticks = to - from };
	int err = 0;

	if (state_waits(state)) {
		of.state = STATE_PREEMPTED;
		/* beyond the pairs that are kept, as the timeline counts it */
		of.thief = hash_get(&w->tl->thieves.pairs,
				    (__u64)t->index << 32 | thief) ==
					   VMMPROF_NONE ?
				   0 :
				   thief;
	}
	if (!w->still && (state_waits(state) || state_sleeps(state))) {
		err = chain_waits_node(w, t, state, of.thief, &of.node);
		if (!err)
			err = add(w, &of);
		if (!err && w->slices)
			err = chain_slices_spend(w->slices, w->last, from, to);
		if (!err)
			count(w, &w->tracks[t->index], state, to - from);
		if (!err && w->each)
			err = w->each(w->each_arg, t, from, to, of.node);
	}
	if (!err && w->stretch)
		err = w->stretch(w->stretch_arg, t, state, from, to, thief);
	return err;
}
