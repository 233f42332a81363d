// SPDX-License-Identifier: GPL-2.0-only
/* See longvm.h. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "longvm.h"

#define PAGE 4096

uint8_t *longvm_memory(size_t size)
{
	uint8_t *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	madvise(p, size, MADV_NOHUGEPAGE);
	return p;
}

int longvm_slot(int vm, unsigned int slot, uint64_t gpa, uint64_t size,
		void *memory)
{
	struct kvm_userspace_memory_region mem = {
		.slot = slot,
		.guest_phys_addr = gpa,
		.memory_size = size,
		.userspace_addr = (uintptr_t)memory,
	};

	return ioctl(vm, KVM_SET_USER_MEMORY_REGION, &mem);
}

void longvm_five(int kvm, int vcpu)
{
	const unsigned int most = 256;
	struct kvm_cpuid2 *ids;

	ids = calloc(1, sizeof(*ids) + most * sizeof(ids->entries[0]));
	if (!ids)
		exit(1);
	ids->nent = most;
	if (ioctl(kvm, KVM_GET_SUPPORTED_CPUID, ids) ||
	    ioctl(vcpu, KVM_SET_CPUID2, ids)) {
		perror("KVM_SET_CPUID2");
		exit(1);
	}
	free(ids);
}

void longvm_set(int vcpu, const struct kvm_regs *regs, uint64_t cr3, bool five,
		bool kernel, bool narrow)
{
	struct kvm_sregs s;

	if (ioctl(vcpu, KVM_GET_SREGS, &s)) {
		perror("KVM_GET_SREGS");
		exit(1);
	}
	s.cr0 = 0x80010033; /* PG, WP, NE, ET, MP, PE */
	s.cr3 = cr3;
	s.cr4 = five ? 0x1020 : 0x20; /* LA57, PAE */
	s.efer = 0x500;		      /* LME, LMA */
	s.cs = (struct kvm_segment){
		.limit = ~0u,
		.selector = kernel ? 0x10 : 0x33,
		.type = 11,
		.present = 1,
		.dpl = kernel ? 0 : 3,
		.db = narrow,
		.s = 1,
		.l = !narrow,
		.g = 1,
	};
	s.ss = s.cs;
	s.ss.selector = kernel ? 0x18 : 0x2b;
	s.ss.type = 3;
	s.ss.l = 0;
	s.ss.db = 1;
	s.ds = s.es = s.fs = s.gs = s.ss;
	if (ioctl(vcpu, KVM_SET_SREGS, &s) || ioctl(vcpu, KVM_SET_REGS, regs)) {
		perror("KVM_SET_REGS");
		exit(1);
	}
}

int longvm_resident(void *memory, size_t size)
{
	unsigned char *there = malloc(size / PAGE);
	int n = 0;

	if (!there || mincore(memory, size, there))
		return -1;
	for (size_t i = 0; i < size / PAGE; i++)
		n += there[i] & 1;
	free(there);
	return n;
}
