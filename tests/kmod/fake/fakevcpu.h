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
	__u8 reserved[3];
};

#endif /* FAKEVCPU_H */
