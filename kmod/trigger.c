// SPDX-License-Identifier: GPL-2.0-only
/*
 * Per-CPU perf kernel counters, kept in step with CPUs that come and go.
 *
 * perf's own driver owns the hardware.  It detaches an event from a CPU that
 * goes offline and does not bring it back, so counters live exactly between
 * the two calls of a CPU hotplug state, which also makes and releases the
 * first ones: cpuhp_setup_state() calls us for every online CPU.
 *
 * Counters are pinned: one that the PMU has no place for is not multiplexed
 * silently but goes to an error state, which perf tells nobody.  So the state
 * is looked at after arming, and again whenever statistics are asked for.
 */
#include <linux/cpu.h>
#include <linux/overflow.h>
#include <linux/perf_event.h>

#include "trigger.h"

#define CLOCK_MIN_NS 10000 /* perf_swevent_hrtimer() goes no faster */
#define MAX_HZ	     (NSEC_PER_SEC / CLOCK_MIN_NS)

/* Of the hotplug callbacks.  Set while they are registered. */
static struct vmmprof_trigger *hp_trigger;

/* Are the modes that are left out not all there are? */
static bool modes_fit(const struct vmmprof_event *event)
{
	const u32 cpl = VMMPROF_EVENT_F_NO_USER | VMMPROF_EVENT_F_NO_KERNEL;
	const u32 vmx = VMMPROF_EVENT_F_NO_HOST | VMMPROF_EVENT_F_NO_GUEST;

	if (event->flags & VMMPROF_EVENT_F_MODES &&
	    event->type == PERF_TYPE_SOFTWARE)
		return false;
	return (event->flags & cpl) != cpl && (event->flags & vmx) != vmx;
}

int vmmprof_event_check(const struct vmmprof_event *event)
{
	const u32 all = VMMPROF_EVENT_F_FREQ | VMMPROF_EVENT_F_MODES;

	if (event->flags & ~all || !modes_fit(event) || !event->period)
		return -EINVAL;
	if (event->flags & VMMPROF_EVENT_F_FREQ && event->period > MAX_HZ)
		return -EINVAL;
	/* perf_event_open(2) refuses it, the kernel's own call does not. */
	if (event->period >> 63)
		return -EINVAL;

	switch (event->type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
		/* The upper half would choose a PMU. */
		return event->config >> 32 ? -EINVAL : 0;
	case PERF_TYPE_RAW:
		return 0;
	case PERF_TYPE_SOFTWARE:
		if (event->config != PERF_COUNT_SW_CPU_CLOCK)
			return -EINVAL;
		if (!(event->flags & VMMPROF_EVENT_F_FREQ) &&
		    event->period < CLOCK_MIN_NS)
			return -EINVAL;
		return 0;
	}
	return -EINVAL;
}

bool vmmprof_needs_pmu(const struct vmmprof_event *events, u32 nr)
{
	while (nr--)
		if (events[nr].type != PERF_TYPE_SOFTWARE)
			return true;
	return false;
}

/*
 * On machines with CPUs of several types a plain event belongs to the first
 * type's PMU only (ENOENT elsewhere).  The upper half of a hardware event's
 * config names another one; only CPU PMUs accept that, so the others may be
 * asked, too.  A raw event's type is its PMU: the one that takes cycles so.
 */
static struct perf_event *create_hybrid(const struct perf_event_attr *attr,
					int cpu, struct vmmprof_counter *c)
{
	bool raw = attr->type == PERF_TYPE_RAW;
	u64 config = raw ? PERF_COUNT_HW_CPU_CYCLES : attr->config, type;
	struct perf_event *event = ERR_PTR(-ENOENT);
	struct perf_event_attr one = *attr;

	if (raw)
		one.type = PERF_TYPE_HARDWARE;
	for (type = PERF_TYPE_MAX; type < PERF_TYPE_MAX + 64; type++) {
		one.config = type << VMMPROF_PMU_TYPE_SHIFT | config;
		event = perf_event_create_kernel_counter(&one, cpu, NULL,
							 c->cpu->overflow, c);
		if (!IS_ERR(event))
			break;
	}
	if (IS_ERR(event) || !raw)
		return event;
	perf_event_release_kernel(event);
	one.type = type;
	one.config = attr->config;
	return perf_event_create_kernel_counter(&one, cpu, NULL,
						c->cpu->overflow, c);
}

static int counter_create(struct vmmprof_counter *c,
			  const struct vmmprof_event *e, int cpu)
{
	struct perf_event_attr attr = {
		.type = e->type,
		.size = sizeof(attr),
		.config = e->config,
		.pinned = 1,
		.disabled = 1,
		.exclude_user = !!(e->flags & VMMPROF_EVENT_F_NO_USER),
		.exclude_kernel = !!(e->flags & VMMPROF_EVENT_F_NO_KERNEL),
		.exclude_host = !!(e->flags & VMMPROF_EVENT_F_NO_HOST),
		.exclude_guest = !!(e->flags & VMMPROF_EVENT_F_NO_GUEST),
	};
	struct perf_event *event;

	if (e->flags & VMMPROF_EVENT_F_FREQ) {
		attr.freq = 1;
		attr.sample_freq = e->period;
	} else {
		attr.sample_period = e->period;
	}
	event = perf_event_create_kernel_counter(&attr, cpu, NULL,
						 c->cpu->overflow, c);
	if (event == ERR_PTR(-ENOENT) && vmmprof_hybrid() &&
	    e->type != PERF_TYPE_SOFTWARE)
		event = create_hybrid(&attr, cpu, c);
	if (IS_ERR(event)) {
		c->error = PTR_ERR(event);
		c->state = VMMPROF_EV_FAILED;
		return c->error;
	}
	c->error = 0;
	c->event = event;
	return 0;
}

static bool counter_failed(const struct vmmprof_counter *c)
{
	return READ_ONCE(c->event->state) < PERF_EVENT_STATE_OFF;
}

/* @state: what it is from now on, unless it had failed. */
static void counter_release(struct vmmprof_counter *c, u32 state)
{
	u64 enabled, running;

	if (!c->event)
		return;
	c->state = counter_failed(c) ? VMMPROF_EV_ERROR : state;
	c->count += perf_event_read_value(c->event, &enabled, &running);
	c->enabled += enabled;
	c->running += running;
	/* No callback is running or comes when this returns. */
	perf_event_release_kernel(c->event);
	c->event = NULL;
}

void vmmprof_trigger_stat(struct vmmprof_counter *c,
			  struct vmmprof_event_stat *stat)
{
	u64 enabled, running;

	stat->state = c->state;
	stat->error = c->error;
	stat->count = c->count;
	stat->enabled_ns = c->enabled;
	stat->running_ns = c->running;
	stat->throttled = READ_ONCE(c->throttled);
	if (!c->event)
		return;

	stat->count += perf_event_read_value(c->event, &enabled, &running);
	stat->enabled_ns += enabled;
	stat->running_ns += running;
	if (counter_failed(c))
		stat->state = VMMPROF_EV_ERROR;
	else if (READ_ONCE(c->event->state) == PERF_EVENT_STATE_OFF)
		stat->state = VMMPROF_EV_OFF;
	else
		stat->state = VMMPROF_EV_ACTIVE;
}

/* Enable one CPU's counters.  Context: hotplug lock held. */
static int cpu_enable(struct vmmprof_trigger *t, struct vmmprof_cpu *cpu)
{
	struct vmmprof_counter *c;
	int ret = 0;
	u32 i;

	for (i = 0; i < t->nr_events; i++) {
		c = &cpu->counters[i];
		if (!c->event)
			continue;
		perf_event_enable(c->event);
		if (counter_failed(c))
			ret = -ENOSPC;
	}
	return ret;
}

static int cpu_online_cb(unsigned int cpu)
{
	struct vmmprof_trigger *t = hp_trigger;
	struct vmmprof_cpu *c = t->cpus[cpu];
	int ret = 0;
	u32 i;

	if (!c)
		return 0;
	for (i = 0; i < t->nr_events; i++) {
		int err = counter_create(&c->counters[i], &t->events[i], cpu);

		if (err && t->creating) {
			t->bad_event = i;
			t->bad_cpu = cpu;
			while (i)
				counter_release(&c->counters[--i],
						VMMPROF_EV_OFF);
			return err;
		}
		if (err)
			ret = err;
	}
	if (t->armed && cpu_enable(t, c))
		ret = -ENOSPC;
	/* Ours is no reason to keep a CPU from coming: the reader is told. */
	if (ret) {
		WRITE_ONCE(t->broken, true);
		wake_up_interruptible(t->wait);
	}
	return 0;
}

static int cpu_offline_cb(unsigned int cpu)
{
	struct vmmprof_trigger *t = hp_trigger;
	struct vmmprof_cpu *c = t->cpus[cpu];
	u32 i;

	for (i = 0; c && i < t->nr_events; i++)
		counter_release(&c->counters[i], VMMPROF_EV_OFF);
	return 0;
}

static int create(struct vmmprof_trigger *t)
{
	int ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "vmmprof:online",
				    cpu_online_cb, cpu_offline_cb);

	if (ret < 0)
		return ret;
	t->hp = ret;
	return 0;
}

int vmmprof_trigger_create(struct vmmprof_trigger *t)
{
	int ret;

	hp_trigger = t;
	t->creating = true;
	ret = create(t);
	t->creating = false;
	return ret;
}

int vmmprof_trigger_widen(struct vmmprof_trigger *t, u32 factor)
{
	struct vmmprof_event wide[VMMPROF_MAX_EVENTS];
	u32 i;

	for (i = 0; i < t->nr_events; i++) {
		wide[i] = t->events[i];
		if (wide[i].flags & VMMPROF_EVENT_F_FREQ)
			wide[i].period /= factor;
		else if (check_mul_overflow(wide[i].period, (u64)factor,
					    &wide[i].period))
			return -EINVAL;
		if (vmmprof_event_check(&wide[i]))
			return -EINVAL;
	}
	/* As if all CPUs went and came. */
	cpuhp_remove_state(t->hp);
	t->hp = 0;
	memcpy(t->events, wide, sizeof(wide[0]) * t->nr_events);
	return create(t);
}

int vmmprof_trigger_enable(struct vmmprof_trigger *t)
{
	unsigned int cpu;
	int ret = 0;

	/* CPUs come only without that lock: each is armed here or there. */
	cpus_read_lock();
	t->armed = true;
	for_each_online_cpu(cpu)
		if (t->cpus[cpu] && cpu_enable(t, t->cpus[cpu]))
			ret = -ENOSPC;
	cpus_read_unlock();
	return ret;
}

void vmmprof_trigger_release(struct vmmprof_trigger *t)
{
	unsigned int cpu, i;

	if (!t->hp)
		return;
	cpuhp_remove_state(t->hp);
	t->hp = 0;
	for_each_possible_cpu(cpu)
		for (i = 0; t->cpus[cpu] && i < t->nr_events; i++)
			if (t->cpus[cpu]->counters[i].state == VMMPROF_EV_OFF)
				t->cpus[cpu]->counters[i].state =
					VMMPROF_EV_STOPPED;
}
