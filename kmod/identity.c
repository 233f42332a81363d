// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who ran in a guest, read from its memory while it does not run.
 *
 * Each sample reads by what its CPU remembers of the vCPU (identity_read.h): in the
 * sample's own interrupt, for an irq_work for each sample would cost more than all
 * the rest.  What that takes is there in an NMI, too:
 *  - The memory of the VMM is that of the page table that the CPU uses: a sample of
 *    a guest comes right behind the VM exit, in the vCPU's thread, with the host
 *    CR3 that KVM wrote for it.  In the host another one may be loaded for a
 *    moment; there it is compared.
 *  - No lock: kvm->srcu, which no NMI may take, is for looking memslots up.
 *  - A page fault does not fault anything in (pagefault_disable()); its IRET opens
 *    NMIs early, which Linux's handlers bear, perf's copying of user stacks does
 *    the same.  The guest's PKRU may still be loaded: where it forbids the VMM's
 *    pages, reading fails, and is done later.
 * What is not remembered, or has become old, is looked up by a hard irq_work, as
 * chains are (chain.c: why it finds the guest where it was, and what may happen
 * between); the identity comes in a record of its own then.
 *
 * GS.  In user mode the kernel's base is in MSR_KERNEL_GS_BASE; in kernel mode in
 * the register, but in the few instructions around SWAPGS, where it is still or
 * again in the MSR (with FRED there are none).  With FSGSBASE user mode may load any
 * base, one of the kernel's half, too: so what user mode's samples have shown to
 * be the kernel's on this vCPU decides, and only without that the sign.
 *  - VMX: GUEST_GS_BASE of the VMCS; KVM lets the guest write the MSR itself and
 *    gives the host's back at vcpu_put() or before user mode only
 *    (vmx_prepare_switch_to_host(), 5.10 to 7.x), so that behind a VM exit the
 *    CPU's is the guest's.
 *  - SVM: VMSAVE has put both into the VMCB right behind the exit.
 * In samples of the host they are not looked at: the base is the one remembered.
 *
 * Contexts: an NMI interrupts the work or a timer's sample: busy keeps it out.  The
 * memory is freed when counters, which go first, and the work, which is waited
 * for, are gone: STOP, close(), a CPU that goes, kvm that goes are as in chain.c.
 * A vCPU that died is an address that is compared; another one at the same
 * address has the same process or another tgid, and its pages are compared, too.
 */
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/srcu.h>
#include <linux/topology.h>
#include <asm/tsc.h>

#include "cpu.h"
#include "frozen.h"
#include "guest_state.h"
#include "identity.h"
#include "identity_read.h"
#include "identity_vms.h"
#include "svm_read.h"
#include "vcpu.h"
#include "vmx_read.h"

#define VCPUS  32  /* that a CPU remembers, by their address */
#define SEEN   256 /* tasks that it has told of, by a hash */
#define LATER  4   /* samples that may wait for the work */
#define BAD_MS 10  /* how long what failed is not tried again */

struct vmmprof_identities {
	struct vmmprof_cpu *cpu;
	struct vmmprof_vms *vms;
	bool busy;   /* what follows is being used */
	bool asked;  /* ask, gs, other are the work's */
	u32 last_id; /* given to a task */
	struct vmmprof_frozen ask;
	u32 nr_later;
	u64 later[LATER]; /* TSC of these samples; [0]: ask's */
	u64 gs;
	u64 other;
	struct irq_work work;
	struct vmmprof_guest_memory memory;
	struct vmmprof_rec_identity seen[SEEN];
	struct vmmprof_whose whose[VCPUS];
};

static __always_inline struct vmmprof_whose *
whose_of(struct vmmprof_identities *id, const struct kvm_vcpu *vcpu)
{
	struct vmmprof_whose *w;

	w = &id->whose[(unsigned long)vcpu >> VMMPROF_SEEN_SHIFT & (VCPUS - 1)];
	/* or GCC computes it anew for each member, from the number */
	OPTIMIZER_HIDE_VAR(w);
	return w;
}

/* The MSR is there on every CPU of 64 bits. */
static __always_inline u64 read_kernel_gs(void)
{
	u32 low, high;

	asm volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(MSR_KERNEL_GS_BASE));
	return low | (u64)high << 32;
}

/* Behind a VM exit: the register's GS base and the other one. */
static __always_inline void read_bases(const struct vmcb *vmcb, u64 *gs,
				       u64 *other)
{
	u64 cpl;

	if (vmcb) {
		*gs = vmcb->save.gs.base;
		*other = vmcb->save.kernel_gs_base;
		cpl = vmcb->save.cpl;
	} else {
		*gs = vmx_read(GUEST_GS_BASE);
		*other = read_kernel_gs();
		cpl = vmx_read(GUEST_SS_AR_BYTES) >> 5 & 3;
	}
	if (cpl == 3) {
		*gs = *other;
		*other = 0; /* user mode's is never the kernel's */
	}
}

/* What is remembered of the vCPU is of it, and not too old. */
static __always_inline bool is_known(const struct vmmprof_identities *id,
				     const struct vmmprof_whose *w,
				     const struct kvm_vcpu *vcpu, u64 tsc)
{
	return likely(w->vcpu == vcpu) && likely(w->tgid == current->tgid) &&
	       likely(w->gen == READ_ONCE(id->vms->gen)) &&
	       likely((s64)(w->until - tsc) > 0) &&
	       likely(w->slots == vmmprof_memslots_version(vcpu->kvm));
}

static __always_inline bool same_task(const struct vmmprof_rec_identity *a,
				      const struct vmmprof_who *b, u32 pid)
{
	const u64 *comm = (const u64 *)a->comm;

	return a->tid == b->tid && a->mm == b->mm && comm[0] == b->comm[0] &&
	       comm[1] == b->comm[1] && a->start_ns == b->start_ns &&
	       a->tgid == b->tgid && a->pid == pid &&
	       (a->hdr.flags & ~VMMPROF_I_SAMPLE) == b->flags;
}

/* Room for an IDENTITY record, or NULL: it was counted.  Commit is due. */
static notrace struct vmmprof_rec_identity *begin(struct vmmprof_ring *ring,
						  bool nmi, u64 tsc)
{
	struct vmmprof_rec_identity *rec;

	rec = vmmprof_ring_begin(ring, sizeof(*rec), nmi, tsc);
	if (!rec)
		vmmprof_ring_lose(ring, nmi, tsc, false);
	return rec;
}
NOKPROBE_SYMBOL(begin);

/* Tell of a task; @seen is its place.  Its id, or WHO_ROOM. */
static noinline notrace u32 tell_task(struct vmmprof_identities *id,
				      struct vmmprof_rec_identity *seen,
				      const struct vmmprof_who *who, bool nmi,
				      u64 tsc)
{
	struct vmmprof_ring *ring = &id->cpu->ring;
	struct vmmprof_rec_identity *rec = begin(ring, nmi, tsc);
	u32 next = id->last_id + 1;

	if (rec) {
		*seen = (struct vmmprof_rec_identity){
			.hdr = { .type = VMMPROF_REC_IDENTITY,
				 .size = sizeof(*rec),
				 .flags = who->flags,
				 .tsc = tsc },
			.id = next < VMMPROF_WHO_FIRST ? VMMPROF_WHO_FIRST :
							 next,
			.pid = current->tgid,
			.tgid = who->tgid,
			.tid = who->tid,
			.mm = who->mm,
			.start_ns = who->start_ns,
		};
		memcpy(seen->comm, who->comm, sizeof(seen->comm));
		*rec = *seen;
		id->last_id = seen->id;
	}
	vmmprof_ring_commit(ring);
	return rec ? seen->id : VMMPROF_WHO_ROOM;
}
NOKPROBE_SYMBOL(tell_task);

/* analyzer/host/told.c has the same places: it keeps what may be referred to. */
static __always_inline u32 id_of(struct vmmprof_identities *id,
				 const struct vmmprof_who *who, bool nmi,
				 u64 tsc)
{
	struct vmmprof_rec_identity *seen;
	u64 h = (who->tid ^ who->mm >> 6) * 0x9e3779b97f4a7c15ull;

	seen = &id->seen[h >> 56];
	BUILD_BUG_ON(SEEN != 256);
	OPTIMIZER_HIDE_VAR(seen);
	if (likely(same_task(seen, who, current->tgid)) && likely(seen->id))
		return seen->id;
	return tell_task(id, seen, who, nmi, tsc);
}

/* Leave the rest to the work. */
static noinline notrace u32 ask(struct vmmprof_identities *id,
				struct kvm_vcpu *vcpu, u64 gs, u64 other,
				u64 tsc)
{
	struct vmmprof_guest_at at;

	if (!vmmprof_guest_ops->read_at(vcpu, &at))
		return VMMPROF_WHO_MOVED;
	id->ask = (struct vmmprof_frozen){
		.task = current,
		.vcpu = vcpu,
		.tsc = tsc,
		.ip = at.ip,
		.sp = at.sp,
		.cr3 = at.cr3,
	};
	id->gs = gs;
	id->other = other;
	id->later[0] = tsc;
	id->nr_later = 1;
	WRITE_ONCE(id->asked, true);
	irq_work_queue(&id->work);
	return VMMPROF_WHO_LATER;
}
NOKPROBE_SYMBOL(ask);

/*
 * Another sample before the work has run: the guest has not, either, for the
 * interrupt of the work would have stopped it at once.
 */
static noinline notrace u32 ask_too(struct vmmprof_identities *id,
				    const struct kvm_vcpu *vcpu, u64 tsc)
{
	if (id->nr_later == LATER || id->ask.vcpu != vcpu ||
	    id->ask.task != current)
		return VMMPROF_WHO_BUSY;
	id->later[id->nr_later++] = tsc;
	return VMMPROF_WHO_LATER;
}
NOKPROBE_SYMBOL(ask_too);

/* Of a sample of the guest itself. */
static __always_inline u32 guest_sample(struct vmmprof_identities *id,
					struct kvm_vcpu *vcpu,
					const struct vmcb *vmcb, bool nmi,
					u64 tsc)
{
	struct vmmprof_whose *w = whose_of(id, vcpu);
	struct vmmprof_who who;
	u64 gs, other, task;
	u32 ret;

	read_bases(vmcb, &gs, &other);
	if (unlikely(READ_ONCE(id->asked)))
		return ask_too(id, vcpu, tsc);
	if (unlikely(!is_known(id, w, vcpu, tsc)))
		return ask(id, vcpu, gs, other, tsc);
	if (unlikely(w->why != VMMPROF_WHO_FIRST))
		return w->why;
	if (unlikely(gs != w->gs) && other != w->gs)
		return ask(id, vcpu, gs, other, tsc);
	ret = vmmprof_whose_read(w, &who, &task);
	if (likely(ret == VMMPROF_WHO_FIRST))
		return id_of(id, &who, nmi, tsc);
	return ret == VMMPROF_WHO_LATER ? ask(id, vcpu, gs, other, tsc) : ret;
}

/* The CPU's page table is that of current's memory. */
static __always_inline bool own_memory(void)
{
	const struct mm_struct *mm = current->mm;

	return mm && read_cr3_pa() == __pa(mm->pgd);
}

/* Of a sample of the host, while the guest waits: only by what is known. */
static noinline notrace u32 host_sample(struct vmmprof_identities *id,
					const struct kvm_vcpu *vcpu, bool nmi,
					u64 tsc)
{
	struct vmmprof_whose *w = whose_of(id, vcpu);
	struct vmmprof_who who;
	u64 task;

	if (READ_ONCE(id->asked) || !is_known(id, w, vcpu, tsc) ||
	    w->why != VMMPROF_WHO_FIRST || !own_memory() ||
	    vmmprof_whose_read(w, &who, &task) != VMMPROF_WHO_FIRST)
		return VMMPROF_WHO_NONE;
	return id_of(id, &who, nmi, tsc);
}
NOKPROBE_SYMBOL(host_sample);

/* Why there is no identity, of samples with these flags. */
static notrace u32 excluded(u32 flags)
{
	if (flags & VMMPROF_S_PROTECTED)
		return VMMPROF_WHO_ENCRYPTED;
	if (flags & VMMPROF_S_L2)
		return VMMPROF_WHO_NESTED;
	return flags & VMMPROF_S_SMM ? VMMPROF_WHO_SMM : VMMPROF_WHO_PAGING;
}
NOKPROBE_SYMBOL(excluded);

notrace u32 vmmprof_identity_sample(struct vmmprof_cpu *cpu,
				    struct kvm_vcpu *vcpu,
				    const struct vmcb *vmcb, u32 flags,
				    bool nmi, u64 tsc)
{
	const u32 not = VMMPROF_S_L2 | VMMPROF_S_SHADOW | VMMPROF_S_PROTECTED |
			VMMPROF_S_SMM;
	struct vmmprof_identities *id = cpu->identities;
	u32 ret;

	if (unlikely(flags & not ))
		return excluded(flags);
	if (unlikely(READ_ONCE(id->busy)))
		return VMMPROF_WHO_BUSY;
	WRITE_ONCE(id->busy, true);
	barrier();
	if (likely(flags & VMMPROF_S_GUEST))
		ret = guest_sample(id, vcpu, vmcb, nmi, tsc);
	else if (flags & VMMPROF_S_OWN)
		ret = host_sample(id, vcpu, nmi, tsc);
	else
		ret = VMMPROF_WHO_NONE;
	barrier();
	WRITE_ONCE(id->busy, false);
	return ret;
}
NOKPROBE_SYMBOL(vmmprof_identity_sample);

/* Look everything up.  Context: kvm->srcu, RCU. */
static u32 look_up(struct vmmprof_identities *id, struct vmmprof_whose *w,
		   struct kvm_vcpu *vcpu, const struct vmmprof_guest_at *at,
		   struct vmmprof_who *who)
{
	const u64 tsc = id->ask.tsc;
	struct vmmprof_guest_layout *layout;
	struct vmmprof_vm *vm;
	u64 cr3 = at->cr3;

	if (!is_known(id, w, vcpu, tsc) || w->why != VMMPROF_WHO_FIRST) {
		memset(w, 0, sizeof(*w));
		w->vcpu = vcpu;
		w->tgid = current->tgid;
		w->slots = vmmprof_memslots_version(vcpu->kvm);
		w->gen = READ_ONCE(id->vms->gen);
		smp_rmb(); /* pairs with changed() */
		w->until = tsc + (u64)VMMPROF_WHOSE_MS * tsc_khz;
		vm = vmmprof_vms_current(id->vms);
		if (!vm)
			return VMMPROF_WHO_NO_LAYOUT;
		vmmprof_vm_tell_slots(vm, vcpu);
		layout = rcu_dereference(vm->layout);
		if (!layout)
			return VMMPROF_WHO_NO_LAYOUT;
		vmmprof_whose_layout(w, layout);
	}
	if (!vmmprof_guest_ops->own_paging(vcpu))
		return VMMPROF_WHO_PAGING;
	if (vmmprof_guest_ops->encrypted && vmmprof_guest_ops->encrypted(vcpu))
		return VMMPROF_WHO_ENCRYPTED;
	if (!(vcpu->arch.efer & EFER_LMA))
		return VMMPROF_WHO_BITS;
	if (w->layout.flags & VMMPROF_GUEST_LAYOUT_F_PTI)
		cr3 &= ~PAGE_SIZE;
	vmmprof_guest_begin(&id->memory, vcpu, cr3);
	return vmmprof_whose_fill(w, &id->memory, id->gs, id->other, who);
}

/* The record of a sample whose identity is LATER. */
static void tell_sample(struct vmmprof_identities *id, u64 tsc, u32 what,
			const struct vmmprof_who *who)
{
	struct vmmprof_ring *ring = &id->cpu->ring;
	struct vmmprof_rec_identity *rec = begin(ring, false, tsc);

	if (rec) {
		*rec = (struct vmmprof_rec_identity){
			.hdr = { .type = VMMPROF_REC_IDENTITY,
				 .size = sizeof(*rec),
				 .flags = VMMPROF_I_SAMPLE,
				 .tsc = tsc },
			.id = what,
			.pid = current->tgid,
		};
		if (what >= VMMPROF_WHO_FIRST) {
			rec->hdr.flags |= who->flags;
			rec->tgid = who->tgid;
			rec->tid = who->tid;
			rec->mm = who->mm;
			rec->start_ns = who->start_ns;
			memcpy(rec->comm, who->comm, sizeof(rec->comm));
		}
	}
	vmmprof_ring_commit(ring);
}

static u32 look(struct vmmprof_identities *id, struct vmmprof_who *who)
{
	struct vmmprof_guest_at at;
	struct vmmprof_whose *w;
	struct kvm_vcpu *vcpu;
	int srcu;
	u32 ret;

	vcpu = vmmprof_still_frozen(&id->ask, &at);
	if (!vcpu)
		return VMMPROF_WHO_MOVED;
	w = whose_of(id, vcpu);
	srcu = srcu_read_lock(&vcpu->kvm->srcu);
	rcu_read_lock();
	pagefault_disable();
	ret = look_up(id, w, vcpu, &at, who);
	pagefault_enable();
	rcu_read_unlock();
	srcu_read_unlock(&vcpu->kvm->srcu, srcu);
	/*
	 * What keeps every task from being found is not looked for again in each
	 * sample; without a layout that is so until there is one.
	 */
	w->why = VMMPROF_WHO_FIRST;
	if (ret != VMMPROF_WHO_FIRST &&
	    (ret == VMMPROF_WHO_NO_LAYOUT || !w->current_at.size)) {
		w->why = ret;
		if (ret != VMMPROF_WHO_NO_LAYOUT)
			w->until = id->ask.tsc + (u64)BAD_MS * tsc_khz;
	}
	return ret;
}

static void identity_work(struct irq_work *work)
{
	struct vmmprof_identities *id = container_of(
		work, struct vmmprof_identities, work);
	struct vmmprof_who who;
	u32 ret, i;

	WRITE_ONCE(id->busy, true);
	barrier();
	ret = look(id, &who);
	if (ret == VMMPROF_WHO_FIRST)
		ret = id_of(id, &who, false, id->ask.tsc);
	for (i = 0; i < id->nr_later; i++)
		tell_sample(id, id->later[i], ret, &who);
	WRITE_ONCE(id->asked, false);
	barrier();
	WRITE_ONCE(id->busy, false);
}

int vmmprof_identity_create(struct vmmprof_cpu *cpu, struct vmmprof_vms *vms)
{
	struct vmmprof_identities *id;

	id = kvzalloc_node(sizeof(*id), VMMPROF_GFP, cpu_to_node(cpu->cpu));
	if (!id)
		return -ENOMEM;
	id->cpu = cpu;
	id->vms = vms;
	id->work = vmmprof_hard_irq_work(identity_work);
	cpu->identities = id;
	return 0;
}

void vmmprof_identity_stop(struct vmmprof_cpu *cpu)
{
	if (cpu->identities)
		irq_work_sync(&cpu->identities->work);
}

void vmmprof_identity_destroy(struct vmmprof_cpu *cpu)
{
	vmmprof_identity_stop(cpu);
	kvfree(cpu->identities);
	cpu->identities = NULL;
}
