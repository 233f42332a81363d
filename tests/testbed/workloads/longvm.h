/* SPDX-License-Identifier: GPL-2.0-only */
/* A VM of one vCPU in 64-bit mode, for programs that make their own stacks. */
#ifndef LONGVM_H
#define LONGVM_H

#include <linux/kvm.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory for a VM, of small pages, none of which is there; or it ends. */
uint8_t *longvm_memory(size_t size);

/* Gives the VM a memory slot, or takes it away (@size 0).  As ioctl(). */
int longvm_slot(int vm, unsigned int slot, uint64_t gpa, uint64_t size,
		void *memory);

/*
 * Has the vCPU go on with these registers and page table, which has five levels
 * (@five) or four, in Linux's segments of kernel or user mode; @narrow: 32-bit
 * code.  Or it ends.
 */
void longvm_set(int vcpu, const struct kvm_regs *regs, uint64_t cr3, bool five,
		bool kernel, bool narrow);

/* Gives the vCPU what KVM has, and so LA57; or it ends. */
void longvm_five(int kvm, int vcpu);

/* How many pages of it there are; -1: that cannot be had. */
int longvm_resident(void *memory, size_t size);

#endif /* LONGVM_H */
