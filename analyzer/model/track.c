// SPDX-License-Identifier: GPL-2.0-only
/* Sums of one vCPU's time. */

#include <string.h>

#include "model/track.h"
#include "base/saturate.h"

unsigned int track_host_class(const struct bucket_key *key, bool loaded,
			      enum sample_irq irq)
{
	if (key->mode == MODE_USER)
		return ON_VMM_USER;
	if (loaded && exit_is_hlt(key->exit))
		return ON_POLL;
	if (irq != IRQ_NONE)
		return irq == IRQ_HARD ? ON_VMM_HARDIRQ : ON_VMM_SOFTIRQ;
	if (!loaded || key->exit == EXIT_NONE)
		return ON_VMM_NONE;
	return ON_VMM_EXIT + exit_place(key->exit);
}

void split_ticks(__u64 whole, const __u64 *counts, size_t nr, __u64 *parts)
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

void track_by_samples(struct track *t)
{
	__u64 on = t->ticks[STATE_ON_CPU];

	split_ticks(on > t->idle ? on - t->idle : 0, t->on_cpu, NR_ON_CPU,
		    t->on_ticks);
}

void track_sum(const struct track *t, struct track_sum *ret)
{
	__u64 on = t->ticks[STATE_ON_CPU];
	__u64 idle = t->idle < on ? t->idle : on, busy = on - idle, classed = 0;
	unsigned int i;

	memset(ret, 0, sizeof(*ret));
	memcpy(ret->on, t->on_ticks, sizeof(ret->on));
	ret->guest = ret->on[ON_GUEST_KERNEL] + ret->on[ON_GUEST_USER] +
		     ret->on[ON_GUEST_OTHER];
	for (i = ON_VMM_USER; i < NR_ON_CPU; i++)
		if (i != ON_POLL)
			ret->vmm += ret->on[i];
	ret->poll = ret->on[ON_POLL];
	ret->idle = idle;
	ret->asleep = t->ticks[STATE_HALT];
	ret->halt = sat_add(ret->asleep, ret->poll + ret->idle);
	ret->preempted = t->ticks[STATE_PREEMPTED];
	ret->woken = t->ticks[STATE_WOKEN];
	ret->steal = sat_add(ret->preempted, ret->woken);
	ret->blocked = t->ticks[STATE_BLOCKED];
	for (i = 0; i < NR_ON_CPU; i++)
		sat_sum(&classed, ret->on[i]);
	ret->not_sampled = busy > classed ? busy - classed : 0;
	ret->unknown = sat_add(t->ticks[STATE_UNKNOWN], ret->not_sampled);
}

void track_sum_add(struct track_sum *to, const struct track_sum *from)
{
	const __u64 *f = (const __u64 *)from;
	__u64 *t = (__u64 *)to;
	size_t i;

	for (i = 0; i < sizeof(*to) / sizeof(*t); i++)
		sat_sum(&t[i], f[i]);
}
