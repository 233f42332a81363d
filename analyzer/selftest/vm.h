/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A VM of one vCPU and 64 KiB through /dev/kvm, in 64-bit mode from its first
 * instruction on, that runs selftest/guest.h.  Usually KVM has no interrupt
 * controller for it: each HLT, as each OUT, ends KVM_RUN.  With one, as QEMU's VMs
 * have, the vCPU's thread sleeps in KVM_RUN until an interrupt wakes it.
 */
#ifndef SELFTEST_VM_H
#define SELFTEST_VM_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/error.h"
#include "selftest/guest.h"

struct kvm_run; /* linux/kvm.h */

struct tiny_vm {
	int kvm, vm, vcpu; /* -1: not open */
	bool halts;	   /* has a local APIC, and runs the code that halts */
	void *memory;	   /* GUEST_BYTES */
	struct kvm_run *run;
	size_t run_size;
	struct guest_params *params; /* in the VM's memory */
	atomic_bool abort; /* vm_go() is to end; interrupt its thread, too */
	/* seen by vm_go() */
	__u64 outs, hlts;
};

/* 0, or -errno with words; vm_close() in either case.  @halts: see the struct. */
int vm_open(struct tiny_vm *vm, const char *device, bool halts,
	    struct error *e);
void vm_close(struct tiny_vm *vm);

/* The guest ends with the round that it is in, or with the next one. */
static inline void vm_stop(struct tiny_vm *vm)
{
	__atomic_store_n(&vm->params->stop, 1, __ATOMIC_RELAXED);
}

/*
 * Run the guest until params->stop ends it, behind a round.  0; -ECANCELED:
 * aborted; -EIO: it ended otherwise, with words.
 */
int vm_go(struct tiny_vm *vm, struct error *e);

#endif /* SELFTEST_VM_H */
