// SPDX-License-Identifier: GPL-2.0-only
/*
 * smmvm NAME [ROUNDS]: a VM of one vCPU in real mode that counts to COUNT and is
 * then interrupted by an SMI, whose handler counts to 2 * COUNT; so often.  Of the
 * time that its vCPU runs two thirds are system management mode.
 */
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define COUNT	  3000000
#define MEMORY	  0x40000
#define GUEST_IP  0x1000
#define SMM_ENTRY 0x38000 /* SDM, "SMRAM": SMBASE 30000H + 8000H */
#define SMM_SPACE 1	  /* KVM's second address space */

static const uint8_t guest[] = {
	0x66, 0xb9, 0, 0, 0, 0, /* mov ecx, COUNT */
	0x66, 0x49,		/* dec ecx */
	0x75, 0xfc,		/* jnz to it */
	0xe6, 0x80,		/* out 0x80, al */
	0xeb, 0xf2,		/* jmp to the first */
};

static const uint8_t handler[] = {
	0x66, 0xb9, 0, 0, 0, 0, /* mov ecx, 2 * COUNT */
	0x66, 0x49,		/* dec ecx */
	0x75, 0xfc,		/* jnz to it */
	0x0f, 0xaa,		/* rsm */
};

static void put(uint8_t *to, const uint8_t *code, size_t size, uint32_t count)
{
	memcpy(to, code, size);
	memcpy(to + 2, &count, sizeof(count));
}

static int slot(int vm, unsigned int number, void *memory)
{
	struct kvm_userspace_memory_region mem = {
		.slot = number,
		.memory_size = MEMORY,
		.userspace_addr = (uintptr_t)memory,
	};

	return ioctl(vm, KVM_SET_USER_MEMORY_REGION, &mem);
}

/* In a segment that begins at 0.  As ioctl(). */
static int begin(int vcpu)
{
	const struct kvm_regs regs = { .rip = GUEST_IP, .rflags = 2 };
	struct kvm_sregs s;

	if (ioctl(vcpu, KVM_GET_SREGS, &s))
		return -1;
	s.cs.base = 0;
	s.cs.selector = 0;
	if (ioctl(vcpu, KVM_SET_SREGS, &s))
		return -1;
	return ioctl(vcpu, KVM_SET_REGS, &regs);
}

static int run(int vcpu, const struct kvm_run *r, long rounds)
{
	while (rounds--) {
		do {
			if (ioctl(vcpu, KVM_RUN, 0)) {
				perror("KVM_RUN");
				return 1;
			}
		} while (r->exit_reason == KVM_EXIT_INTR);
		if (r->exit_reason != KVM_EXIT_IO) {
			fprintf(stderr, "exit %u\n", r->exit_reason);
			return 1;
		}
		if (ioctl(vcpu, KVM_SMI, 0)) {
			perror("KVM_SMI");
			return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	int kvm = open("/dev/kvm", O_RDWR), vm, vcpu;
	struct kvm_run *r;
	uint8_t *memory;

	if (argc < 2)
		return 2;
	prctl(PR_SET_NAME, argv[1]);
	vm = ioctl(kvm, KVM_CREATE_VM, 0);
	memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (vm < 0 || memory == MAP_FAILED || slot(vm, 0, memory) ||
	    slot(vm, SMM_SPACE << 16, memory)) {
		perror("a VM");
		return 1;
	}
	put(memory + GUEST_IP, guest, sizeof(guest), COUNT);
	put(memory + SMM_ENTRY, handler, sizeof(handler), 2 * COUNT);
	vcpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	r = mmap(NULL, ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0),
		 PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);
	if (vcpu < 0 || r == MAP_FAILED || begin(vcpu)) {
		perror("a vCPU");
		return 1;
	}
	return run(vcpu, r, argc > 2 ? atol(argv[2]) : -1);
}
