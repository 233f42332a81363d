// SPDX-License-Identifier: GPL-2.0-only
/*
 * `vmmprof record --max-overhead`, and agent's.  Each second the CPU is looked for that spent
 * most on samples.  If that is more than it may be, all CPUs take fewer.
 * Periods are never made shorter again: what was too much once would be again,
 * and each change costs samples (format/session.h).
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#include "base/clock.h"
#include "cmd/record/messages.h"
#include "cmd/record/recording.h"

#define FIRST_NS    250000000ull /* what is far too much ends soon */
#define INTERVAL_NS 1000000000ull

int record_check_overhead(const struct recording *r)
{
	if (!r->opts->max_overhead || r->dev.info.features & VMMPROF_FEAT_SPENT)
		return 0;
	record_say(
		"--max-overhead: the loaded module is older and does not measure what it spends");
	record_say("  Leave it out, or: " DEVICE_REBUILD);
	return -EOPNOTSUPP;
}

static struct overhead_cpu now_of(const struct mapped_ring *ring)
{
	const struct vmmprof_ring_head *h = ring->head;

	return (struct overhead_cpu){
		.spent = __atomic_load_n(&h->spent, __ATOMIC_RELAXED),
		.samples = __atomic_load_n(&h->samples, __ATOMIC_RELAXED) +
			   __atomic_load_n(&h->lost, __ATOMIC_RELAXED),
	};
}

int record_begin_overhead(struct recording *r)
{
	struct record_overhead *o = &r->overhead;

	if (!r->opts->max_overhead)
		return 0;
	o->last = calloc(r->dev.nr_rings, sizeof(*o->last));
	if (!o->last)
		return -ENOMEM;
	o->last_tsc = __rdtsc();
	o->next_ns = clock_now() + FIRST_NS;
	return 0;
}

/* The CPU that spent most since the last look; its share, and its samples. */
static uint32_t worst(struct recording *r, uint64_t ticks, uint32_t *cpu,
		      uint64_t *samples)
{
	struct record_overhead *o = &r->overhead;
	uint32_t share, most = 0;
	unsigned int i;

	for (i = 0; i < r->dev.nr_rings; i++) {
		const struct overhead_cpu now = now_of(&r->dev.rings[i]);

		share = overhead_share(&now, &o->last[i], ticks,
				       r->dev.info.tsc_khz);
		if (share >= most) {
			most = share;
			*cpu = r->dev.rings[i].cpu;
			*samples = now.samples - o->last[i].samples;
		}
		o->last[i] = now;
	}
	return most;
}

int record_widen(struct recording *r, struct vmmprof_info_widened *item)
{
	struct record_overhead *o = &r->overhead;
	uint64_t samples;
	uint32_t cpu;
	int ret;

	item->tsc = __rdtsc();
	ret = device_widen(&r->dev, item->factor);
	item->until_tsc = __rdtsc();
	if (ret) {
		record_say(
			"cannot make samples rarer, as --max-overhead asks: %s",
			strerror(-ret));
		return ret;
	}
	ret = session_writer_widened(&r->out, item);
	if (ret)
		record_say_unwritten(r->opts->dir, ret);
	else
		record_say(
			"CPU %u spent %.2f %% of its time on samples, of at most %.2f %% (--max-overhead): they are %u times as far apart from now on",
			item->cpu, item->spent / 1e4, item->limit / 1e4,
			item->factor);
	worst(r, 0, &cpu, &samples); /* from here on */
	o->last_tsc = __rdtsc();
	o->next_ns = clock_now() + INTERVAL_NS;
	return ret;
}

bool record_measure_overhead(struct recording *r,
			     struct vmmprof_info_widened *item)
{
	struct record_overhead *o = &r->overhead;
	uint64_t ticks, samples = 0, tsc;

	*item = (struct vmmprof_info_widened){ .limit = r->opts->max_overhead };
	if (!o->last || clock_now() < o->next_ns)
		return false;
	tsc = __rdtsc();
	ticks = tsc - o->last_tsc;
	item->spent = worst(r, ticks, &item->cpu, &samples);
	item->factor = overhead_factor(item->spent, item->limit,
				       samples * r->dev.info.tsc_khz * 1000 /
					       (ticks ? ticks : 1));
	if (item->factor <= 1 && item->spent > item->limit && !o->said) {
		record_say(
			"warning: CPU %u spends %.2f %% of its time on samples, of at most %.2f %% (--max-overhead), but there are few already",
			item->cpu, item->spent / 1e4, item->limit / 1e4);
		o->said = true;
	}
	o->last_tsc = tsc;
	o->next_ns = clock_now() + INTERVAL_NS;
	return item->factor > 1;
}

int record_look_at_overhead(struct recording *r)
{
	struct vmmprof_info_widened item;

	return record_measure_overhead(r, &item) ? record_widen(r, &item) : 0;
}
