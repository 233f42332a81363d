// SPDX-License-Identifier: GPL-2.0-only
/*
 * A struct kvm_vcpu without a VM, to be met by the module where no machine at
 * hand has such a guest (TDX, SMM, hypervisors).  It is loaded as KVM does it:
 * by a preemption notifier whose functions have names of KVM, which is what the
 * module knows it by.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kvm_host.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/svm.h>

#include "fakevcpu.h"

/* As kvm_amd's struct vcpu_svm begins. */
struct fake_svm {
	struct kvm_vcpu vcpu;
	unsigned long next[3];
};

/* The name that KVM is known by: kmod/vcpu.c. */
static void kvm_sched_in(struct preempt_notifier *pn, int cpu)
{
}

static void sched_out(struct preempt_notifier *pn, struct task_struct *next)
{
}

static struct preempt_ops ops = { .sched_in = kvm_sched_in,
				  .sched_out = sched_out };

static void describe(struct kvm_vcpu *vcpu, const struct fake *f)
{
	vcpu->vcpu_id = FAKE_VCPU_ID;
	vcpu->mode = f->in_guest ? IN_GUEST_MODE : OUTSIDE_GUEST_MODE;
	if (f->fresh)
		vcpu->arch.last_vmentry_cpu = -1;
	if (f->hypervisor)
		vcpu->arch.cr4 = X86_CR4_VMXE;
#ifdef HF_SMM_MASK
	if (f->smm)
		vcpu->arch.hflags = HF_SMM_MASK;
#endif
#ifdef kvm_arch_has_readonly_mem
	vcpu->kvm->arch.has_protected_state = f->protected_vm;
#endif
#ifdef HAVE_WANTS_TO_RUN
	vcpu->wants_to_run = f->in_run;
#endif
#ifdef HAVE_HANDLING
	vcpu->arch.handling_intr_from_guest = f->forwards;
#endif
}

/* Put @vmcb, a page, behind the vCPU. */
static void describe_svm(struct fake_svm *svm, struct vmcb *vmcb,
			 const struct fake *f)
{
	unsigned long at = (unsigned long)vmcb, *next = svm->next;

	vmcb->save.rip = FAKE_RIP;
	vmcb->save.rsp = FAKE_RSP;
	vmcb->save.cr3 = FAKE_CR3;
	vmcb->save.cpl = FAKE_CPL;
	vmcb->control.exit_code = f->exit_code;
	if (f->vmcb == FAKE_VMCB_INSIDE)
		at += 8;
	if (f->vmcb == FAKE_VMCB_NOWHERE)
		at = 0xffff800000000000; /* Documentation/arch/x86/x86_64/mm */
	*next++ = at;
#ifdef HAVE_TWO_VMCBS
	*next++ = f->vmcb == FAKE_VMCB_NESTED ? at - PAGE_SIZE : at;
	*next = __pa(next[-1]);
#else
	if (f->vmcb == FAKE_VMCB_NESTED)
		svm->vcpu.arch.hflags |= HF_GUEST_MASK;
	*next = f->vmcb == FAKE_VMCB_NOWHERE ? 0 : __pa(at);
#endif
	if (f->vmcb == FAKE_VMCB_OTHER)
		*next += PAGE_SIZE * 3;
}

static void live(struct kvm_vcpu *vcpu, const struct fake *f)
{
	unsigned long until = jiffies + msecs_to_jiffies(f->busy_ms);

	preempt_notifier_inc();
	preempt_notifier_init(&vcpu->preempt_notifier, &ops);
	preempt_notifier_register(&vcpu->preempt_notifier);
	while (f->busy_ms && time_before(jiffies, until)) {
		cpu_relax();
		cond_resched();
	}
	if (f->sleep_ms)
		msleep(f->sleep_ms);
	preempt_notifier_unregister(&vcpu->preempt_notifier);
	preempt_notifier_dec();
}

static ssize_t fake_write(struct file *file, const char __user *from,
			  size_t size, loff_t *pos)
{
	struct fake_svm *svm;
	struct kvm_vcpu *vcpu;
	struct fake f;
	ssize_t ret = -ENOMEM;
	void *pages;

	if (size != sizeof(f) || copy_from_user(&f, from, sizeof(f)) ||
	    f.vmcb >= NR_FAKE_VMCB)
		return -EINVAL;
	svm = kvzalloc(sizeof(*svm), GFP_KERNEL);
	if (!svm)
		return ret;
	vcpu = &svm->vcpu;
	vcpu->kvm = kvzalloc(sizeof(*vcpu->kvm), GFP_KERNEL);
	pages = (void *)__get_free_pages(GFP_KERNEL | __GFP_ZERO, 1);
	if (vcpu->kvm && pages) {
		describe(vcpu, &f);
		if (f.vmcb)
			describe_svm(svm, pages + PAGE_SIZE, &f);
		live(vcpu, &f);
		ret = size;
	}
	free_pages((unsigned long)pages, 1);
	kvfree(vcpu->kvm);
	kvfree(svm);
	return ret;
}

static const struct file_operations fake_fops = {
	.owner = THIS_MODULE,
	.write = fake_write,
};

static struct miscdevice fake_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "fakevcpu",
	.fops = &fake_fops,
	.mode = 0600,
};

module_misc_device(fake_misc);
MODULE_DESCRIPTION("vCPUs without a VM, for tests of vmmprof");
MODULE_LICENSE("GPL");
