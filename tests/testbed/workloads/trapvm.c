// SPDX-License-Identifier: GPL-2.0-only
/*
 * trapvm -name NAME: a VM of one vCPU whose stack, frame pointer and page
 * tables are traps for whoever walks them from outside: frames in a circle, at
 * the edges of memory, in pages that the host has not; entries of page tables that
 * point anywhere, or at their own table; stacks that lead to each other.  All of
 * it changes every few ms, and memory is taken away and given back meanwhile.  Runs
 * until SIGTERM; then it says how many pages that the guest never touches are
 * there: "faulted 0".
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <unistd.h>

#include "longvm.h"

#define CODE	    0x1000ull
#define PML4	    0x2000ull
#define PDPT	    0x3000ull
#define PD	    0x4000ull
#define PT	    0x5000ull /* of 2 MiB from WILD on */
#define STACKS	    0x10000ull
#define STACK_END   0x40000ull
#define UNTOUCHED   0x100000ull /* to MEMORY: pages that the host has not */
#define MEMORY	    0x400000ull
#define SECOND	    0x800000ull /* a memslot that comes and goes */
#define SECOND_SIZE 0x100000ull
#define WILD	    0x40000000ull
#define KERNEL	    0xffffffff80000000ull /* the same memory again */

#define ENTRY	    7ull /* present, writable, user */
#define LARGE	    0x80ull

static uint8_t *memory, *second;
static volatile sig_atomic_t over;
static int vm;

static void on_alarm(int sig)
{
	(void)sig;
}

static void on_term(int sig)
{
	(void)sig;
	over = 1;
}

static uint64_t any(void)
{
	return (uint64_t)random() << 33 ^ (uint64_t)random() << 11 ^ random();
}

static uint64_t *word(uint64_t gpa)
{
	return (uint64_t *)(memory + gpa);
}

static void map_memory(void)
{
	*word(PML4) = PDPT | ENTRY;
	*word(PML4 + 511 * 8) = PDPT | ENTRY;
	*word(PML4 + 8) = PML4 | ENTRY; /* its own table */
	*word(PDPT) = PD | ENTRY;
	*word(PDPT + 510 * 8) = PD | ENTRY;
	*word(PDPT + 2 * 8) = (1ull << 40) | LARGE | ENTRY; /* no memory */
	*word(PDPT + 3 * 8) = (1ull << 51) | ENTRY; /* above MAXPHYADDR */
	*word(PDPT + 4 * 8) = 0xfee00000 | ENTRY;   /* the APIC */
	for (uint64_t i = 0; i < 8; i++)
		*word(PD + i * 8) = i << 21 | LARGE | ENTRY;
	*word(PD + 8 * 8) = PT | ENTRY;
	*word(PDPT + 8) = PD | ENTRY;
}

/* Where a frame or a stack may lie, or not. */
static uint64_t somewhere(void)
{
	const uint64_t stack = STACKS + any() % (STACK_END - STACKS) / 8 * 8;
	const uint64_t places[] = {
		stack,
		stack,
		stack,
		STACK_END - 8,
		UNTOUCHED + any() % (MEMORY - UNTOUCHED) / 8 * 8,
		MEMORY - 8,
		MEMORY,
		SECOND + any() % 0x100000 / 8 * 8,
		WILD + (8ull << 21) + any() % (2 << 20) / 8 * 8,
		2 * WILD,
		3 * WILD + 16,
		4 * WILD,
		(1ull << 39) + stack,
		(1ull << 47) - 8,
		1ull << 47,
		(1ull << 56) - 16,
		any(),
		any() & 0x7fffffffff8,
		~7ull,
		0,
	};

	return places[any() % (sizeof(places) / sizeof(*places))];
}

/* In one stack of 16 KiB, each time another one: they have to be set often. */
static void set_traps(void)
{
	static uint64_t at = STACKS;
	uint64_t stop = at + 0x4000;

	for (uint64_t gpa = at; gpa < stop; gpa += 8) {
		uint64_t next = gpa + 16 + any() % 64 / 8 * 8;

		switch (any() % 16) {
		case 0:
			next = somewhere();
			break;
		case 1:
			next = KERNEL | somewhere();
			break;
		case 2:
			next = gpa;
			break;
		}
		*word(gpa) = next;
	}
	at = stop < STACK_END ? stop : STACKS;
	/* each stack of 16 KiB leads to another one, and back */
	for (uint64_t end = STACKS + 0x4000; end <= STACK_END; end += 0x4000)
		*word(end - 8) = KERNEL + STACKS + (any() % 12 << 14);
	for (int i = 0; i < 512; i++)
		*word(PT + 8 * i) = any();
}

static void set_vcpu(int vcpu)
{
	bool kernel = any() % 2;
	struct kvm_regs regs = { .rip = CODE, .rflags = 2 };

	regs.rbp = somewhere();
	regs.rsp = any() % 4 ? somewhere() : STACKS;
	if (kernel && any() % 4)
		regs.rsp = KERNEL + STACKS + any() % 0x30000 / 8 * 8;
	regs.rcx = any();
	longvm_set(vcpu, &regs, PML4, false, kernel, false);
}

static void *change_memory(void *arg)
{
	bool there = true;

	while (!over) {
		there = !there;
		longvm_slot(vm, 1, SECOND, there ? SECOND_SIZE : 0, second);
		madvise(memory + STACKS + (any() % 48 << 12), 4096,
			MADV_DONTNEED);
		usleep(500);
	}
	return arg;
}

int main(void)
{
	/* again and again: one may come before the vCPU runs */
	struct itimerval some_ms = { { 0, 10000 }, { 0, 10000 } };
	struct sigaction act = { .sa_handler = on_alarm };
	int kvm = open("/dev/kvm", O_RDWR), vcpu;
	pthread_t changer;

	memory = longvm_memory(MEMORY);
	second = longvm_memory(SECOND_SIZE);
	vm = ioctl(kvm, KVM_CREATE_VM, 0);
	if (vm < 0 || longvm_slot(vm, 0, 0, MEMORY, memory)) {
		perror("trapvm: /dev/kvm");
		return 1;
	}
	vcpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	memcpy(memory + CODE, "\xeb\xfe", 2); /* jmp . */
	map_memory();
	sigaction(SIGALRM, &act, NULL);
	act.sa_handler = on_term;
	sigaction(SIGTERM, &act, NULL);
	prctl(PR_SET_NAME, "CPU 0/KVM"); /* as QEMU names its threads */
	if (vcpu < 0 || pthread_create(&changer, NULL, change_memory, NULL))
		return 1;
	while (!over) {
		set_traps();
		set_vcpu(vcpu);
		setitimer(ITIMER_REAL, &some_ms, NULL);
		if (ioctl(vcpu, KVM_RUN, 0) && errno != EINTR) {
			perror("trapvm: KVM_RUN");
			return 1;
		}
	}
	pthread_join(changer, NULL);
	printf("faulted %d\n",
	       longvm_resident(memory + UNTOUCHED, MEMORY - UNTOUCHED));
	return 0;
}
