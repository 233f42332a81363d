// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where this module looks for KVM's members.
 *
 * KVM's structures are read, but none of KVM's symbols is used, so symbol
 * versions do not notice when kvm.ko was built from another source than this
 * module, and the offsets are wrong then.  User space compares this list with
 * the type information of the kvm that runs, before it asks for guests.
 * Every member of KVM's that is read has to stand here.
 */
#include <linux/kvm_host.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "guest_state.h"
#include "layout.h"
#include "svm_read.h"

#define MEMBER(s, m)                                                       \
	{                                                                  \
		.type = #s, .member = #m, .offset = offsetof(struct s, m), \
		.size = sizeof_field(struct s, m)                          \
	}

/* One that holds others: its own size may differ. */
#define HOLDER(s, m)                                                      \
	{                                                                 \
		.type = #s, .member = #m, .offset = offsetof(struct s, m) \
	}

static const struct vmmprof_layout_member members[] = {
	HOLDER(kvm_vcpu, preempt_notifier),
	MEMBER(preempt_notifier, link),
	MEMBER(preempt_notifier, ops),
	MEMBER(kvm_vcpu, vcpu_id),
	MEMBER(kvm_vcpu, mode),
	HOLDER(kvm_vcpu, arch),
	MEMBER(kvm_vcpu_arch, cr0),
	MEMBER(kvm_vcpu_arch, cr4),
	MEMBER(kvm_vcpu_arch, hflags),
	MEMBER(kvm_vcpu_arch, regs),
	MEMBER(kvm_vcpu_arch, efer),
	MEMBER(kvm_vcpu_arch, maxphyaddr),
	MEMBER(kvm_vcpu_arch, mp_state),
	MEMBER(kvm_vcpu_arch, last_vmentry_cpu),
	MEMBER(kvm_vcpu_arch, l1_tsc_offset),
	MEMBER(kvm_vcpu, kvm),
	MEMBER(kvm, memslots),
	HOLDER(kvm, srcu),
	VMMPROF_LAYOUT_MEMSLOTS(MEMBER, HOLDER),
	VMMPROF_LAYOUT_TSC_RATIO(MEMBER),
	VMMPROF_LAYOUT_HANDLING(MEMBER) VMMPROF_LAYOUT_PROTECTED(MEMBER)
		VMMPROF_LAYOUT_PROTECTED_VM(MEMBER)
			VMMPROF_LAYOUT_WANTS_TO_RUN(MEMBER)
};

#if VMMPROF_HAVE_L1_TSC_RATIO
#define SVM_NEXT "vmcb01"
#else
#define SVM_NEXT "vmcb_pa"
#endif

/* kvm_amd's own, of which no header tells. */
static const struct vmmprof_layout_member svm_members[] = {
	{
		.type = "vcpu_svm",
		.member = "vmcb",
		.offset = offsetof(struct vmmprof_vcpu_svm, vmcb),
		.size = sizeof_field(struct vmmprof_vcpu_svm, vmcb),
	},
	{
		.type = "vcpu_svm",
		.member = SVM_NEXT,
		.offset = offsetof(struct vmmprof_vcpu_svm, next),
	},
};

void vmmprof_layout_get(struct vmmprof_layout *layout)
{
	BUILD_BUG_ON(ARRAY_SIZE(members) + ARRAY_SIZE(svm_members) >
		     VMMPROF_LAYOUT_MAX);
	layout->nr = ARRAY_SIZE(members);
	memcpy(layout->members, members, sizeof(members));
	if (vmmprof_guest_ops->vendor != VMMPROF_VENDOR_SVM)
		return;
	memcpy(layout->members + layout->nr, svm_members, sizeof(svm_members));
	layout->nr += ARRAY_SIZE(svm_members);
}
