// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of the scheduler's tracepoints that write the switch records.
 *
 * Where they run.  sched_switch: in __schedule(), with the run queue's lock,
 * before the notifiers of the leaving task are called, so its VMCS is still
 * loaded.  sched_wakeup: with the lock of the woken task's queue, on the
 * waker's CPU or, out of an IPI, on the task's own.  sched_migrate_task: with
 * that lock or the task's pi_lock.  Interrupts are off in all of them, except
 * where a task wakes itself, which is left out before anything is written.
 * So of a ring's writers only the NMI interrupts a probe, and a probe never
 * another one or the timer's callback: ring.c's non-NMI context.
 * The locks forbid to wake anybody: ring.c and vcpu.c only queue irq_work.
 *
 * What may happen meanwhile:
 *  - STOP, close() or the recorder's death: the probes are unregistered, and
 *    the grace period after that ends every one that still runs, before the
 *    table and much later the rings are freed.  The file holds the module, so
 *    it cannot go before.
 *  - A VM dies: each of its threads makes a last switch, which takes it out of
 *    the table.  Until then it is on one run queue at most.
 *  - A CPU goes: tracepoints are silent on one that is not online
 *    (linux/tracepoint.h), so nothing is written or queued there after its
 *    irq_work ran for the last time; with PREEMPT_RT see lazy_work.h.  Its
 *    tasks are migrated before that, and that is seen; by 5.10 after it, and then
 *    their next switch says where they are.  Rings exist for CPUs that are offline, too.
 *  - kvm goes: nobody has a notifier then (module_event() in vcpu.c).  Threads
 *    in the table stay known until they end.
 *  - A thread was preempted or asleep when the session began: it is known from
 *    its first switch, or from its waking up inside KVM.
 *  - The table is full: records of threads that found no place are counted as
 *    lost.
 *
 * Runnable is more than on_rq from 6.12 on (vmmprof_runnable()).  A wake-up of
 * a task that runs, or that waits already, changes nothing and is left out.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>
#include <trace/events/sched.h>
#include <asm/tsc.h>

#include "chain.h"
#include "guest_state.h"
#include "svm_read.h"
#include "switch.h"
#include "threads.h"
#include "vcpu.h"
#include "vmx_read.h"

struct vmmprof_switch {
	struct vmmprof_cpu **cpus;
	unsigned int nr_probes; /* registered, the first ones of points[] */
	struct vmmprof_threads threads; /* last: it has no fixed size */
};

/* What a probe knows of a thread. */
struct who {
	struct task_struct *task;
	struct kvm_vcpu *vcpu; /* loaded, or NULL */
	int slot;	       /* -1: no vCPU's thread */
};

static __always_inline void identify(struct vmmprof_switch *sw,
				     struct task_struct *task, struct who *who)
{
	struct preempt_notifier *pn = vmmprof_vcpu_notifier(task);

	/* KVM loads the vCPU also for ioctls that set it up, by any thread. */
	if (pn && !vmmprof_in_run(vmmprof_vcpu_of(pn)))
		pn = NULL;
	who->task = task;
	who->vcpu = pn ? vmmprof_vcpu_of(pn) : NULL;
	who->slot = pn ? vmmprof_thread_add(&sw->threads, task) :
			 vmmprof_thread_find(&sw->threads, task);
}

static __always_inline bool is_vcpu(const struct who *who)
{
	return who->slot >= 0;
}

/* A record's place in this CPU's ring; NULL: none, or it is full. */
static void *begin(struct vmmprof_cpu *cpu, unsigned int size, u64 tsc)
{
	void *rec;

	if (unlikely(cpu->ring.names.nr))
		vmmprof_ring_tell_held(&cpu->ring, &cpu->ring.names, false,
				       tsc);
	rec = vmmprof_ring_begin(&cpu->ring, size, false, tsc);
	if (!rec) {
		vmmprof_ring_commit(&cpu->ring);
		vmmprof_ring_lose(&cpu->ring, false, tsc, false);
	}
	return rec;
}

/*
 * The VMCS is the vCPU's own, though its guest is a hypervisor: it has the VPID
 * that samples on this CPU saw.  Where that guest's guests have no VPIDs of
 * their own they run with this one, too, and nothing tells them apart.
 */
static bool vpid_is_own(struct vmmprof_cpu *cpu, const struct kvm_vcpu *vcpu,
			const struct task_struct *task)
{
	const struct vmmprof_seen *seen = vmmprof_seen_at(cpu, vcpu);
	u16 vpid = vmx_read_vpid();

	return vpid && seen->vcpu == vcpu && seen->tid == task->pid &&
	       (u16)seen->vpid == vpid;
}

static noinline void read_exit_svm(const struct kvm_vcpu *vcpu,
				   struct vmmprof_rec_switch *rec)
{
	if (vmmprof_guest_ops->vendor != VMMPROF_VENDOR_SVM ||
	    !vmmprof_svm_valid(vcpu) || vmmprof_protected(vcpu) ||
	    vmmprof_protected_vm(vcpu) || svm_nested(vcpu))
		return;
	rec->exit_reason = svm_exit_code(svm_vmcb(vcpu));
	rec->hdr.flags |= VMMPROF_W_VMCS;
}

/*
 * The exit reason of a vCPU that is about to be unloaded, into @rec; before its
 * first exit there is none.  VMX: between
 * vcpu_load() and vcpu_put() a task that may be scheduled away has its own VMCS
 * loaded, or that of its nested guest.  KVM changes from one to the other before
 * it says so in hflags, and may sleep between; but only where the guest has set
 * CR4.VMXE, as both VMCS require then.
 */
static __always_inline void read_exit(struct vmmprof_cpu *cpu,
				      const struct who *who,
				      struct vmmprof_rec_switch *rec)
{
	const struct kvm_vcpu *vcpu = who->vcpu;
	u64 reason = 0;

	if (unlikely(!vmmprof_has_run(vcpu)))
		return;
	if (unlikely(vmmprof_guest_ops->vendor != VMMPROF_VENDOR_VMX)) {
		read_exit_svm(vcpu, rec);
		return;
	}
	if (unlikely(!vmx_on() || vmmprof_protected(vcpu) ||
		     vmmprof_protected_vm(vcpu) ||
		     vcpu->arch.hflags & HF_GUEST_MASK ||
		     !vmx_read_first(VM_EXIT_REASON, &reason)))
		return;
	if (vcpu->arch.cr4 & X86_CR4_VMXE && !vpid_is_own(cpu, vcpu, who->task))
		return;
	rec->exit_reason = reason;
	rec->hdr.flags |= VMMPROF_W_VMCS;
}

static void put_switch(struct vmmprof_cpu *cpu, u16 type, const struct who *who,
		       const struct task_struct *other, u32 flags, u64 tsc)
{
	struct vmmprof_rec_switch *rec;

	rec = begin(cpu, sizeof(*rec), tsc);
	if (!rec)
		return;
	*rec = (struct vmmprof_rec_switch){
		.hdr = { .type = type,
			 .size = sizeof(*rec),
			 .flags = flags,
			 .tsc = tsc },
		.pid = who->task->tgid,
		.tid = who->task->pid,
		.vcpu_id = VMMPROF_NONE,
		.cpu = cpu->cpu,
		.other_pid = other->tgid,
		.other_tid = other->pid,
	};
	memcpy(rec->comm, who->task->comm, sizeof(rec->comm));
	memcpy(rec->other_comm, other->comm, sizeof(rec->other_comm));
	if (who->vcpu) {
		rec->hdr.flags |= VMMPROF_W_VCPU;
		rec->vcpu_id = who->vcpu->vcpu_id;
		rec->mp_state = READ_ONCE(who->vcpu->arch.mp_state);
		if (type == VMMPROF_REC_OUT)
			read_exit(cpu, who, rec);
	}
	flags = rec->hdr.flags;
	vmmprof_ring_commit(&cpu->ring);
	if (unlikely(cpu->chains) && type == VMMPROF_REC_OUT)
		vmmprof_chain_out(
			cpu, flags & VMMPROF_W_VMCS ? who->vcpu : NULL, tsc);
}

/* A vCPU's thread leaves or comes, or one waits for this CPU. */
static noinline void note_switch(struct vmmprof_switch *sw,
				 struct task_struct *prev,
				 struct task_struct *next)
{
	unsigned int nr = raw_smp_processor_id();
	struct vmmprof_cpu *cpu = sw->cpus[nr];
	struct who out, in;
	u64 tsc = rdtsc();
	bool runnable;

	identify(sw, prev, &out);
	identify(sw, next, &in);
	if (is_vcpu(&out)) {
		runnable = vmmprof_runnable(prev);
		vmmprof_thread_wait(&sw->threads, out.slot,
				    runnable ? (int)nr : -1);
		if (cpu)
			put_switch(cpu, VMMPROF_REC_OUT, &out, next,
				   runnable ? VMMPROF_W_RUNNABLE : 0, tsc);
		if (vmmprof_task_dead(prev))
			vmmprof_thread_remove(&sw->threads, out.slot);
	}
	if (is_vcpu(&in)) {
		vmmprof_thread_wait(&sw->threads, in.slot, -1);
		if (cpu)
			put_switch(cpu, VMMPROF_REC_IN, &in, prev, 0, tsc);
	}
	if (cpu && ((out.vcpu && !is_vcpu(&out)) || (in.vcpu && !is_vcpu(&in))))
		vmmprof_ring_lose(&cpu->ring, false, tsc, false);
	else if (cpu && !is_vcpu(&out) && !is_vcpu(&in) &&
		 atomic_read(&sw->threads.waiting[nr].nr) &&
		 vmmprof_ring_may_take(&cpu->ring, &cpu->ring.names,
				       sizeof(struct vmmprof_rec_switch), tsc))
		put_switch(cpu, VMMPROF_REC_SWITCH, &out, next, 0, tsc);
}

/* Most switches of a host end here. */
static __always_inline void on_switch(struct vmmprof_switch *sw,
				      struct task_struct *prev,
				      struct task_struct *next)
{
	if (likely(!READ_ONCE(prev->preempt_notifiers.first) &&
		   !READ_ONCE(next->preempt_notifiers.first)) &&
	    likely(!atomic_read(
		    &sw->threads.waiting[raw_smp_processor_id()].nr)) &&
	    likely(vmmprof_thread_find(&sw->threads, prev) < 0) &&
	    likely(vmmprof_thread_find(&sw->threads, next) < 0))
		return;
	note_switch(sw, prev, next);
}

static void probe_switch(VMMPROF_SWITCH_ARGS)
{
	on_switch(data, prev, next);
}

static void put_wake(struct vmmprof_cpu *cpu, const struct who *who, u16 type,
		     u32 to, u32 from)
{
	bool wake = type == VMMPROF_REC_WAKE;
	bool irq = wake && !in_task();
	struct vmmprof_rec_wake *rec;
	u64 tsc = rdtsc();

	rec = begin(cpu, sizeof(*rec), tsc);
	if (!rec)
		return;
	*rec = (struct vmmprof_rec_wake){
		.hdr = { .type = type,
			 .size = sizeof(*rec),
			 .flags = (who->vcpu ? VMMPROF_W_VCPU : 0) |
				  (irq ? VMMPROF_W_IRQ : 0),
			 .tsc = tsc },
		.pid = who->task->tgid,
		.tid = who->task->pid,
		.vcpu_id = who->vcpu ? who->vcpu->vcpu_id : VMMPROF_NONE,
		.cpu = to,
		.from_cpu = from,
		.other_pid = wake && !irq ? current->tgid : 0,
		.other_tid = wake && !irq ? current->pid : 0,
	};
	vmmprof_ring_commit(&cpu->ring);
}

static __always_inline bool may_be_vcpu(const struct vmmprof_switch *sw,
					const struct task_struct *p)
{
	return READ_ONCE(p->preempt_notifiers.first) ||
	       vmmprof_thread_find(&sw->threads, p) >= 0;
}

static void probe_wakeup(void *data, struct task_struct *p)
{
	struct vmmprof_switch *sw = data;
	struct vmmprof_cpu *cpu;
	struct who who;

	if (likely(!may_be_vcpu(sw, p)) || vmmprof_on_cpu(p))
		return;
	cpu = sw->cpus[raw_smp_processor_id()];
	identify(sw, p, &who);
	if (!is_vcpu(&who) || vmmprof_thread_waits(&sw->threads, who.slot))
		return;
	vmmprof_thread_wait(&sw->threads, who.slot, task_cpu(p));
	if (cpu)
		put_wake(cpu, &who, VMMPROF_REC_WAKE, task_cpu(p), cpu->cpu);
}

static void probe_migrate(void *data, struct task_struct *p, int to)
{
	struct vmmprof_switch *sw = data;
	struct vmmprof_cpu *cpu;
	struct who who;

	if (likely(!may_be_vcpu(sw, p)))
		return;
	cpu = sw->cpus[raw_smp_processor_id()];
	identify(sw, p, &who);
	if (!is_vcpu(&who))
		return;
	if (vmmprof_thread_waits(&sw->threads, who.slot))
		vmmprof_thread_wait(&sw->threads, who.slot, to);
	if (cpu)
		put_wake(cpu, &who, VMMPROF_REC_MIGRATE, to, task_cpu(p));
}

/* sched_switch first: it takes threads out that the others put in. */
static struct {
	const char *name;
	void *probe;
	struct tracepoint *tp;
} points[] = {
	{ "sched_switch", probe_switch },
	{ "sched_wakeup", probe_wakeup },
	{ "sched_migrate_task", probe_migrate },
};

static void look_at(struct tracepoint *tp, void *priv)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(points); i++)
		if (!strcmp(tp->name, points[i].name))
			points[i].tp = tp;
}

void vmmprof_switch_init(void)
{
	/* The compiler compares the probes with what the kernel calls. */
	check_trace_callback_type_sched_switch(probe_switch);
	check_trace_callback_type_sched_wakeup(probe_wakeup);
	check_trace_callback_type_sched_migrate_task(probe_migrate);
	for_each_kernel_tracepoint(look_at, NULL);
}

int vmmprof_switch_create(struct vmmprof_switch **ret,
			  struct vmmprof_cpu **cpus)
{
	struct vmmprof_switch *sw;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(points); i++)
		if (!points[i].tp)
			return -ENODEV;
	sw = kvzalloc(struct_size(sw, threads.waiting, nr_cpu_ids),
		      VMMPROF_GFP);
	if (!sw)
		return -ENOMEM;
	sw->cpus = cpus;
	*ret = sw;
	return 0;
}

/*
 * sched_switch first here, too: each takes milliseconds, and a thread that is seen to
 * come back by a switch while nobody looks at wake-ups any more seems to have lost a
 * record.
 */
static void unregister(struct vmmprof_switch *sw)
{
	unsigned int i;

	if (!sw->nr_probes)
		return;
	for (i = 0; i < sw->nr_probes; i++)
		tracepoint_probe_unregister(points[i].tp, points[i].probe, sw);
	sw->nr_probes = 0;
	tracepoint_synchronize_unregister();
}

int vmmprof_switch_start(struct vmmprof_switch *sw)
{
	int ret;

	while (sw->nr_probes < ARRAY_SIZE(points)) {
		ret = tracepoint_probe_register(points[sw->nr_probes].tp,
						points[sw->nr_probes].probe,
						sw);
		if (ret) {
			unregister(sw);
			return ret;
		}
		sw->nr_probes++;
	}
	return 0;
}

void vmmprof_switch_destroy(struct vmmprof_switch *sw)
{
	if (!sw)
		return;
	unregister(sw);
	kvfree(sw);
}
