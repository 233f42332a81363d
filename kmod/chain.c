// SPDX-License-Identifier: GPL-2.0-only
/*
 * When chains are taken, and of whom.
 *
 * The host's chain is taken in the sample's own interrupt.  The guest's cannot
 * be: memslots are under kvm->srcu, which no NMI may take.  It is taken by a hard
 * irq_work that the sample queues.  Its interrupt comes as soon as the CPU takes
 * one again: where KVM opens interrupts between the exit and the next entry, or
 * at that entry, which exits again before an instruction of the guest ran (SDM,
 * "External-interrupt exiting"); KVM takes no fast path after an NMI.  So it runs
 * on the same CPU, interrupts the same thread, and the guest's memory is as it
 * was.  That is not believed, but looked at: current is the same task with the
 * same vCPU loaded, and the VMCS says that the guest is where it was:
 *  - The sample hit the guest: RIP, RSP and CR3 are the same.
 *  - It hit KVM: RSP and CR3 are the same, RIP may have moved on by one
 *    instruction of at most 15 bytes, for KVM writes that into the VMCS right
 *    before the entry, with interrupts off.  An event that KVM injects there
 *    changes RSP: the CPU pushes a frame.
 * Registers are those that KVM saved after the exit; RBP is among them.
 *
 * What may happen between the sample and the work:
 *  - Another sample: the CPU has one slot; its chain ends with END_BUSY.
 *  - The thread is preempted, killed, its VM destroyed: not this task, or it has
 *    no vCPU loaded; nothing of the vCPU is looked at.
 *  - kvm goes: it has no vCPU then, and vmmprof_kvm_ops is NULL.
 *  - The CPU goes: perf's counters go before, and irq_work that is queued runs
 *    on the dying CPU, in another task.
 *  - STOP, close() or the recorder's death: the counters and the tracepoint's
 *    probes are gone before vmmprof_chain_stop(), which waits for the work.
 *
 * Everything that is not the NMI runs with interrupts off: the work, the timer's
 * callback, the probe of sched_switch.  They never interrupt each other, and so
 * share a buffer; the NMI has one of its own.
 */
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "chain.h"
#include "chain_buf.h"
#include "chain_guest.h"
#include "chain_host.h"
#include "cpu.h"
#include "frozen.h"
#include "guest_state.h"
#include "vcpu.h"

#define HOST		(VMMPROF_CHAIN_F_HOST_KERNEL | VMMPROF_CHAIN_F_HOST_USER)
#define ALL		(HOST | VMMPROF_CHAIN_F_GUEST | VMMPROF_CHAIN_F_OUT)

#define MAX_INSTRUCTION 15

struct vmmprof_chains {
	struct vmmprof_cpu *cpu;
	struct vmmprof_chain_want want;
	bool busy; /* ask is the work's */
	struct vmmprof_frozen ask;
	struct irq_work work;
	/* By context, [1]: NMI. */
	struct vmmprof_chain_buf buf[2];
	struct vmmprof_chain_table table[2];
	struct vmmprof_guest_memory memory;
};

int vmmprof_chain_check(const struct vmmprof_setup *setup)
{
	u32 flags = setup->chain_flags;

	if (!(setup->flags & VMMPROF_SETUP_F_CHAINS))
		return flags || setup->chain_depth || setup->chain_stack ||
				       setup->chain_reserved ?
			       -EINVAL :
			       0;
	if (!flags || flags & ~ALL || setup->chain_reserved ||
	    !setup->chain_depth || setup->chain_depth > VMMPROF_CHAIN_DEPTH ||
	    setup->chain_stack > VMMPROF_CHAIN_STACK || setup->chain_stack & 7)
		return -EINVAL;
	if (flags & VMMPROF_CHAIN_F_GUEST &&
	    setup->flags & VMMPROF_SETUP_F_NO_GUEST)
		return -EINVAL;
	if (flags & VMMPROF_CHAIN_F_OUT &&
	    !(setup->flags & VMMPROF_SETUP_F_SWITCHES))
		return -EINVAL;
	return 0;
}

static __always_inline void put(struct vmmprof_chains *c, bool nmi, u64 tsc)
{
	vmmprof_chain_put(&c->cpu->ring, &c->table[nmi], nmi, &c->buf[nmi],
			  tsc);
}

static void chain_work(struct irq_work *work)
{
	struct vmmprof_chains *c = container_of(work, struct vmmprof_chains,
						work);
	struct vmmprof_chain_buf *buf = &c->buf[0];
	struct vmmprof_guest_at at;
	struct kvm_vcpu *vcpu;

	vmmprof_chain_begin(buf, VMMPROF_C_GUEST, c->want.depth);
	vcpu = vmmprof_still_frozen(&c->ask, &at);
	if (vcpu)
		vmmprof_chain_guest(buf, &c->memory, vcpu, &at);
	else
		buf->end_user = VMMPROF_END_MOVED;
	put(c, false, c->ask.tsc);
	/* An NMI that sees this may write c->ask. */
	barrier();
	WRITE_ONCE(c->busy, false);
}

static notrace void ask_guest(struct vmmprof_chains *c,
			      const struct vmmprof_rec_sample *rec, bool nmi)
{
	struct preempt_notifier *pn = vmmprof_vcpu_notifier(current);

	if (!pn)
		return;
	if (READ_ONCE(c->busy)) {
		vmmprof_chain_begin(&c->buf[nmi], VMMPROF_C_GUEST, 0);
		c->buf[nmi].end_user = VMMPROF_END_BUSY;
		put(c, nmi, rec->hdr.tsc);
		return;
	}
	WRITE_ONCE(c->busy, true);
	barrier();
	c->ask = (struct vmmprof_frozen){
		.task = current,
		.vcpu = vmmprof_vcpu_of(pn),
		.tsc = rec->hdr.tsc,
		.ip = rec->guest_ip,
		.sp = rec->guest_rsp,
		.cr3 = rec->guest_cr3,
		.slack = rec->hdr.flags & VMMPROF_S_GUEST ? 0 : MAX_INSTRUCTION,
	};
	irq_work_queue(&c->work);
}
NOKPROBE_SYMBOL(ask_guest);

/* The guest's state is its own, and of a page table that we can walk. */
static __always_inline bool readable(u32 flags)
{
	const u32 need = VMMPROF_S_VCPU | VMMPROF_S_STATE | VMMPROF_S_OWN;
	const u32 not = VMMPROF_S_L2 | VMMPROF_S_SHADOW | VMMPROF_S_PROTECTED |
			VMMPROF_S_SMM | VMMPROF_S_UNPAGED;

	return (flags & (need | not )) == need;
}

notrace void vmmprof_chain_sample(struct vmmprof_cpu *cpu,
				  const struct vmmprof_rec_sample *rec,
				  struct pt_regs *regs, bool nmi)
{
	struct vmmprof_chains *c = cpu->chains;
	u32 flags = rec->hdr.flags;

	if (!c)
		return;
	if (!(flags & VMMPROF_S_GUEST) && c->want.flags & HOST) {
		vmmprof_chain_begin(&c->buf[nmi], 0, c->want.depth);
		vmmprof_chain_host(&c->buf[nmi], regs, c->want.flags);
		put(c, nmi, rec->hdr.tsc);
	}
	if (c->want.flags & VMMPROF_CHAIN_F_GUEST && readable(flags))
		ask_guest(c, rec, nmi);
}
NOKPROBE_SYMBOL(vmmprof_chain_sample);

/* The guest's chain, and what an OUT record has not of the guest's state. */
static void guest_out(struct vmmprof_chains *c, struct kvm_vcpu *vcpu, u64 tsc)
{
	struct vmmprof_chain_buf *buf = &c->buf[0];
	struct vmmprof_guest_at at;

	if (vcpu->arch.hflags & HF_SMM_MASK ||
	    !vmmprof_guest_ops->read_at(vcpu, &at) ||
	    !vmmprof_guest_ops->own_paging(vcpu))
		return;
	vmmprof_chain_begin(buf,
			    VMMPROF_C_OUT | VMMPROF_C_GUEST | VMMPROF_C_STATE,
			    c->want.depth);
	buf->state = (struct vmmprof_chain_state){
		.guest_ip = at.ip,
		.guest_cr3 = at.cr3,
		.guest_rsp = at.sp,
		.guest_ss_ar = at.ss_ar,
	};
	vmmprof_chain_guest(buf, &c->memory, vcpu, &at);
	put(c, false, tsc);
}

void vmmprof_chain_out(struct vmmprof_cpu *cpu, struct kvm_vcpu *vcpu, u64 tsc)
{
	struct vmmprof_chains *c = cpu->chains;
	struct vmmprof_chain_buf *buf = &c->buf[0];

	if (!(c->want.flags & VMMPROF_CHAIN_F_OUT))
		return;
	if (c->want.flags & HOST) {
		vmmprof_chain_begin(buf, VMMPROF_C_OUT, c->want.depth);
		vmmprof_chain_host(buf, NULL, c->want.flags);
		put(c, false, tsc);
	}
	if (c->want.flags & VMMPROF_CHAIN_F_GUEST && vcpu)
		guest_out(c, vcpu, tsc);
}

static void chains_free(struct vmmprof_chains *c)
{
	kvfree(c->buf[0].stack);
	kvfree(c->buf[1].stack);
	kvfree(c);
}

int vmmprof_chain_create(struct vmmprof_cpu *cpu,
			 const struct vmmprof_chain_want *want)
{
	struct vmmprof_chains *c;
	unsigned int i;

	c = kvzalloc_node(sizeof(*c), VMMPROF_GFP, cpu_to_node(cpu->cpu));
	if (!c)
		return -ENOMEM;
	c->cpu = cpu;
	c->want = *want;
	for (i = 0; want->stack && i < 2; i++) {
		c->buf[i].stack = kvzalloc_node(want->stack, VMMPROF_GFP,
						cpu_to_node(cpu->cpu));
		if (!c->buf[i].stack)
			goto err_free;
		c->buf[i].stack_most = want->stack;
	}
	c->work = vmmprof_hard_irq_work(chain_work);
	cpu->chains = c;
	return 0;

err_free:
	chains_free(c);
	return -ENOMEM;
}

void vmmprof_chain_stop(struct vmmprof_cpu *cpu)
{
	if (cpu->chains)
		irq_work_sync(&cpu->chains->work);
}

void vmmprof_chain_destroy(struct vmmprof_cpu *cpu)
{
	if (!cpu->chains)
		return;
	irq_work_sync(&cpu->chains->work);
	chains_free(cpu->chains);
	cpu->chains = NULL;
}
