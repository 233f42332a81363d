// SPDX-License-Identifier: GPL-2.0-only
/* Sums of one vCPU's time. */

#include <string.h>

#include "model/track.h"
#include "base/saturate.h"

unsigned int vmmprof_track_class(const struct vmmprof_cell_key *key,
				 bool loaded)
{
	if (key->guest) {
		if (key->mode == VMMPROF_MODE_KERNEL)
			return VMMPROF_ON_GUEST_KERNEL;
		if (key->mode == VMMPROF_MODE_USER)
			return VMMPROF_ON_GUEST_USER;
		return VMMPROF_ON_GUEST_OTHER;
	}
	if (key->mode == VMMPROF_MODE_USER)
		return VMMPROF_ON_VMM_USER;
	if (!loaded || key->exit == VMMPROF_EXIT_NONE)
		return VMMPROF_ON_VMM_NONE;
	if (key->exit == VMMPROF_EXIT_HLT)
		return VMMPROF_ON_POLL;
	if (key->exit >= VMMPROF_EXIT_REASONS)
		return VMMPROF_NR_ON_CPU - 1;
	return VMMPROF_ON_VMM_EXIT + key->exit;
}

void vmmprof_split(__u64 whole, const __u64 *counts, size_t nr, __u64 *parts)
{
	__u64 sum = 0, upto = 0, given = 0, now;
	__uint128_t all = 0;
	unsigned int shift = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		all += counts[i];
	/* What is shared out has 64 bits at most, and so must the shares. */
	while (all >> shift > VMMPROF_SATURATED)
		shift++;
	for (i = 0; i < nr; i++)
		sum += counts[i] >> shift;
	for (i = 0; i < nr; i++) {
		upto += counts[i] >> shift;
		now = sum ? (__u64)((__uint128_t)whole * upto / sum) : 0;
		parts[i] = now - given;
		given = now;
	}
}

void vmmprof_track_sum(const struct vmmprof_track *t,
		       struct vmmprof_track_sum *ret)
{
	__u64 on = t->ticks[VMMPROF_ST_ON_CPU];
	__u64 idle = t->idle < on ? t->idle : on, busy = on - idle;
	unsigned int i;

	memset(ret, 0, sizeof(*ret));
	vmmprof_split(busy, t->on_cpu, VMMPROF_NR_ON_CPU, ret->on);
	ret->guest = ret->on[VMMPROF_ON_GUEST_KERNEL] +
		     ret->on[VMMPROF_ON_GUEST_USER] +
		     ret->on[VMMPROF_ON_GUEST_OTHER];
	for (i = VMMPROF_ON_VMM_USER; i < VMMPROF_NR_ON_CPU; i++)
		if (i != VMMPROF_ON_POLL)
			ret->vmm += ret->on[i];
	ret->poll = ret->on[VMMPROF_ON_POLL];
	ret->idle = idle;
	ret->asleep = t->ticks[VMMPROF_ST_HALT];
	ret->halt = vmmprof_sat_add(ret->asleep, ret->poll + ret->idle);
	ret->preempted = t->ticks[VMMPROF_ST_PREEMPTED];
	ret->woken = t->ticks[VMMPROF_ST_WOKEN];
	ret->steal = vmmprof_sat_add(ret->preempted, ret->woken);
	ret->blocked = t->ticks[VMMPROF_ST_BLOCKED];
	ret->not_sampled = busy - ret->guest - ret->vmm - ret->poll;
	ret->unknown = vmmprof_sat_add(t->ticks[VMMPROF_ST_UNKNOWN],
				       ret->not_sampled);
}

void vmmprof_track_sum_add(struct vmmprof_track_sum *to,
			   const struct vmmprof_track_sum *from)
{
	const __u64 *f = (const __u64 *)from;
	__u64 *t = (__u64 *)to;
	size_t i;

	for (i = 0; i < sizeof(*to) / sizeof(*t); i++)
		vmmprof_sum(&t[i], f[i]);
}
