// SPDX-License-Identifier: GPL-2.0-only
/*
 * counts: known loops, counted by the PMU.  One of 2 instructions a round in this
 * process, by read() and by RDPMC, and the same loop in a VM, by counters that
 * count guests only, the host only, and both.  Each is run with ROUNDS and with
 * twice as many, so that what surrounds the loop cancels out.  A line for each:
 * what is counted, how much more the second run had.
 */
#include <fcntl.h>
#include <linux/kvm.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROUNDS	 1000000
#define GUEST_IP 0x1000

enum { USER, GUEST_ONLY, HOST_ONLY, BOTH };

static void need(int good, const char *what)
{
	if (good)
		return;
	perror(what);
	exit(1);
}

static int event(uint64_t config, int where)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.pinned = 1,
		.exclude_kernel = where == USER,
		.exclude_hv = 1,
		.exclude_host = where == GUEST_ONLY,
		.exclude_guest = where == HOST_ONLY,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	need(fd >= 0, "perf_event_open");
	return fd;
}

static uint64_t value(int fd)
{
	uint64_t n = 0;

	need(read(fd, &n, sizeof(n)) == sizeof(n), "read");
	return n;
}

static void loop(uint64_t rounds)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(rounds) : : "cc");
}

/* The counter of an event as RDPMC reads it; it must not leave the CPU. */
static uint64_t rdpmc(const struct perf_event_mmap_page *page)
{
	uint32_t lo, hi;

	need(page->cap_user_rdpmc && page->index, "RDPMC");
	__asm__ volatile("rdpmc" : "=a"(lo), "=d"(hi) : "c"(page->index - 1));
	return (lo | (uint64_t)hi << 32) & ((1ull << page->pmc_width) - 1);
}

static uint64_t by_read(int fd, uint64_t rounds)
{
	uint64_t before = value(fd);

	loop(rounds);
	return value(fd) - before;
}

static uint64_t by_rdpmc(const struct perf_event_mmap_page *page,
			 uint64_t rounds)
{
	uint64_t before = rdpmc(page);

	loop(rounds);
	return rdpmc(page) - before;
}

static void in_this_process(const char *name, uint64_t config)
{
	int fd = event(config, USER);
	struct perf_event_mmap_page *page = mmap(NULL, getpagesize(), PROT_READ,
						 MAP_SHARED, fd, 0);
	uint64_t once;

	need(page != MAP_FAILED, "mmap of the event");
	by_read(fd, 1); /* read() is there: no page fault */
	once = by_read(fd, ROUNDS);
	printf("%s read %lld\n", name,
	       (long long)(by_read(fd, 2 * ROUNDS) - once));
	by_rdpmc(page, 1);
	once = by_rdpmc(page, ROUNDS);
	printf("%s rdpmc %lld\n", name,
	       (long long)(by_rdpmc(page, 2 * ROUNDS) - once));
	close(fd);
}

/* A VM that runs so many rounds and ends in HLT; its start is real mode. */
struct vm {
	int vcpu;
	struct kvm_run *run;
	char *memory;
};

static const uint8_t rounds_then_hlt[] = {
	0x66, 0xb9, 0, 0, 0, 0, /* mov ecx, ROUNDS */
	0x66, 0x49,		/* dec ecx */
	0x75, 0xfc,		/* jnz to it */
	0xf4,			/* hlt */
};

static void vm_create(struct vm *vm)
{
	struct kvm_userspace_memory_region mem = { .memory_size = 0x10000 };
	int kvm = open("/dev/kvm", O_RDWR), fd = ioctl(kvm, KVM_CREATE_VM, 0);
	struct kvm_sregs sregs;

	vm->memory = mmap(NULL, mem.memory_size, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(vm->memory != MAP_FAILED, "mmap");
	mem.userspace_addr = (uintptr_t)vm->memory;
	need(fd >= 0 && !ioctl(fd, KVM_SET_USER_MEMORY_REGION, &mem),
	     "/dev/kvm");
	vm->vcpu = ioctl(fd, KVM_CREATE_VCPU, 0);
	need(vm->vcpu >= 0, "KVM_CREATE_VCPU");
	vm->run = mmap(NULL, ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0),
		       PROT_READ | PROT_WRITE, MAP_SHARED, vm->vcpu, 0);
	need(vm->run != MAP_FAILED, "mmap of the vCPU");
	need(!ioctl(vm->vcpu, KVM_GET_SREGS, &sregs), "KVM_GET_SREGS");
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	need(!ioctl(vm->vcpu, KVM_SET_SREGS, &sregs), "KVM_SET_SREGS");
}

static uint64_t vm_count(struct vm *vm, int fd, uint32_t rounds)
{
	struct kvm_regs regs = { .rip = GUEST_IP, .rflags = 2 };
	uint64_t before;

	memcpy(vm->memory + GUEST_IP, rounds_then_hlt, sizeof(rounds_then_hlt));
	memcpy(vm->memory + GUEST_IP + 2, &rounds, sizeof(rounds));
	need(!ioctl(vm->vcpu, KVM_SET_REGS, &regs), "KVM_SET_REGS");
	before = value(fd);
	do
		need(!ioctl(vm->vcpu, KVM_RUN, 0), "KVM_RUN");
	while (vm->run->exit_reason != KVM_EXIT_HLT);
	return value(fd) - before;
}

static void in_vm(struct vm *vm, const char *name, uint64_t config, int where)
{
	static const char *const wheres[] = { "user", "guest", "host", "both" };
	int fd = event(config, where);
	uint64_t once;

	vm_count(vm, fd, 1);
	once = vm_count(vm, fd, ROUNDS);
	printf("%s %s %lld\n", name, wheres[where],
	       (long long)(vm_count(vm, fd, 2 * ROUNDS) - once));
	close(fd);
}

int main(void)
{
	struct vm vm;
	int where;

	in_this_process("cycles", PERF_COUNT_HW_CPU_CYCLES);
	in_this_process("instructions", PERF_COUNT_HW_INSTRUCTIONS);
	vm_create(&vm);
	for (where = GUEST_ONLY; where <= BOTH; where++) {
		in_vm(&vm, "cycles", PERF_COUNT_HW_CPU_CYCLES, where);
		in_vm(&vm, "instructions", PERF_COUNT_HW_INSTRUCTIONS, where);
	}
	return 0;
}
