// SPDX-License-Identifier: GPL-2.0-only
/* When VMs lose so much that a session is to be made of it. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/vec.h"
#include "cmd/agent/alarm.h"
#include "model/timeline.h"

bool alarm_streak_add(struct alarm_streak *s, const struct alarm_limit *limit,
		      __u64 ns, __u64 steal, __u64 all)
{
	if (sat_mul(steal, 100) <= sat_mul(all, limit->percent)) {
		memset(s, 0, sizeof(*s));
		return false;
	}
	sat_sum(&s->ns, ns);
	sat_sum(&s->steal, steal);
	sat_sum(&s->all, all);
	return s->ns >= limit->for_ns;
}

/* One more VM may have come. */
static int make_room(struct alarm *a, size_t nr)
{
	size_t was = a->cap;

	if (nr <= was)
		return 0;
	if (vec_grow(&a->vms, &a->cap, nr, sizeof(*a->vms)))
		return -ENOMEM;
	memset(a->vms + was, 0, (a->cap - was) * sizeof(*a->vms));
	return 0;
}

/* The ticks of each VM's vCPUs in the window until now. */
static void add_up(struct alarm *a, const struct timeline *tl, size_t nr)
{
	const struct track *t;
	struct alarm_vm *vm;
	size_t i, k;

	for (i = 0; i < nr; i++) {
		a->vms[i].new_steal = 0;
		a->vms[i].new_all = 0;
	}
	for (i = 0; i < tl->nr; i++) {
		t = tl->tracks[i];
		vm = &a->vms[t->guest];
		for (k = 0; k < NR_STATES; k++) {
			sat_sum(&vm->new_all, t->ticks[k]);
			if (state_waits(k))
				sat_sum(&vm->new_steal, t->ticks[k]);
		}
	}
}

/* What came to a sum since the look before. */
static __u64 step(__u64 *was, __u64 now, bool anew)
{
	__u64 ret = anew ? now : now > *was ? now - *was : 0;

	*was = now;
	return ret;
}

int alarm_look(struct alarm *a, const struct timeline *tl, __u64 until,
	       bool anew, struct agent_alarm *ret)
{
	const struct guests *g = &tl->a->resolver.guests;
	__u64 ns = 0, permille;
	struct alarm_vm *vm;
	size_t i;

	*ret = (struct agent_alarm){ 0 };
	if (!a->limit.percent || !tl->khz || !timeline_exact(tl))
		return 0;
	if (make_room(a, g->nr))
		return -ENOMEM;
	if (a->until && until > a->until)
		ns = sat_scale(until - a->until, 1000000, tl->khz);
	a->until = until;
	add_up(a, tl, g->nr);
	for (i = 0; i < g->nr; i++) {
		vm = &a->vms[i];
		if (!alarm_streak_add(&vm->streak, &a->limit, ns,
				      step(&vm->steal, vm->new_steal, anew),
				      step(&vm->all, vm->new_all, anew)))
			continue;
		permille = sat_scale(vm->streak.steal, 1000, vm->streak.all);
		if (permille > ret->permille)
			*ret = (struct agent_alarm){ g->guests[i].pid,
						     permille };
	}
	return 0;
}

void alarm_deinit(struct alarm *a)
{
	free(a->vms);
	a->vms = NULL;
	a->cap = 0;
}

bool alarm_turn_look(struct alarm_turn *t, bool on, __u64 now)
{
	bool began = on && !t->on;

	t->on = on;
	if (!began && !(on && t->any && now - t->last_ns >= t->again_ns))
		return false;
	t->wanted = true;
	return true;
}

bool alarm_turn_take(struct alarm_turn *t, __u64 now)
{
	if (!t->wanted || (t->any && now - t->last_ns < t->again_ns / 2))
		return false;
	t->wanted = false;
	t->any = true;
	t->last_ns = now;
	return true;
}
