// SPDX-License-Identifier: GPL-2.0-only
/*
 * tinyvm -name NAME: a VM of one vCPU that spins in real mode until killed;
 * there at once, where a kernel in QEMU takes a minute to boot.
 */
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#define GUEST_IP 0x1000

static int fail(const char *what)
{
	perror(what);
	return 1;
}

int main(void)
{
	static const uint8_t code[] = { 0xeb, 0xfe }; /* jmp . */
	struct kvm_userspace_memory_region mem = { .memory_size = 0x10000 };
	struct kvm_regs regs = { .rip = GUEST_IP, .rflags = 2 };
	int kvm = open("/dev/kvm", O_RDWR), vm = ioctl(kvm, KVM_CREATE_VM, 0);
	struct kvm_sregs sregs;
	int vcpu;
	char *p;

	p = mmap(NULL, mem.memory_size, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return fail("mmap");
	memcpy(p + GUEST_IP, code, sizeof(code));
	mem.userspace_addr = (uintptr_t)p;
	if (vm < 0 || ioctl(vm, KVM_SET_USER_MEMORY_REGION, &mem))
		return fail("/dev/kvm");
	vcpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	if (vcpu < 0 || ioctl(vcpu, KVM_GET_SREGS, &sregs))
		return fail("KVM_CREATE_VCPU");
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	ioctl(vcpu, KVM_SET_SREGS, &sregs);
	ioctl(vcpu, KVM_SET_REGS, &regs);
	prctl(PR_SET_NAME, "CPU 0/KVM"); /* as QEMU names its threads */
	for (;;)
		ioctl(vcpu, KVM_RUN, 0);
}
