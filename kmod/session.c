// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampling session: states, lifetime, rings.
 *
 * Locks: session_lock says which session there is, and whether one may run; a
 * session's own lock is taken before it, and before the CPU hotplug lock, whose
 * callbacks take neither.  The mmap
 * handler and poll() need none: rings, once published, stay until the last
 * reference to the file is gone.
 */
#include <linux/cpu.h>
#include <linux/nospec.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/suspend.h>
#include <linux/slab.h>
#include <asm/tsc.h>

#include "guest_state.h"
#include "identity.h"
#include "params.h"
#include "session.h"
#include "vcpu.h"

static DEFINE_MUTEX(session_lock);
static struct vmmprof_session *the_session;
static bool suspending; /* no session may begin to sample */

int vmmprof_session_open(struct vmmprof_session **ret)
{
	struct vmmprof_session *s;
	int err = 0;

	s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	if (!s)
		return -ENOMEM;
	mutex_init(&s->lock);
	init_waitqueue_head(&s->wait);
	s->owner = current->files;
	s->pid = task_tgid_nr(current);

	mutex_lock(&session_lock);
	if (the_session)
		err = -EBUSY;
	else
		the_session = s;
	/* The KVM that is there now is the one the opener looks at. */
	if (!err)
		vmmprof_kvm_use(vmmprof_kvm_loads());
	mutex_unlock(&session_lock);

	if (err)
		kfree(s);
	else
		*ret = s;
	return err;
}

/* What takes chains and identities, counters and probes, is gone. */
static void cpus_stop(struct vmmprof_session *s)
{
	unsigned int cpu;

	for (cpu = 0; s->cpus && cpu < nr_cpu_ids; cpu++) {
		if (!s->cpus[cpu])
			continue;
		vmmprof_chain_stop(s->cpus[cpu]);
		vmmprof_identity_stop(s->cpus[cpu]);
		vmmprof_ring_end(&s->cpus[cpu]->ring, rdtsc());
	}
}

/* Nothing is written to the rings any more when this returns. */
static void disarm(struct vmmprof_session *s)
{
	vmmprof_trigger_release(&s->trigger);
	vmmprof_switch_destroy(s->sw);
	s->sw = NULL;
	cpus_stop(s);
	vmmprof_exits_stop(s->exits);
	s->state = VMMPROF_STOPPED;
}

void vmmprof_session_end(struct vmmprof_session *s)
{
	mutex_lock(&s->lock);
	if (!s->over) {
		disarm(s);
		WRITE_ONCE(s->over, true);
	}
	mutex_unlock(&s->lock);

	/* Only now is the trigger free for another one. */
	mutex_lock(&session_lock);
	if (the_session == s)
		the_session = NULL;
	mutex_unlock(&session_lock);
	wake_up_interruptible(&s->wait);
}

static void rings_free(struct vmmprof_session *s)
{
	unsigned int cpu;

	for (cpu = 0; s->cpus && cpu < nr_cpu_ids; cpu++) {
		if (!s->cpus[cpu])
			continue;
		vmmprof_chain_destroy(s->cpus[cpu]);
		vmmprof_identity_destroy(s->cpus[cpu]);
		vmmprof_ring_destroy(&s->cpus[cpu]->ring);
		kvfree(s->cpus[cpu]);
	}
	kvfree(s->cpus);
	s->cpus = NULL;
	vmmprof_vms_destroy(s->vms);
	s->vms = NULL;
}

void vmmprof_session_free(struct vmmprof_session *s)
{
	vmmprof_session_end(s);
	rings_free(s);
	vmmprof_exits_destroy(s->exits);
	kfree(s);
}

static perf_overflow_handler_t overflow_of(const struct vmmprof_session *s)
{
	if (s->no_guest)
		return s->chains.flags ? vmmprof_overflow_no_guest_chains :
					 vmmprof_overflow_no_guest;
	return s->chains.flags || s->vms ? vmmprof_guest_ops->overflow_chains :
					   vmmprof_guest_ops->overflow;
}

static int rings_alloc(struct vmmprof_session *s, const struct cpumask *cpus)
{
	unsigned int cpu, i;
	int ret;

	s->cpus = kvcalloc(nr_cpu_ids, sizeof(*s->cpus), VMMPROF_GFP);
	if (!s->cpus)
		return -ENOMEM;

	for_each_cpu(cpu, cpus) {
		struct vmmprof_cpu *c;

		c = kvzalloc_node(sizeof(*c), VMMPROF_GFP, cpu_to_node(cpu));
		if (!c)
			return -ENOMEM;
		s->cpus[cpu] = c;
		c->cpu = cpu;
		c->nobody.vpid = VMMPROF_NONE;
		c->timed = overflow_of(s);
		c->overflow = s->spent ? vmmprof_overflow_spent : c->timed;
		for (i = 0; i < s->trigger.nr_events; i++) {
			c->counters[i].cpu = c;
			c->counters[i].index = i;
		}
		ret = vmmprof_ring_init(&c->ring, s->ring_size, cpu, &s->wait);
		if (!ret && s->chains.flags)
			ret = vmmprof_chain_create(c, &s->chains);
		if (!ret && s->vms)
			ret = vmmprof_identity_create(c, s->vms);
		if (ret)
			return ret;
	}
	return 0;
}

/* Everything that can be told from the arguments alone. */
static int setup_check(const struct vmmprof_setup *setup)
{
	u32 i;
	int ret;

	if (setup->flags & ~(VMMPROF_SETUP_F_FORCE | VMMPROF_SETUP_F_SWITCHES |
			     VMMPROF_SETUP_F_NO_GUEST | VMMPROF_SETUP_F_EXITS |
			     VMMPROF_SETUP_F_CHAINS | VMMPROF_SETUP_F_IDENTITY |
			     VMMPROF_SETUP_F_SPENT) ||
	    setup->reserved)
		return -EINVAL;
	if (setup->flags & (VMMPROF_SETUP_F_SWITCHES | VMMPROF_SETUP_F_EXITS |
			    VMMPROF_SETUP_F_IDENTITY) &&
	    setup->flags & VMMPROF_SETUP_F_NO_GUEST)
		return -EINVAL;
	ret = vmmprof_chain_check(setup);
	if (ret)
		return ret;
	if (setup->ring_size < VMMPROF_RING_MIN ||
	    setup->ring_size > VMMPROF_RING_MAX ||
	    !is_power_of_2(setup->ring_size))
		return -EINVAL;
	if (!setup->nr_events || setup->nr_events > VMMPROF_MAX_EVENTS)
		return -EINVAL;
	for (i = 0; i < setup->nr_events; i++) {
		ret = vmmprof_event_check(&setup->events[i]);
		if (ret)
			return ret;
	}
	for (; i < VMMPROF_MAX_EVENTS; i++)
		if (memchr_inv(&setup->events[i], 0, sizeof(setup->events[i])))
			return -EINVAL;
	if (!(setup->flags & VMMPROF_SETUP_F_FORCE) &&
	    vmmprof_needs_pmu(setup->events, setup->nr_events) &&
	    vmmprof_mediated_pmu())
		return -EOPNOTSUPP;
	return 0;
}

/* What it asks for that needs no memory. */
static void setup_take(struct vmmprof_session *s,
		       const struct vmmprof_setup *setup)
{
	s->trigger.nr_events = setup->nr_events;
	memcpy(s->trigger.events, setup->events, sizeof(setup->events));
	s->trigger.wait = &s->wait;
	s->ring_size = setup->ring_size;
	s->no_guest = setup->flags & VMMPROF_SETUP_F_NO_GUEST;
	s->spent = setup->flags & VMMPROF_SETUP_F_SPENT;
	s->chains.flags = setup->chain_flags;
	s->chains.depth = setup->chain_depth;
	s->chains.stack = setup->chain_stack;
}

int vmmprof_session_setup(struct vmmprof_session *s,
			  struct vmmprof_setup *setup,
			  const struct cpumask *cpus)
{
	int ret;

	setup->bad_event = VMMPROF_NONE;
	setup->bad_cpu = VMMPROF_NONE;
	ret = setup_check(setup);
	if (ret)
		return ret;
	if (cpumask_empty(cpus) || !cpumask_subset(cpus, cpu_possible_mask))
		return -EINVAL;

	mutex_lock(&s->lock);
	if (s->over) {
		ret = -ESHUTDOWN;
		goto out_unlock;
	}
	if (s->state != VMMPROF_NEW) {
		ret = -EBUSY;
		goto out_unlock;
	}
	setup_take(s, setup);
	if (setup->flags & VMMPROF_SETUP_F_IDENTITY) {
		s->vms = vmmprof_vms_create();
		if (!s->vms) {
			ret = -ENOMEM;
			goto out_unlock;
		}
	}
	ret = rings_alloc(s, cpus);
	if (ret)
		goto err_rings;
	s->trigger.cpus = s->cpus;
	if (setup->flags & VMMPROF_SETUP_F_SWITCHES) {
		ret = vmmprof_switch_create(&s->sw, s->cpus);
		if (ret)
			goto err_rings;
	}
	if (setup->flags & VMMPROF_SETUP_F_EXITS) {
		ret = vmmprof_exits_create(&s->exits);
		if (ret)
			goto err_rings;
	}
	ret = vmmprof_trigger_create(&s->trigger);
	if (ret) {
		setup->bad_event = s->trigger.bad_event;
		setup->bad_cpu = s->trigger.bad_cpu;
		goto err_rings;
	}
	s->state = VMMPROF_READY;
	/* Pairs with vmmprof_session_cpu(). */
	smp_store_release(&s->rings_ready, true);
	goto out_unlock;

err_rings:
	vmmprof_exits_destroy(s->exits);
	s->exits = NULL;
	vmmprof_switch_destroy(s->sw);
	s->sw = NULL;
	rings_free(s);
out_unlock:
	mutex_unlock(&s->lock);
	return ret;
}

/*
 * A machine that suspends loses counters (perf sets those of the CPU that stays
 * up no more) and perhaps its TSC's count: it cannot while one samples.
 */
static int pm_event(struct notifier_block *nb, unsigned long event, void *data)
{
	int ret = 0;

	mutex_lock(&session_lock);
	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		if (the_session &&
		    READ_ONCE(the_session->state) == VMMPROF_RUNNING) {
			pr_info("vmmprof: no suspend while process %d samples\n",
				the_session->pid);
			ret = -EBUSY;
		} else {
			suspending = true;
		}
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		suspending = false;
		break;
	}
	mutex_unlock(&session_lock);
	return notifier_from_errno(ret);
}

static struct notifier_block pm_nb = { .notifier_call = pm_event };

int vmmprof_session_init(void)
{
	return register_pm_notifier(&pm_nb);
}

void vmmprof_session_exit(void)
{
	unregister_pm_notifier(&pm_nb);
}

/* No suspend has begun, and from now on none does. */
static bool may_run(struct vmmprof_session *s)
{
	bool may;

	mutex_lock(&session_lock);
	may = !suspending;
	if (may)
		WRITE_ONCE(s->state, VMMPROF_RUNNING);
	mutex_unlock(&session_lock);
	return may;
}

int vmmprof_session_start(struct vmmprof_session *s)
{
	int ret;

	mutex_lock(&s->lock);
	if (s->over) {
		ret = -ESHUTDOWN;
	} else if (s->state == VMMPROF_RUNNING) {
		ret = -EBUSY;
	} else if (s->state != VMMPROF_READY) {
		ret = -EINVAL;
	} else if (!may_run(s)) {
		ret = -EBUSY;
	} else {
		ret = s->sw ? vmmprof_switch_start(s->sw) : 0;
		if (!ret && s->exits)
			ret = vmmprof_exits_start(s->exits);
		if (!ret)
			ret = vmmprof_trigger_enable(&s->trigger);
		if (ret)
			disarm(s);
	}
	mutex_unlock(&s->lock);
	return ret;
}

int vmmprof_session_stop(struct vmmprof_session *s)
{
	int ret = 0;

	mutex_lock(&s->lock);
	if (s->over)
		ret = -ESHUTDOWN;
	else if (s->state != VMMPROF_RUNNING)
		ret = -EINVAL;
	else
		disarm(s);
	mutex_unlock(&s->lock);
	return ret;
}

int vmmprof_session_widen(struct vmmprof_session *s, u32 factor)
{
	int ret;

	if (factor < 2)
		return -EINVAL;
	mutex_lock(&s->lock);
	if (s->over)
		ret = -ESHUTDOWN;
	else if (s->state != VMMPROF_RUNNING)
		ret = -EINVAL;
	else
		ret = vmmprof_trigger_widen(&s->trigger, factor);
	mutex_unlock(&s->lock);
	return ret;
}

int vmmprof_session_use_kvm(struct vmmprof_session *s, u64 loads)
{
	int ret;

	mutex_lock(&s->lock);
	ret = s->over ? -ESHUTDOWN : vmmprof_kvm_use(loads);
	mutex_unlock(&s->lock);
	return ret;
}

int vmmprof_session_stat(struct vmmprof_session *s,
			 struct vmmprof_cpu_stat *stat)
{
	struct vmmprof_cpu *c = vmmprof_session_cpu(s, stat->cpu);
	const struct vmmprof_ring_head *head;
	u32 i;

	if (!c)
		return -EINVAL;
	stat->nr_events = s->trigger.nr_events;

	/* Counters come and go under the hotplug lock. */
	mutex_lock(&s->lock);
	cpus_read_lock();
	for (i = 0; i < s->trigger.nr_events; i++)
		vmmprof_trigger_stat(&c->counters[i], &stat->events[i]);
	stat->online = s->state == VMMPROF_RUNNING && cpu_online(c->cpu);
	cpus_read_unlock();
	mutex_unlock(&s->lock);

	head = c->ring.head;
	stat->samples = READ_ONCE(head->samples);
	stat->lost = READ_ONCE(head->lost);
	stat->lost_other = READ_ONCE(c->ring.lost_other);
	stat->bytes = READ_ONCE(head->head);
	return 0;
}

int vmmprof_session_exits(struct vmmprof_session *s, u32 from, u32 nr,
			  struct vmmprof_exit *to, u64 *missed)
{
	int ret;

	mutex_lock(&s->lock);
	if (s->over)
		ret = -ESHUTDOWN;
	else if (!s->exits)
		ret = -ENODATA;
	else if (s->state != VMMPROF_STOPPED)
		ret = -EBUSY;
	else
		ret = vmmprof_exits_read(s->exits, from, nr, to, missed);
	mutex_unlock(&s->lock);
	return ret;
}

/* May the session be told of VMs? */
static int vms_ready(const struct vmmprof_session *s)
{
	if (s->over)
		return -ESHUTDOWN;
	return s->vms ? 0 : -ENODATA;
}

int vmmprof_session_layout(struct vmmprof_session *s,
			   const struct vmmprof_guest_layout *layout)
{
	int ret;

	mutex_lock(&s->lock);
	ret = vms_ready(s);
	if (!ret)
		ret = vmmprof_vms_layout(s->vms, layout);
	mutex_unlock(&s->lock);
	return ret;
}

int vmmprof_session_slots(struct vmmprof_session *s, u32 pid, u32 room,
			  struct vmmprof_slots **ret)
{
	int err;

	mutex_lock(&s->lock);
	err = vms_ready(s);
	if (!err)
		err = vmmprof_vms_slots(s->vms, pid, room, ret);
	mutex_unlock(&s->lock);
	return err;
}

struct vmmprof_cpu *vmmprof_session_cpu(struct vmmprof_session *s, u64 cpu)
{
	/* Pairs with vmmprof_session_setup(). */
	if (!smp_load_acquire(&s->rings_ready) || cpu >= nr_cpu_ids)
		return NULL;
	return s->cpus[array_index_nospec(cpu, nr_cpu_ids)];
}

__poll_t vmmprof_session_poll(struct vmmprof_session *s)
{
	struct vmmprof_cpu *c;
	__poll_t mask = 0;
	unsigned int cpu;

	if (READ_ONCE(s->over))
		return EPOLLERR | EPOLLHUP;
	if (READ_ONCE(s->trigger.broken))
		mask |= EPOLLERR;
	for_each_possible_cpu(cpu) {
		c = vmmprof_session_cpu(s, cpu);
		if (c && vmmprof_ring_pollin(&c->ring))
			return mask | EPOLLIN | EPOLLRDNORM;
	}
	return mask;
}

pid_t vmmprof_session_owner(void)
{
	pid_t pid;

	mutex_lock(&session_lock);
	pid = the_session ? the_session->pid : 0;
	mutex_unlock(&session_lock);
	return pid;
}
