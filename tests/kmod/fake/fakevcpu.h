/* SPDX-License-Identifier: GPL-2.0-only */
/* What is written to /dev/fakevcpu: a vCPU that the caller seems to have. */
#ifndef FAKEVCPU_H
#define FAKEVCPU_H

#include <linux/types.h>

#define FAKE_VCPU_ID 5

struct fake {
	__u32 busy_ms;	   /* the caller computes that long in the kernel, */
	__u32 sleep_ms;	   /* then it sleeps */
	__u8 in_run;	   /* KVM_RUN, not another ioctl */
	__u8 in_guest;	   /* KVM is about to enter the guest */
	__u8 smm;	   /* system management mode */
	__u8 protected_vm; /* TDX, or the like */
	__u8 hypervisor;   /* the guest has CR4.VMXE */
	__u8 forwards;	   /* KVM says that it lets an interrupt through */
	__u8 vmcb;	   /* enum fake_vmcb: what is behind it */
	__u8 fresh;	   /* it has not left its guest yet */
	__u32 exit_code;   /* in the VMCB */
};

enum fake_vmcb {
	FAKE_NO_VMCB,	   /* zeros */
	FAKE_VMCB,	   /* one, as kvm_amd has it */
	FAKE_VMCB_NESTED,  /* that of a nested guest */
	FAKE_VMCB_INSIDE,  /* a pointer into a page */
	FAKE_VMCB_NOWHERE, /* to a page that is no memory */
	FAKE_VMCB_OTHER,   /* another one's physical address beside it */
	NR_FAKE_VMCB
};

/* What the VMCB says. */
#define FAKE_RIP 0x7f1234567000ull
#define FAKE_RSP 0x7fff00001110ull
#define FAKE_CR3 0x12345000ull
#define FAKE_CPL 3

#endif /* FAKEVCPU_H */
