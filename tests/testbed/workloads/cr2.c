// SPDX-License-Identifier: GPL-2.0-only
/*
 * cr2: a VM of one vCPU that writes CR2, leaves for this program, which faults a
 * page in, and reads it again; a number of times.  Prints how often it was its
 * own, and how often what the host had left there.
 */
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#define GUEST_IP 0x1000
#define TIMES	 100
#define PAGE	 4096

static const uint8_t code[] = {
	0x66, 0xb8, 0x00, 0x70, 0x5e, 0x0d, /* mov eax, 0xd5e7000 */
	0x0f, 0x22, 0xd0,		    /* mov cr2, eax */
	0xe6, 0x80,			    /* out 0x80, al */
	0x0f, 0x20, 0xd0,		    /* mov eax, cr2 */
	0x66, 0xe7, 0x81,		    /* out 0x81, eax */
	0xeb, 0xed,			    /* jmp to the beginning */
};
#define WRITTEN 0x0d5e7000

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static int run_vm(int vcpu, const struct kvm_run *run, volatile char *fresh)
{
	int own = 0, read = 0;
	uint32_t value;

	while (read < TIMES) {
		if (ioctl(vcpu, KVM_RUN, 0) || run->exit_reason != KVM_EXIT_IO)
			return fail("KVM_RUN");
		if (run->io.port == 0x80) {
			fresh[read * PAGE] = 1;
			continue;
		}
		memcpy(&value, (const char *)run + run->io.data_offset,
		       sizeof(value));
		own += value == WRITTEN;
		read++;
	}
	printf("own %d others %d\n", own, read - own);
	return 0;
}

int main(void)
{
	struct kvm_userspace_memory_region mem = { .memory_size = 0x10000 };
	struct kvm_regs regs = { .rip = GUEST_IP, .rflags = 2 };
	int kvm = open("/dev/kvm", O_RDWR), vm = ioctl(kvm, KVM_CREATE_VM, 0);
	int vcpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	struct kvm_sregs sregs;
	struct kvm_run *run;
	char *p, *fresh;

	p = mmap(NULL, mem.memory_size, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	fresh = mmap(NULL, TIMES * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || fresh == MAP_FAILED)
		return fail("mmap");
	madvise(fresh, TIMES * PAGE, MADV_NOHUGEPAGE);
	memcpy(p + GUEST_IP, code, sizeof(code));
	mem.userspace_addr = (uintptr_t)p;
	if (vcpu < 0 || ioctl(vm, KVM_SET_USER_MEMORY_REGION, &mem) ||
	    ioctl(vcpu, KVM_GET_SREGS, &sregs))
		return fail("/dev/kvm");
	run = mmap(NULL, ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0),
		   PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);
	if (run == MAP_FAILED)
		return fail("mmap of the vCPU");
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	if (ioctl(vcpu, KVM_SET_SREGS, &sregs) ||
	    ioctl(vcpu, KVM_SET_REGS, &regs))
		return fail("KVM_SET_REGS");
	return run_vm(vcpu, run, fresh);
}
