// SPDX-License-Identifier: GPL-2.0-only
/*
 * The overflow callback: one record of what the interrupt hit.
 *
 * Runs in an NMI (hardware events) or in the hrtimer interrupt (cpu-clock; an
 * NMI may interrupt that): no lock, no allocation, no message, nothing that
 * could fault without an exception-table entry.
 *
 * Guest or host?  A VMCS stays current long after its guest stopped, so its
 * contents decide nothing.  What does is the way in which the interrupt came.
 * On SVM that is svm_hit_guest() (svm_read.h).  On VMX KVM takes the VM exit and
 * then calls the host's handler itself, on the vCPU thread's stack and with a
 * frame that it made up.
 *  - NMI: KVM says so (handling), and the frame lies on the task's stack; one
 *    that the CPU delivers in kernel mode has a stack of its own.  The latter
 *    excludes an NMI that was held back until KVM's handler returned.
 *  - Timer: KVM says so, and IF is clear in the frame; an interrupt that the
 *    CPU delivers never has that.  handling alone is also set while the
 *    host's handlers and softirqs run, and in a window after each VM exit.
 *  - Kernels without the field (5.10): the frame is KVM's, its PC lies in the
 *    forwarding routine, and the exit was an NMI or an interrupt.
 * Everything that this is decided from is in the record.
 *
 * Biases that no rule removes.  An interrupt that comes due while KVM has
 * interrupts off, before it enters the guest, is taken at the entry and counts
 * for the guest, though the guest ran no instruction: of VMX the timer's, of SVM
 * an NMI's, too, from CLGI on.  A timer of SVM that comes due between the exit
 * for another interrupt and the end of that one's handler counts for the guest.
 */
#include <linux/kprobes.h>
#include <linux/sched/task_stack.h>
#include <asm/local.h>
#include <asm/msr.h>
#include <asm/tsc.h>

#include "chain.h"
#include "guest_state.h"
#include "identity.h"
#include "sample.h"
#include "svm_read.h"
#include "vcpu.h"
#include "vmx_read.h"

#define INTR_NMI (INTR_INFO_VALID_MASK | INTR_TYPE_NMI_INTR)
#define INTR_EXT (INTR_INFO_VALID_MASK | INTR_TYPE_EXT_INTR)

/* One overflow.  Lives in registers: everything that takes it is inline. */
struct vmmprof_hit {
	struct vmmprof_counter *counter;
	struct vmmprof_cpu *cpu;
	struct task_struct *task; /* current */
	struct pt_regs *regs;
	struct perf_sample_data *data;
	u64 tsc;
	const struct vmmprof_rec_sample *rec; /* for chains */
	u32 vcpu_id;
	u32 identity; /* the sample's */
	u8 handling;
	bool nmi;
};

/* KVM made the frame, rather than the CPU. */
static __always_inline bool
frame_synthetic(struct pt_regs *regs, const struct task_struct *task, bool nmi)
{
	if (nmi)
		return (unsigned long)regs - (unsigned long)task->stack <
		       THREAD_SIZE;
	return !(regs->flags & X86_EFLAGS_IF);
}

/* Without KVM's word. */
static noinline notrace bool hit_guest_by_pc(struct pt_regs *regs, bool nmi)
{
	u32 want = INTR_INFO_VALID_MASK |
		   (nmi ? INTR_TYPE_NMI_INTR : INTR_TYPE_EXT_INTR);
	u64 info = 0;

	if (user_mode(regs) || !vmx_read_first(VM_EXIT_INTR_INFO, &info) ||
	    (info & (INTR_INFO_VALID_MASK | INTR_INFO_INTR_TYPE_MASK)) != want)
		return false;
	vmmprof_vcpu_ask_ip(regs->ip);
	return vmmprof_ip_forwards(regs->ip);
}
NOKPROBE_SYMBOL(hit_guest_by_pc);

static __always_inline bool hit_guest(const struct vmmprof_hit *hit)
{
	if (VMMPROF_HAVE_HANDLING &&
	    hit->handling !=
		    (hit->nmi ? VMMPROF_HANDLING_NMI : VMMPROF_HANDLING_IRQ))
		return false;
	if (!frame_synthetic(hit->regs, hit->task, hit->nmi))
		return false;
	return VMMPROF_HAVE_HANDLING || hit_guest_by_pc(hit->regs, hit->nmi);
}

/*
 * The current VMCS is the loaded vCPU's own: not one that another left here,
 * nor that of a nested guest.  A VMCB is never another's, but says nothing
 * before KVM has begun to run its guest.
 */
static notrace bool vmcs_certain(const struct kvm_vcpu *vcpu, u32 flags)
{
	if (flags & VMMPROF_S_L2)
		return false;
	return flags & VMMPROF_S_GUEST || vmmprof_handling(vcpu) ||
	       READ_ONCE(vcpu->mode) != OUTSIDE_GUEST_MODE;
}
NOKPROBE_SYMBOL(vmcs_certain);

/*
 * Its VMCS or VMCB has what KVM made it with: it is not in its guest, and was
 * not yet.  Until then nobody knows it (tell_vcpu()), so that this is not asked
 * in other samples.
 */
static notrace bool says_nothing(const struct kvm_vcpu *vcpu, u32 flags)
{
	return !vmmprof_has_run(vcpu) && !vmcs_certain(vcpu, flags);
}
NOKPROBE_SYMBOL(says_nothing);

static __always_inline u64 vcpu_clock(const struct kvm_vcpu *vcpu)
{
	return vcpu->arch.l1_tsc_offset + vmmprof_tsc_ratio(vcpu);
}

/*
 * Write a VCPU record, if the VMCS may be asked, and remember what it said in
 * @seen.  Returns @seen, or that of nobody, or NULL: the ring is full.
 */
static noinline notrace struct vmmprof_seen *
tell_vcpu(struct vmmprof_cpu *cpu, struct vmmprof_seen *seen,
	  const struct kvm_vcpu *vcpu, u32 flags, u64 tsc)
{
	const bool vmx = vmmprof_guest_ops->vendor == VMMPROF_VENDOR_VMX;
	struct vmmprof_ring *ring = &cpu->ring;
	struct vmmprof_rec_vcpu *rec;

	if (!vmcs_certain(vcpu, flags))
		return &cpu->nobody;
	rec = vmmprof_ring_begin(ring, sizeof(*rec), in_nmi(), tsc);
	if (rec) {
		*rec = (struct vmmprof_rec_vcpu){
			.hdr = { .type = VMMPROF_REC_VCPU,
				 .size = sizeof(*rec),
				 .tsc = tsc },
			.pid = current->tgid,
			.tid = current->pid,
			.vcpu_id = vcpu->vcpu_id,
			.tsc_offset = vcpu->arch.l1_tsc_offset,
			.cpu = cpu->cpu,
		};
		vmmprof_guest_ops->describe(vcpu, rec, vmmprof_tsc_ratio(vcpu));
		seen->vcpu = vcpu;
		seen->clock = vcpu_clock(vcpu);
		seen->tid = rec->tid;
		seen->vpid = rec->vpid;
		seen->flags = rec->vpid || !vmx ? VMMPROF_S_OWN : 0;
		if (!(rec->hdr.flags & VMMPROF_V_EPT))
			seen->flags |= VMMPROF_S_SHADOW;
		if (vmx &&
		    !(rec->exec_controls2 & SECONDARY_EXEC_UNRESTRICTED_GUEST))
			seen->vpid |= VMMPROF_SEEN_UNPAGED;
	}
	vmmprof_ring_commit(ring);
	return rec ? seen : NULL;
}
NOKPROBE_SYMBOL(tell_vcpu);

/* What was told of @vcpu if that is still true; else see tell_vcpu(). */
static __always_inline bool know_vcpu(struct vmmprof_cpu *cpu,
				      const struct kvm_vcpu *vcpu, u32 tid,
				      struct vmmprof_seen **ret)
{
	struct vmmprof_seen *seen = vmmprof_seen_at(cpu, vcpu);

	*ret = seen;
	return likely(seen->vcpu == vcpu) && likely(seen->tid == tid) &&
	       likely(seen->clock == vcpu_clock(vcpu));
}

static noinline notrace void tell_throttled(struct vmmprof_counter *counter,
					    bool nmi, u64 tsc)
{
	struct vmmprof_ring *ring = &counter->cpu->ring;
	struct vmmprof_rec_throttle *rec;

	counter->throttled++;
	rec = vmmprof_ring_begin(ring, sizeof(*rec), nmi, tsc);
	if (rec)
		*rec = (struct vmmprof_rec_throttle){
			.hdr = { .type = VMMPROF_REC_THROTTLE,
				 .size = sizeof(*rec),
				 .tsc = tsc },
			.event = counter->index,
			.cpu = counter->cpu->cpu,
		};
	vmmprof_ring_commit(ring);
	if (!rec)
		vmmprof_ring_lose(ring, nmi, tsc, false);
}
NOKPROBE_SYMBOL(tell_throttled);

static __always_inline void write_no_guest(struct vmmprof_rec_sample *rec)
{
	rec->guest_ip = 0;
	rec->guest_cr3 = 0;
	rec->guest_rsp = 0;
	rec->exit_reason = 0;
	rec->exit_intr_info = 0;
	rec->guest_ss_ar = 0;
	rec->vpid = 0;
}

/* Both numbers at once, where the kernel has one behind the other. */
static __always_inline void write_task(struct vmmprof_rec_sample *rec,
				       const struct task_struct *task)
{
	const size_t pid = offsetof(struct task_struct, pid);

	BUILD_BUG_ON(offsetof(struct vmmprof_rec_sample, tid) !=
		     offsetof(struct vmmprof_rec_sample, pid) + sizeof(u32));
	if (offsetof(struct task_struct, tgid) == pid + sizeof(u32)) {
		*(u64 *)&rec->pid = rol64(*(const u64 *)&task->pid, 32);
	} else {
		rec->pid = task->tgid;
		rec->tid = task->pid;
	}
}

/*
 * preempt_count() as the record has it: 7.3 counts hardirqs in other bits, and in
 * these ones how often they were turned off.
 */
static __always_inline u32 preempt_word(void)
{
	u32 n = preempt_count();

	BUILD_BUG_ON(SOFTIRQ_OFFSET != VMMPROF_PREEMPT_SOFTIRQ);
	BUILD_BUG_ON(HARDIRQ_BITS != 4);
	if (HARDIRQ_SHIFT == VMMPROF_PREEMPT_HARDIRQ_SHIFT)
		return n;
	return (n & (PREEMPT_MASK | SOFTIRQ_MASK)) |
	       (n & HARDIRQ_MASK) >> HARDIRQ_SHIFT
					     << VMMPROF_PREEMPT_HARDIRQ_SHIFT;
}

/* What every sample has.  After the guest's part, which spills over this. */
static __always_inline void write_common(struct vmmprof_rec_sample *rec,
					 struct vmmprof_hit *hit, u32 flags)
{
	hit->rec = rec;
	rec->hdr.type = VMMPROF_REC_SAMPLE;
	rec->hdr.size = sizeof(*rec);
	rec->hdr.flags = flags;
	rec->hdr.tsc = hit->tsc;
	write_task(rec, hit->task);
	rec->ip = hit->regs->ip;
	rec->period = hit->data->period;
	rec->vcpu_id = hit->vcpu_id;
	/* Not merged into one store, which takes an instruction more. */
	WRITE_ONCE(rec->event, hit->counter->index);
	rec->handling = hit->handling;
	rec->cpu = hit->cpu->cpu;
	/* With identity, which is 0 where nobody asks for it: one store. */
	*(u64 *)&rec->preempt = preempt_word() | (u64)hit->identity << 32;
	/* Shared by both contexts: a single instruction. */
	local_inc((local_t *)&hit->cpu->ring.head->samples);
}

/* Of a vCPU in SMM or with a nested guest. */
static noinline notrace u32 rare_flags(const struct kvm_vcpu *vcpu)
{
	u32 hflags = READ_ONCE(vcpu->arch.hflags), flags = 0;

	if (hflags & HF_GUEST_MASK)
		flags |= VMMPROF_S_L2;
	if (hflags & HF_SMM_MASK)
		flags |= VMMPROF_S_SMM;
	return flags;
}
NOKPROBE_SYMBOL(rare_flags);

/*
 * Flags of a sample whose VPID is not simply that of @seen.  Its vCPU, if it
 * is that one, is loaded: it was compared a moment ago.
 */
static noinline notrace u32 other_vpid(struct vmmprof_seen *seen, u32 vpid,
				       u32 flags)
{
	if ((vpid | VMMPROF_SEEN_UNPAGED) == seen->vpid) {
		flags |= seen->flags;
		if (!(seen->vcpu->arch.cr0 & X86_CR0_PG))
			flags |= VMMPROF_S_UNPAGED;
	} else if (flags & VMMPROF_S_GUEST && !(flags & VMMPROF_S_L2)) {
		seen->vcpu = NULL; /* another one at its address */
	}
	return flags;
}
NOKPROBE_SYMBOL(other_vpid);

/*
 * With @vcpu loaded whose VMCS may be read; SVM: whose VMCB is @vmcb, VMX: NULL.
 * @more: as in overflow().
 */
static __always_inline bool sample_guest(struct vmmprof_hit *hit,
					 struct kvm_vcpu *vcpu,
					 struct vmmprof_seen *seen, u32 flags,
					 const struct vmcb *vmcb,
					 const bool more)
{
	struct vmmprof_ring *ring = &hit->cpu->ring;
	struct vmmprof_rec_sample *rec;

	if (more && hit->cpu->identities)
		hit->identity = vmmprof_identity_sample(hit->cpu, vcpu, vmcb,
							flags | seen->flags,
							hit->nmi, hit->tsc);
	if (unlikely(
		    !vmmprof_ring_reserve(ring, sizeof(*rec), (void **)&rec))) {
		rec = vmmprof_ring_reserve_slow(ring, sizeof(*rec), hit->nmi,
						hit->tsc);
		if (!rec) {
			vmmprof_ring_commit(ring);
			return false;
		}
	}
	if (vmcb) {
		svm_read_state(vmcb, rec);
		flags |= VMMPROF_S_VMCS | VMMPROF_S_STATE | seen->flags;
	} else if (likely(vmx_read_state(rec))) {
		flags |= VMMPROF_S_VMCS | VMMPROF_S_STATE;
		if (likely(rec->vpid == seen->vpid))
			flags |= seen->flags;
		else
			flags = other_vpid(seen, rec->vpid, flags);
	} else {
		write_no_guest(rec);
	}
	write_common(rec, hit, flags);
	vmmprof_ring_commit(ring);
	return true;
}

/* Without, or where it must not be read. */
static __always_inline bool sample_host(struct vmmprof_hit *hit, u32 flags,
					bool stale)
{
	struct vmmprof_ring *ring = &hit->cpu->ring;
	struct vmmprof_rec_sample *rec;

	rec = vmmprof_ring_begin(ring, sizeof(*rec), hit->nmi, hit->tsc);
	if (likely(rec)) {
		write_no_guest(rec);
		/* Which VMCS was left here, if there is one at all. */
		if (stale && READ_ONCE(vmmprof_kvm_ops) && vmx_on() &&
		    vmx_read_first(VM_EXIT_REASON, &rec->exit_reason)) {
			vmx_read_vpid_to(rec);
			flags |= VMMPROF_S_VMCS;
		}
		write_common(rec, hit, flags);
	}
	vmmprof_ring_commit(ring);
	return rec;
}

/* Of a vCPU whose state is its guest's secret. */
static __always_inline bool sample_protected(struct vmmprof_hit *hit, u32 flags,
					     const bool more)
{
	if (more && hit->cpu->identities && flags & VMMPROF_S_GUEST)
		hit->identity = VMMPROF_WHO_ENCRYPTED;
	return sample_host(hit, flags | VMMPROF_S_PROTECTED, false);
}

/* Of a vCPU in SMM, or whose VMCB is not its own guest's. */
static __always_inline u32 svm_rare_flags(const struct kvm_vcpu *vcpu)
{
	u32 flags = 0;

	if (unlikely(svm_nested(vcpu)))
		flags |= VMMPROF_S_L2;
	if (unlikely(vcpu->arch.hflags & HF_SMM_MASK))
		flags |= VMMPROF_S_SMM;
	return flags;
}

/* With a vCPU of SVM loaded. */
static __always_inline bool sample_svm(struct vmmprof_hit *hit,
				       struct kvm_vcpu *vcpu, u32 flags,
				       const bool more)
{
	struct vmmprof_seen *seen;
	const struct vmcb *vmcb;
	bool known;

	hit->handling = vmmprof_svm_handling(vcpu);
	flags |= VMMPROF_S_HANDLING;
	/* What is known was valid when it was told. */
	known = know_vcpu(hit->cpu, vcpu, hit->task->pid, &seen);
	if (unlikely(!known) && !vmmprof_svm_valid(vcpu))
		return sample_host(hit, flags, false);
	vmcb = svm_vmcb(vcpu);
	if (svm_hit_guest(vmcb, hit->handling, hit->regs, hit->nmi))
		flags |= VMMPROF_S_GUEST;
	if (unlikely(vmmprof_protected(vcpu)) ||
	    (unlikely(!known) && vmmprof_protected_vm(vcpu)))
		return sample_protected(hit, flags, more);
	flags |= svm_rare_flags(vcpu);
	if (unlikely(!known)) {
		if (says_nothing(vcpu, flags))
			return sample_host(hit, flags, false);
		seen = tell_vcpu(hit->cpu, seen, vcpu, flags, hit->tsc);
		if (!seen)
			return false;
	}
	/* Nothing that is told of the vCPU is true of its nested guest. */
	if (unlikely(flags & VMMPROF_S_L2))
		seen = &hit->cpu->nobody;
	return sample_guest(hit, vcpu, seen, flags, vmcb, more);
}

/*
 * Everything but the throttling.  False: the sample did not fit.  @vendor: whose
 * state is read.  @more: as in overflow().
 */
static __always_inline bool sample(struct vmmprof_hit *hit, const bool kvm,
				   const enum vmmprof_vendor vendor,
				   const bool more)
{
	const bool vmx = vendor == VMMPROF_VENDOR_VMX;
	struct vmmprof_seen *seen;
	struct preempt_notifier *pn;
	struct kvm_vcpu *vcpu;
	u32 flags;

	BUILD_BUG_ON(VMMPROF_S_NMI != 1 || VMMPROF_S_USER != 2 ||
		     VMMPROF_S_IF != X86_EFLAGS_IF >> 7);
	flags = hit->nmi | (hit->regs->cs & VMMPROF_S_USER) | /* CPL 0 or 3 */
		(hit->regs->flags & X86_EFLAGS_IF) >> 7;

	pn = kvm ? vmmprof_vcpu_notifier(hit->task) : NULL;
	if (!pn)
		return sample_host(hit, flags, vmx);

	vcpu = vmmprof_vcpu_of(pn);
	hit->vcpu_id = vcpu->vcpu_id;
	if (vendor == VMMPROF_VENDOR_SVM)
		return sample_svm(hit, vcpu, flags | VMMPROF_S_VCPU, more);
	hit->handling = vmmprof_handling(vcpu);
	flags |= VMMPROF_S_VCPU;
	if (VMMPROF_HAVE_HANDLING)
		flags |= VMMPROF_S_HANDLING;
	if (!vmx || unlikely(!vmx_on()))
		return sample_host(hit, flags, false);
	if (hit_guest(hit))
		flags |= VMMPROF_S_GUEST;
	if (unlikely(vmmprof_protected(vcpu)))
		goto unreadable;
	if (unlikely(vcpu->arch.hflags & (HF_GUEST_MASK | HF_SMM_MASK)))
		flags |= rare_flags(vcpu);
	if (unlikely(!know_vcpu(hit->cpu, vcpu, hit->task->pid, &seen))) {
		/* Such a VM's vCPUs are never known. */
		if (vmmprof_protected_vm(vcpu))
			goto unreadable;
		if (says_nothing(vcpu, flags))
			return sample_host(hit, flags, false);
		seen = tell_vcpu(hit->cpu, seen, vcpu, flags, hit->tsc);
		if (!seen)
			return false;
	}
	return sample_guest(hit, vcpu, seen, flags, NULL, more);

unreadable:
	return sample_protected(hit, flags, more);
}

/* @more: there may be chains or identities. */
static __always_inline void overflow(struct perf_event *event,
				     struct perf_sample_data *data,
				     struct pt_regs *regs, const bool kvm,
				     const enum vmmprof_vendor vendor,
				     const bool more)
{
	struct vmmprof_counter *counter = event->overflow_handler_context;
	struct vmmprof_hit hit = {
		.counter = counter,
		.cpu = counter->cpu,
		.task = current,
		.regs = regs,
		.data = data,
		.tsc = rdtsc(),
		.vcpu_id = VMMPROF_NONE,
		.nmi = in_nmi(),
	};

	if (unlikely(!sample(&hit, kvm, vendor, more)))
		vmmprof_ring_lose(&hit.cpu->ring, hit.nmi, hit.tsc, true);
	else if (more)
		vmmprof_chain_sample(hit.cpu, hit.rec, regs, hit.nmi);
	if (unlikely(event->hw.interrupts == ~0ULL))
		tell_throttled(counter, hit.nmi, hit.tsc);
}

notrace void vmmprof_overflow_host(struct perf_event *event,
				   struct perf_sample_data *data,
				   struct pt_regs *regs)
{
	overflow(event, data, regs, true, VMMPROF_VENDOR_NONE, false);
}
NOKPROBE_SYMBOL(vmmprof_overflow_host);

notrace void vmmprof_overflow_vmx(struct perf_event *event,
				  struct perf_sample_data *data,
				  struct pt_regs *regs)
{
	overflow(event, data, regs, true, VMMPROF_VENDOR_VMX, false);
}
NOKPROBE_SYMBOL(vmmprof_overflow_vmx);

notrace void vmmprof_overflow_svm(struct perf_event *event,
				  struct perf_sample_data *data,
				  struct pt_regs *regs)
{
	overflow(event, data, regs, true, VMMPROF_VENDOR_SVM, false);
}
NOKPROBE_SYMBOL(vmmprof_overflow_svm);

notrace void vmmprof_overflow_no_guest(struct perf_event *event,
				       struct perf_sample_data *data,
				       struct pt_regs *regs)
{
	overflow(event, data, regs, false, VMMPROF_VENDOR_NONE, false);
}
NOKPROBE_SYMBOL(vmmprof_overflow_no_guest);

notrace void vmmprof_overflow_host_chains(struct perf_event *event,
					  struct perf_sample_data *data,
					  struct pt_regs *regs)
{
	overflow(event, data, regs, true, VMMPROF_VENDOR_NONE, true);
}
NOKPROBE_SYMBOL(vmmprof_overflow_host_chains);

notrace void vmmprof_overflow_vmx_chains(struct perf_event *event,
					 struct perf_sample_data *data,
					 struct pt_regs *regs)
{
	overflow(event, data, regs, true, VMMPROF_VENDOR_VMX, true);
}
NOKPROBE_SYMBOL(vmmprof_overflow_vmx_chains);

notrace void vmmprof_overflow_svm_chains(struct perf_event *event,
					 struct perf_sample_data *data,
					 struct pt_regs *regs)
{
	overflow(event, data, regs, true, VMMPROF_VENDOR_SVM, true);
}
NOKPROBE_SYMBOL(vmmprof_overflow_svm_chains);

notrace void vmmprof_overflow_no_guest_chains(struct perf_event *event,
					      struct perf_sample_data *data,
					      struct pt_regs *regs)
{
	overflow(event, data, regs, false, VMMPROF_VENDOR_NONE, true);
}
NOKPROBE_SYMBOL(vmmprof_overflow_no_guest_chains);

notrace void vmmprof_overflow_spent(struct perf_event *event,
				    struct perf_sample_data *data,
				    struct pt_regs *regs)
{
	struct vmmprof_counter *counter = event->overflow_handler_context;
	struct vmmprof_cpu *cpu = counter->cpu;
	u64 begin = rdtsc();

	cpu->timed(event, data, regs);
	/* Of an NMI inside a timer's it is in both. */
	local_add(rdtsc() - begin, (local_t *)&cpu->ring.head->spent);
}
NOKPROBE_SYMBOL(vmmprof_overflow_spent);
