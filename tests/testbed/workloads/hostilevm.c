// SPDX-License-Identifier: GPL-2.0-only
/*
 * hostilevm [-5] SECONDS: a VM of one vCPU whose stacks and page tables are what an
 * attacker would make of them.  It stands still at one case after the other for
 * some milliseconds each, for so long.  Meanwhile one memory slot comes and goes,
 * and the host's mapping of other memory does.  A line for each case:
 *
 *   NAME PC user|kernel END[,END...] ADDRESS[,ADDRESS...]|-|?
 *
 * that is what a chain of it may end with (enum vmmprof_chain_end), and its
 * user part.  -5: with page tables of five levels (CR4.LA57).  At the end
 * "resident N": how many pages there are now of memory that
 * nobody but a reader of chains could have touched.
 */
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
#include <time.h>
#include <unistd.h>

#include "longvm.h"

#define LENGTH(a)  (sizeof(a) / sizeof((a)[0]))

/* Guest physical memory: slot 0 from 0 on, slot 1, which comes and goes. */
#define RAM	   0x1000000ull
#define COMING	   0x40000000ull
#define NOTHING	   0x80000000ull /* no slot is there */
#define SLOT1	   0x100000ull

/* Page tables, and what they map. */
#define PML4	   0x10000ull
#define PDPT	   0x11000ull
#define PD	   0x12000ull
#define PT	   0x13000ull
#define PDPT_UPPER 0x14000ull
#define PD_UPPER   0x15000ull
#define PT_UPPER   0x16000ull
#define PML5	   0x17000ull
#define CODE	   0x100000ull
#define STACK	   0x200000ull /* 2 MiB */
#define ABSENT	   0x400000ull /* virtual: in no page table */
#define UNTOUCHED  0x600000ull /* 2 MiB */
#define FLICKER	   0x800000ull /* 2 MiB, that the host unmaps and maps */
#define KSTACK	   0xa00000ull /* 2 MiB, at UPPER */
#define KPAGES	   0xc00000ull /* two stacks of 4 pages, at UPPER + 2 MiB */
#define UPPER	   0xffff800000000000ull
#define HIGH	   (1ull << 48) /* the same as from 0 on, with five levels */
#define KTEXT	   0xffffffff81000000ull

#define MAP	   7ull	   /* present, writable, user */
#define LARGE	   0x87ull /* and a large page */

static uint8_t *ram, *coming;
static int vm;
static volatile bool over;
static bool five;

static int fail(const char *what)
{
	perror(what);
	exit(1);
}

static void put(uint64_t gpa, uint64_t value)
{
	uint8_t *at = gpa >= COMING ? coming + (gpa - COMING) : ram + gpa;

	memcpy(at, &value, sizeof(value));
}

static void put_frame(uint64_t gpa, uint64_t next, uint64_t ip)
{
	put(gpa, next);
	put(gpa + 8, ip);
}

#define RET(n) (CODE + 0xa00 + (n))

/* Three frames at @va; the memory of which is at @gpa. */
static void put_frames(uint64_t va, uint64_t gpa)
{
	put_frame(gpa + 0x100, va + 0x200, RET(1));
	put_frame(gpa + 0x200, va + 0x300, RET(2));
	put_frame(gpa + 0x300, 0, RET(3));
}

static void put_tables(void)
{
	int i;

	put(PML5, PML4 | MAP);
	put(PML5 + 8, PML4 | MAP);
	put(PML5 + 16, LARGE);
	put(PML5 + 24, NOTHING | MAP);
	put(PML5 + 511 * 8, PML4 | MAP);
	put(PML4, PDPT | MAP);
	put(PML4 + 8, LARGE);		  /* no page is that large */
	put(PML4 + 16, NOTHING | MAP);	  /* a table where is no memory */
	put(PML4 + 24, 1ull << 51 | MAP); /* beyond the physical addresses */
	put(PML4 + 32, PML4 | MAP);	  /* itself */
	put(PML4 + 511 * 8, PML4 | MAP);
	put(PDPT, PD | MAP);
	put(PDPT + 8, COMING | LARGE); /* 1 GiB, the slot is 1 MiB of it */
	put(PDPT + 16, NOTHING | LARGE);
	put(PD, PT | MAP);
	for (i = 0; i < 512; i++)
		put(PT + 8 * i, (i * 0x1000ull) | MAP);
	put(PD + 8, STACK | LARGE);
	put(PD + 24, UNTOUCHED | LARGE);
	put(PD + 32, FLICKER | LARGE);
	put(PML4 + 256 * 8, PDPT_UPPER | MAP);
	put(PDPT_UPPER, PD_UPPER | MAP);
	put(PD_UPPER, KSTACK | LARGE);
	put(PD_UPPER + 8, PT_UPPER | MAP);
	for (i = 0; i < 4; i++) {
		put(PT_UPPER + 8 * i, (KPAGES + i * 0x1000ull) | MAP);
		put(PT_UPPER + 8 * (i + 8),
		    (KPAGES + i * 0x1000ull + 0x8000) | MAP);
	}
}

/* struct pt_regs of user mode that ends at @gpa. */
static void put_regs(uint64_t gpa, uint64_t ip, uint64_t sp, uint64_t bp)
{
	put(gpa - 168 + 32, bp);
	put(gpa - 40, ip);
	put(gpa - 32, 0x33);
	put(gpa - 24, 0x202);
	put(gpa - 16, sp);
	put(gpa - 8, 0x2b);
}

static void put_stacks(void)
{
	const uint64_t a = KPAGES + 0x4000, b = KPAGES + 0xc000;
	const uint64_t va = UPPER + 0x200000;
	int i;

	put_frames(STACK, STACK);
	put_frame(STACK + 0x1000, STACK + 0x1000, RET(4)); /* itself */
	put_frame(STACK + 0x1100, STACK + 0x1000, RET(5)); /* back */
	put_frame(STACK + 0x1200, STACK + 0x1303, RET(6)); /* not aligned */
	for (i = 0; i < 1000; i++)			   /* no end */
		put_frame(STACK + 0x10000 + 16 * i,
			  STACK + 0x10000 + 16 * (i + 1), RET(7));
	put(STACK + 0x1ffff8, ABSENT + 0x100); /* its IP is in no page */
	put_frame(STACK + 0x1400, NOTHING + 0x1000, RET(8));
	put_frames(HIGH + STACK + 0x3000, STACK + 0x3000);
	put_frames(COMING, COMING);
	put_frames(FLICKER, FLICKER);

	/* A kernel's stack with the registers of user mode at its end. */
	put_regs(KSTACK + 0x4000, RET(9), STACK + 0x80, STACK + 0x100);
	put(KSTACK + 0x3e00, KTEXT + 0x10);
	put(KSTACK + 0x3e10, KTEXT + 0x20);
	put_regs(KSTACK + 0x8000, RET(10), STACK + 0x80, ABSENT);
	/* Words without end: each looks like a return address. */
	for (i = 0; i < 0x4000; i += 8)
		put(KSTACK + 0x10000 + i, KTEXT + i);
	/* Two stacks that say they were entered from each other. */
	put(a - 8, va + 0xc000 - 64);
	put(b - 8, va + 0x4000 - 64);
}

enum {
	DONE = 1,
	DEPTH,
	FRAME,
	UNMAPPED,
	NO_MEMORY,
	NOT_PRESENT,
	ROOM = 10,
	BITS = 11
};

/* Ends that are allowed, as bits; and page tables that it is not run with. */
#define E(end) (1u << (end))
#define NOT_4  (1u << 16)
#define NOT_5  (1u << 17)
#define SOME   (E(0) | E(DONE) | E(FRAME) | E(UNMAPPED) | E(NO_MEMORY) | E(ROOM))

static const struct hostile {
	const char *name;
	bool kernel, narrow;
	uint64_t sp, bp;
	unsigned int ends;
	const char *user; /* addresses as offsets of RET, "?": not said */
} cases[] = {
	{ "frames", 0, 0, STACK + 0x80, STACK + 0x100, E(DONE), "1,2,3" },
	{ "itself", 0, 0, STACK + 0x80, STACK + 0x1000, E(FRAME), "4" },
	{ "back", 0, 0, STACK + 0x80, STACK + 0x1100, E(FRAME), "5" },
	{ "below-sp", 0, 0, STACK + 0x800, STACK + 0x100, E(FRAME), "" },
	{ "not-aligned", 0, 0, STACK + 0x80, STACK + 0x1200, E(FRAME), "6" },
	{ "not-canonical", 0, 0, STACK + 0x80, 0x4000000000000000, E(FRAME),
	  "" },
	{ "bit-48", 0, 0, STACK + 0x80, HIGH + STACK + 0x3100,
	  E(UNMAPPED) | NOT_5, "" },
	{ "fifth-level", 0, 0, HIGH + STACK + 0x80, HIGH + STACK + 0x3100,
	  E(DONE) | NOT_4, "1,2,3" },
	{ "large-pml5e", 0, 0, STACK + 0x80, 2ull << 48, E(UNMAPPED) | NOT_4,
	  "" },
	{ "fifth-in-no-memory", 0, 0, STACK + 0x80, 3ull << 48,
	  E(NO_MEMORY) | NOT_4, "" },
	{ "upper-half", 0, 0, STACK + 0x80, UPPER + 0x100, E(FRAME), "" },
	{ "no-page", 0, 0, STACK + 0x80, ABSENT + 8, E(UNMAPPED), "" },
	{ "half-a-frame", 0, 0, STACK + 0x80, STACK + 0x1ffff8, E(UNMAPPED),
	  "" },
	{ "no-memory", 0, 0, STACK + 0x80, STACK + 0x1400, E(NO_MEMORY), "8" },
	{ "beyond-the-slot", 0, 0, STACK + 0x80, COMING + 0x200000,
	  E(NO_MEMORY), "" },
	{ "table-of-itself", 0, 0, STACK + 0x80, 4ull << 39, E(FRAME), "?" },
	{ "large-pml4e", 0, 0, STACK + 0x80, 1ull << 39, E(UNMAPPED), "" },
	{ "table-in-no-memory", 0, 0, STACK + 0x80, 2ull << 39, E(NO_MEMORY),
	  "" },
	{ "reserved-bit", 0, 0, STACK + 0x80, 3ull << 39, E(UNMAPPED), "" },
	{ "no-end", 0, 0, STACK + 0x80, STACK + 0x10000, E(DEPTH), "?" },
	{ "untouched", 0, 0, STACK + 0x80, UNTOUCHED + 0x100, E(NOT_PRESENT),
	  "" },
	{ "slot-goes", 0, 0, STACK + 0x80, COMING + 0x100,
	  E(DONE) | E(NO_MEMORY) | E(NOT_PRESENT), "?" },
	{ "mapping-goes", 0, 0, STACK + 0x80, FLICKER + 0x100,
	  E(DONE) | E(NOT_PRESENT), "?" },
	{ "32-bit", 0, 1, STACK + 0x80, STACK + 0x100, E(BITS), "" },
	{ "kernel", 1, 0, UPPER + 0x3d00, 0, E(DONE), "9,1,2,3" },
	{ "kernel-user-no-page", 1, 0, UPPER + 0x7f00, 0, E(UNMAPPED), "10" },
	{ "kernel-no-page", 1, 0, UPPER + 0x205000, 0, 0, "" },
	{ "kernel-no-end", 1, 0, UPPER + 0x10000, 0, 0, "" },
	{ "kernel-in-a-circle", 1, 0, UPPER + 0x204000 - 64, 0, 0, "" },
	{ "kernel-not-canonical", 1, 0, 0x8000000000000000, 0, 0, "" },
	{ "kernel-table-of-itself", 1, 0, 0xfffffffffffff000, 0, SOME, "?" },
};

/* Is it run with these page tables? */
static bool is_run(size_t i)
{
	return !(cases[i].ends & (five ? NOT_5 : NOT_4));
}

static uint64_t pc_of(size_t i)
{
	return CODE + 16 * i;
}

static void say_case(size_t i)
{
	const struct hostile *c = &cases[i];
	const char *sep = "", *p = c->user;
	int end;

	printf("%s %#llx %s ", c->name, (unsigned long long)pc_of(i),
	       c->kernel ? "kernel" : "user");
	for (end = 0; end < 16; end++) {
		if (!(c->ends & E(end)) && !(!end && !c->ends))
			continue;
		printf("%s%d", sep, end);
		sep = ",";
	}
	if (!*p || *p == '?') {
		printf(" %s\n", *p ? "?" : "-");
		return;
	}
	for (sep = " "; *p; sep = ",", p += *p == ',')
		printf("%s%#llx", sep, RET(strtoull(p, (char **)&p, 10)));
	printf("\n");
}

static void set_case(int vcpu, size_t i)
{
	const struct hostile *c = &cases[i];
	struct kvm_regs regs = {
		.rip = pc_of(i), .rsp = c->sp, .rbp = c->bp, .rflags = 2
	};

	longvm_set(vcpu, &regs, five ? PML5 : PML4, five, c->kernel, c->narrow);
}

/* Memory of the VM comes and goes. */
static void *disturb(void *arg)
{
	while (!over) {
		usleep(3000);
		longvm_slot(vm, 1, COMING, 0, coming);
		mprotect(ram + FLICKER, 0x200000, PROT_NONE);
		usleep(3000);
		mprotect(ram + FLICKER, 0x200000, PROT_READ | PROT_WRITE);
		longvm_slot(vm, 1, COMING, SLOT1, coming);
	}
	return arg;
}

static void on_alarm(int sig)
{
	(void)sig;
}

static void run(int vcpu, double seconds)
{
	struct itimerval every = { { 0, 10000 }, { 0, 10000 } };
	struct sigaction act = { .sa_handler = on_alarm };
	time_t end = time(NULL) + seconds;
	pthread_t thread;
	sigset_t alarm;
	size_t i;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_BLOCK, &alarm, NULL);
	if (pthread_create(&thread, NULL, disturb, NULL))
		fail("pthread_create");
	sigprocmask(SIG_UNBLOCK, &alarm, NULL);
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (i = 0; time(NULL) < end; i = (i + 1) % LENGTH(cases)) {
		if (!is_run(i))
			continue;
		set_case(vcpu, i);
		ioctl(vcpu, KVM_RUN, 0); /* until the alarm */
	}
	over = true;
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	int kvm = open("/dev/kvm", O_RDWR), vcpu;
	size_t i;
	int c;

	while ((c = getopt(argc, argv, "5")) != -1) {
		if (c == '?')
			return 2;
		five = true;
	}
	if (optind != argc - 1)
		return 2;
	vm = ioctl(kvm, KVM_CREATE_VM, 0);
	ram = longvm_memory(RAM);
	coming = longvm_memory(SLOT1);
	put_tables();
	put_stacks();
	for (i = 0; i < LENGTH(cases); i++) {
		memcpy(ram + pc_of(i), "\xeb\xfe", 2); /* jmp . */
		if (is_run(i))
			say_case(i);
	}
	fflush(stdout);
	if (vm < 0 || longvm_slot(vm, 0, 0, RAM, ram) ||
	    longvm_slot(vm, 1, COMING, SLOT1, coming))
		fail("/dev/kvm");
	vcpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	if (vcpu < 0)
		fail("KVM_CREATE_VCPU");
	if (five)
		longvm_five(kvm, vcpu);
	prctl(PR_SET_NAME, "CPU 0/KVM"); /* as QEMU names its threads */
	run(vcpu, atof(argv[argc - 1]));
	printf("resident %d\n", longvm_resident(ram + UNTOUCHED, 0x200000));
	return 0;
}
