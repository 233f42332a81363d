// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who runs in a guest: one of 64-bit code with page tables, a per-CPU area and tasks
 * that the test wrote and changes while it is sampled.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab.h"

#define MEMORY	   0x800000ull /* of the guest, from 0 on */
#define PML4	   0x1000
#define LOW	   0x2000 /* tables of the lower half: 2 MiB pages */
#define HIGH	   0x4000 /* of the upper one */
#define PT	   0x6000 /* and its second 2 MiB: pages of 4 KiB */
#define CODE	   0x10000
#define PERCPU	   0x200000 /* at BASE in the upper half */
#define TASK	   0x300000 /* one there, others at each 0x3000 */
#define SMALL	   0x400000 /* mapped by pages of 4 KiB */
#define BASE	   0xffff888000000000ull
#define GS	   (BASE + PERCPU)
#define AT_CURRENT 0x40
#define AT_MM	   0xff8 /* the last one of its page */
#define AT_PID	   0x1000
#define AT_TGID	   0x1004
#define AT_COMM	   0x1ff0
#define AT_START   0x2008
#define AT_FLAGS   0x4
#define PAGE	   0x83 /* present, writable, large */
#define TABLE	   0x3
#define USER	   0x4

static uint8_t *memory;

static uint64_t *word(uint64_t gpa)
{
	return (uint64_t *)(memory + gpa);
}

/* A task at the guest physical address @at. */
static void task(uint64_t at, uint32_t tgid, uint32_t tid, const char *comm)
{
	*word(at + AT_MM) = BASE + tgid * 64;
	*(uint32_t *)word(at + AT_PID) = tid;
	*(uint32_t *)word(at + AT_TGID) = tgid;
	*word(at + AT_START) = 1000 + tid;
	*(uint32_t *)(memory + at + AT_FLAGS) = tgid == 2 ? 0x200000 : 0;
	memset(memory + at + AT_COMM, 0, 16);
	strcpy((char *)memory + at + AT_COMM, comm);
}

static void run_task(uint64_t at)
{
	__atomic_store_n(word(PERCPU + AT_CURRENT), BASE + at,
			 __ATOMIC_SEQ_CST);
}

static void make_memory(void)
{
	static const uint8_t loop[] = { 0xeb, 0xfe };

	memset(memory, 0, MEMORY);
	*word(PML4) = LOW | TABLE | USER;
	*word(PML4 + 273 * 8) = HIGH | TABLE; /* BASE */
	*word(LOW) = (LOW + 0x1000) | TABLE | USER;
	*word(HIGH) = (HIGH + 0x1000) | TABLE;
	for (uint64_t i = 0; i < 4; i++) {
		*word(LOW + 0x1000 + i * 8) = i << 21 | PAGE | USER;
		*word(HIGH + 0x1000 + i * 8) = i << 21 | PAGE;
	}
	*word(HIGH + 0x1000 + 2 * 8) = PT | TABLE;
	for (uint64_t i = 0; i < 512; i++)
		*word(PT + i * 8) = (SMALL + (i << 12)) | TABLE;
	memcpy(memory + CODE, loop, sizeof(loop));
	task(TASK, 100, 101, "first");
	task(TASK + 0x3000, 2, 2, "kthreadd");
	task(SMALL, 300, 301, "small pages");
	run_task(TASK);
}

static void segment(struct kvm_segment *s, int code, int cpl)
{
	*s = (struct kvm_segment){ .limit = 0xffffffff,
				   .selector = (code ? 8 : 16) | cpl,
				   .type = code ? 11 : 3,
				   .present = 1,
				   .dpl = cpl,
				   .db = !code,
				   .s = 1,
				   .l = code,
				   .g = 1 };
}

static void set_base(int vcpu, uint64_t base)
{
	struct {
		struct kvm_msrs head;
		struct kvm_msr_entry entry;
	} m = { .head.nmsrs = 1, .entry = { 0xc0000102, 0, base } };

	if (ioctl(vcpu, KVM_SET_MSRS, &m) != 1)
		die("KVM_SET_MSRS");
}

/* Long mode has to be among what the vCPU can. */
static void set_cpuid(int kvm, int vcpu)
{
	static struct {
		struct kvm_cpuid2 head;
		struct kvm_cpuid_entry2 entries[256];
	} all;

	all.head.nent = 256;
	if (ioctl(kvm, KVM_GET_SUPPORTED_CPUID, &all) ||
	    ioctl(vcpu, KVM_SET_CPUID2, &all))
		die("KVM_SET_CPUID2");
}

/* @gs, @kernel_gs: what is in the register and the MSR. */
static void vm_run(int cpl, uint64_t gs, uint64_t kernel_gs, int ready)
{
	int kvm = open("/dev/kvm", O_RDWR), vm = ioctl(kvm, KVM_CREATE_VM, 0);
	struct kvm_userspace_memory_region mem = {
		.memory_size = MEMORY, .userspace_addr = (uintptr_t)memory
	};
	struct kvm_regs regs = { .rip = CODE, .rflags = 2, .rsp = 0x20000 };
	struct kvm_sregs s;
	int vcpu;

	if (ioctl(vm, KVM_SET_USER_MEMORY_REGION, &mem))
		die("KVM_SET_USER_MEMORY_REGION");
	vcpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	if (vcpu < 0 || ioctl(vcpu, KVM_GET_SREGS, &s))
		die("KVM_CREATE_VCPU");
	set_cpuid(kvm, vcpu);
	segment(&s.cs, 1, cpl);
	segment(&s.ss, 0, cpl);
	s.ds = s.ss;
	s.es = s.ss;
	s.fs = s.ss;
	s.gs = s.ss;
	s.gs.base = gs;
	s.cr0 = 0x80000011; /* PG, ET, PE */
	s.cr3 = PML4;
	s.cr4 = 0x20;	/* PAE */
	s.efer = 0x500; /* LME, LMA */
	if (ioctl(vcpu, KVM_SET_SREGS, &s) || ioctl(vcpu, KVM_SET_REGS, &regs))
		die("KVM_SET_SREGS");
	set_base(vcpu, kernel_gs);
	/* As a guest that wrote them would have: nothing is faulted in. */
	for (uint64_t i = 0; i < MEMORY; i += 4096)
		asm("" : : "r"(memory[i]));
	close(ready);
	for (;;)
		ioctl(vcpu, KVM_RUN, 0);
}

struct start {
	int cpl;
	uint64_t gs, kernel_gs;
};

static void run_start(const void *arg, int ready)
{
	const struct start *at = arg;

	vm_run(at->cpl, at->gs, at->kernel_gs, ready);
}

static pid_t start_vm(int cpl, uint64_t gs, uint64_t kernel_gs)
{
	return vm_fork(run_start, &(struct start){ cpl, gs, kernel_gs });
}

static void stop_vm(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

#define IDS 1024

/* What a ring said. */
struct heard {
	uint32_t pid;
	uint64_t samples, none, wrong, by_reason[VMMPROF_WHO_FIRST];
	uint64_t later[4]; /* TSCs of samples that wait for their records */
	int nr_later;
	struct vmmprof_rec_identity known[IDS], last;
};

static void take(struct heard *h, const struct vmmprof_rec_identity *i,
		 uint32_t id)
{
	if (id < VMMPROF_WHO_FIRST)
		h->by_reason[id]++;
	else if (i && i->id == id && i->pid == h->pid)
		h->last = *i;
	else
		h->wrong++;
}

/* Did a sample of that time say that it has a record? */
static bool waits(struct heard *h, uint64_t tsc)
{
	for (int i = 0; i < 4; i++) {
		if (h->later[i] != tsc)
			continue;
		h->later[i] = 0;
		return true;
	}
	return false;
}

static void look(const struct vmmprof_rec_hdr *hdr, void *arg)
{
	const struct vmmprof_rec_sample *s = (const void *)hdr;
	const struct vmmprof_rec_identity *i = (const void *)hdr;
	struct heard *h = arg;

	if (hdr->type == VMMPROF_REC_IDENTITY &&
	    hdr->flags & VMMPROF_I_SAMPLE) {
		h->wrong += !waits(h, hdr->tsc) || hdr->size != 64;
		take(h, i, i->id);
	} else if (hdr->type == VMMPROF_REC_IDENTITY) {
		h->wrong += i->id < VMMPROF_WHO_FIRST || i->id >= IDS;
		h->known[i->id % IDS] = *i;
	}
	if (hdr->type != VMMPROF_REC_SAMPLE)
		return;
	if (!(hdr->flags & VMMPROF_S_GUEST)) {
		h->wrong += s->identity && !(hdr->flags & VMMPROF_S_VCPU);
		return;
	}
	h->samples++;
	if (s->identity == VMMPROF_WHO_LATER)
		h->later[h->nr_later++ % 4] = hdr->tsc;
	else
		take(h, &h->known[s->identity % IDS], s->identity);
}

/* Sample for a while, forgetting what was heard before, but ids. */
static struct heard *listen(struct ring *r, struct heard *h, unsigned int ms)
{
	sleep_ms(20);
	if (ring_drain(r, look, h))
		die("ring");
	h->samples = 0;
	h->wrong = 0;
	memset(h->by_reason, 0, sizeof(h->by_reason));
	memset(&h->last, 0, sizeof(h->last));
	for (int i = 0; i < 40 && h->samples < 5; i++) {
		sleep_ms(ms);
		if (ring_drain(r, look, h))
			die("ring");
	}
	return h;
}

static uint64_t reasons(const struct heard *h)
{
	uint64_t n = 0;

	for (int i = 0; i < VMMPROF_WHO_FIRST; i++)
		n += h->by_reason[i];
	return n;
}

/* Say what was heard, for what fails. */
static bool say(const struct heard *h)
{
	printf("# %d samples, %d wrong, last %u %u '%s' mm %llx;",
	       (int)h->samples, (int)h->wrong, h->last.tgid, h->last.tid,
	       h->last.comm, (unsigned long long)h->last.mm);
	for (int i = 0; i < VMMPROF_WHO_FIRST; i++)
		if (h->by_reason[i])
			printf(" %d: %d", i, (int)h->by_reason[i]);
	printf("\n");
	return false;
}

/* All samples were of this task. */
static bool all(const struct heard *h, uint32_t tgid, uint32_t tid,
		const char *comm)
{
	const struct vmmprof_rec_identity *i = &h->last;
	uint32_t flags = VMMPROF_I_START | (tgid == 2 ? VMMPROF_I_KTHREAD : 0);

	return (h->samples >= 5 && !h->wrong && !reasons(h) &&
		i->tgid == tgid && i->tid == tid && !strcmp(i->comm, comm) &&
		i->mm == BASE + tgid * 64 && i->start_ns == 1000 + tid &&
		(i->hdr.flags & ~VMMPROF_I_SAMPLE) == flags) ||
	       say(h);
}

/* All samples had this reason. */
static bool only(const struct heard *h, uint32_t why)
{
	return (h->samples >= 5 && !h->wrong &&
		h->by_reason[why] == h->samples) ||
	       say(h);
}

static struct vmmprof_guest_layout layout_of(pid_t pid)
{
	return (struct vmmprof_guest_layout){
		.size = sizeof(struct vmmprof_guest_layout),
		.pid = pid,
		.current_task = AT_CURRENT,
		.task_tgid = AT_TGID,
		.task_pid = AT_PID,
		.task_mm = AT_MM,
		.task_comm = AT_COMM,
		.task_flags = AT_FLAGS,
		.task_start = AT_START,
	};
}

static bool set(int fd, struct vmmprof_guest_layout l)
{
	return !ioctl(fd, VMMPROF_IOC_GUEST_LAYOUT, &l);
}

static int start(void)
{
	struct vmmprof_setup s = good_setup();
	int fd = dev_open();

	s.flags = VMMPROF_SETUP_F_IDENTITY;
	s.ring_size = 1 << 20;
	only_cpu(&s, 0);
	if (ioctl(fd, VMMPROF_IOC_SETUP, &s) || ioctl(fd, VMMPROF_IOC_START, 0))
		die("a session with identities");
	return fd;
}

static void tasks(int cpl, uint64_t gs, uint64_t kernel_gs, const char *name)
{
	static struct heard h;
	pid_t pid;
	struct ring r;
	int fd;

	make_memory();
	fd = start();
	r = ring_map(fd, 0, 1 << 20);
	pid = start_vm(cpl, gs, kernel_gs);
	memset(&h, 0, sizeof(h));
	h.pid = pid;
	ok(only(listen(&r, &h, 50), VMMPROF_WHO_NO_LAYOUT),
	   "%s: nobody without a layout", name);
	ok(set(fd, layout_of(pid)), "%s: a layout is taken", name);
	ok(all(listen(&r, &h, 50), 100, 101, "first"),
	   "%s: each of %d samples has its task", name, (int)h.samples);
	task(TASK, 100, 101, "renamed");
	ok(all(listen(&r, &h, 50), 100, 101, "renamed"), "%s: ... a new name",
	   name);
	run_task(TASK + 0x3000);
	ok(all(listen(&r, &h, 50), 2, 2, "kthreadd"), "%s: ... a kernel thread",
	   name);
	run_task(SMALL);
	ok(all(listen(&r, &h, 50), 300, 301, "small pages"),
	   "%s: ... one in small pages", name);
	/* The same address, another page. */
	task(TASK + 0x9000, 400, 400, "moved");
	for (int i = 0; i < 3; i++)
		*word(PT + i * 8) = (TASK + 0x9000 + i * 0x1000) | TABLE;
	ok(all(listen(&r, &h, 2), 400, 400, "moved"),
	   "%s: ... mapped to another place", name);
	*word(PT + 8) = 0;
	ok(only(listen(&r, &h, 2), VMMPROF_WHO_UNMAPPED),
	   "%s: what is not mapped any more is nobody's", name);
	*word(PT + 8) = 0x7ffff000 | TABLE;
	ok(only(listen(&r, &h, 2), VMMPROF_WHO_NO_MEMORY),
	   "%s: nor what is no memory", name);
	*word(PERCPU + AT_CURRENT) = 0x1234;
	ok(only(listen(&r, &h, 2), VMMPROF_WHO_INVALID),
	   "%s: a pointer into user mode is none", name);
	run_task(TASK);
	*(uint32_t *)word(TASK + AT_PID) = 0x87654321;
	ok(only(listen(&r, &h, 2), VMMPROF_WHO_INVALID),
	   "%s: nor is a thread with an absurd number", name);
	stop_vm(pid);
	ring_unmap(&r);
	close(fd);
}

/* Layouts come, change and go while samples are taken. */
static void replaced(void)
{
	static struct heard h;
	struct vmmprof_guest_layout good, none, other;
	pid_t pid, second;
	struct ring r;
	int fd, bad = 0;

	make_memory();
	fd = start();
	r = ring_map(fd, 0, 1 << 20);
	pid = start_vm(0, GS, 0);
	good = layout_of(pid);
	none = (struct vmmprof_guest_layout){ .size = sizeof(none),
					      .pid = pid,
					      .flags = 1 };
	other = good;
	other.current_task = AT_CURRENT + 8;
	*word(PERCPU + AT_CURRENT + 8) = BASE + TASK + 0x3000;
	memset(&h, 0, sizeof(h));
	h.pid = pid;
	for (int i = 0; i < 20; i++) {
		bad += !set(fd, good) || !set(fd, other) || !set(fd, none);
		sleep_ms(1);
	}
	ok(!bad, "layouts are replaced and removed while samples are taken");
	ok(only(listen(&r, &h, 50), VMMPROF_WHO_NO_LAYOUT),
	   "one that was removed is not used");
	set(fd, good);
	listen(&r, &h, 50);
	set(fd, other);
	ok(all(listen(&r, &h, 50), 2, 2, "kthreadd"),
	   "one that was replaced is not used");
	second = start_vm(0, GS, 0);
	stop_vm(pid);
	ok(fails(ioctl(fd, VMMPROF_IOC_GUEST_LAYOUT, &good), ESRCH),
	   "a VM that is gone has none");
	h.pid = second;
	ok(only(listen(&r, &h, 50), VMMPROF_WHO_NO_LAYOUT),
	   "nor has another one by it");
	good.pid = second;
	ok(set(fd, good) && all(listen(&r, &h, 50), 100, 101, "first"),
	   "but by its own");
	ioctl(fd, VMMPROF_IOC_STOP, 0);
	ok(set(fd, good), "after STOP too");
	stop_vm(second);
	ring_unmap(&r);
	close(fd);
}

static void slots(void)
{
	struct vmmprof_memslot to[4] = {}, none[4] = {};
	struct vmmprof_memslots m = { .size = sizeof(m),
				      .nr = 4,
				      .to = (uintptr_t)to },
				ask;
	pid_t pid;
	int fd, ret = -1;

	make_memory();
	fd = start();
	pid = start_vm(0, GS, 0);
	m.pid = pid;
	ask = m;
	ok(fails(ioctl(fd, VMMPROF_IOC_MEMSLOTS, &ask), EAGAIN),
	   "MEMSLOTS: asked for");
	for (int i = 0; i < 100 && ret; i++) {
		sleep_ms(20);
		ask = m;
		ret = ioctl(fd, VMMPROF_IOC_MEMSLOTS, &ask);
	}
	ok(!ret && ask.nr == 1 && ask.total == 1 && ask.tsc && !to[0].gpa &&
		   to[0].bytes == MEMORY && to[0].hva == (uintptr_t)memory &&
		   !to[0].flags && !memcmp(&to[1], &none[1], sizeof(to[1])),
	   "MEMSLOTS: told by a sample, %u of %u", ask.nr, ask.total);
	ask = m;
	ok(fails(ioctl(fd, VMMPROF_IOC_MEMSLOTS, &ask), EAGAIN),
	   "MEMSLOTS: once");
	stop_vm(pid);
	ask = m;
	ok(fails(ioctl(fd, VMMPROF_IOC_MEMSLOTS, &ask), ESRCH),
	   "MEMSLOTS: not of a VM that is gone");
	close(fd);
}

/* Ask for the memory of a process that is gone when this returns. */
static int ask_of_one(int fd)
{
	struct vmmprof_memslots m = { .size = sizeof(m), .nr = 1 };
	int err;

	m.pid = fork();
	if (!m.pid) {
		pause();
		_exit(0);
	}
	err = ioctl(fd, VMMPROF_IOC_MEMSLOTS, &m) ? errno : 0;
	stop_vm(m.pid);
	return err;
}

/* As an agent sees in weeks. */
static void many_come_and_go(void)
{
	uint64_t before, took, most = 0;
	int fd = start(), bad = 0;

	for (int i = 0; i < VMMPROF_GUEST_LAYOUTS_MAX + 10; i++) {
		before = now_ms(CLOCK_MONOTONIC);
		bad += ask_of_one(fd) != EAGAIN;
		took = now_ms(CLOCK_MONOTONIC) - before;
		most = took > most ? took : most;
	}
	ok(!bad, "more VMs than may be known, one after the other");
	ok(most < 2000, "room for a new one is made at once (%d ms)",
	   (int)most);
	close(fd);
}

void test_identity(void)
{
	int kvm = open("/dev/kvm", O_RDWR);

	if (kvm < 0) {
		skip("who runs in a guest", "no KVM");
		return;
	}
	close(kvm);
	memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		die("mmap");
	pin_cpu(0);
	tasks(0, GS, 0, "kernel mode");
	tasks(3, 0x7000, GS, "user mode");
	tasks(0, 0x7000, GS, "before SWAPGS");
	replaced();
	slots();
	many_come_and_go();
	pin_none();
	munmap(memory, MEMORY);
}
