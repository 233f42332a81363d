// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest of one instruction: what its samples say, also when the VM dies.
 * Without /dev/kvm there is nothing to try.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab.h"

#define GUEST_IP 0x1000
#define VCPU_ID	 3
#define HLT	 0xf4
#define OUT	 0xe6

static void ignore(int sig)
{
	(void)sig;
}

/* KVM_RUN ends with EINTR every 5 ms from now on. */
static void interrupted(void)
{
	struct sigaction sa = { .sa_handler = ignore };
	struct itimerval every = { { 0, 5000 }, { 0, 5000 } };

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

/* Enter KVM_RUN and leave it at once, so that it is known what can go wrong. */
static void enter_once(int kvm, int vcpu)
{
	int size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	struct kvm_run *run = mmap(NULL, size, PROT_READ | PROT_WRITE,
				   MAP_SHARED, vcpu, 0);

	if (run == MAP_FAILED)
		die("mmap of the vCPU");
	run->immediate_exit = 1;
	ioctl(vcpu, KVM_RUN, 0);
	run->immediate_exit = 0;
}

/*
 * Run guest code in real mode until killed; closes @ready when it begins, or,
 * if it begins with an OUT, after that one's exit.
 */
static void vm_run(const uint8_t *code, size_t len, int ready)
{
	int kvm = open("/dev/kvm", O_RDWR), vm = ioctl(kvm, KVM_CREATE_VM, 0);
	struct kvm_userspace_memory_region mem = { .memory_size = 0x10000 };
	struct kvm_regs regs = { .rip = GUEST_IP, .rflags = 2 };
	struct kvm_mp_state runnable = { KVM_MP_STATE_RUNNABLE };
	struct kvm_sregs sregs;
	char *p;
	int vcpu;

	p = mmap(NULL, mem.memory_size, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memcpy(p + GUEST_IP, code, len);
	mem.userspace_addr = (uintptr_t)p;
	if (ioctl(vm, KVM_SET_USER_MEMORY_REGION, &mem))
		die("KVM_SET_USER_MEMORY_REGION");
	if (memchr(code, HLT, len)) {
		/* KVM halts, and a timer makes it look up. */
		ioctl(vm, KVM_CREATE_IRQCHIP, 0);
		interrupted();
	}
	vcpu = ioctl(vm, KVM_CREATE_VCPU, VCPU_ID);
	if (vcpu < 0 || ioctl(vcpu, KVM_GET_SREGS, &sregs))
		die("KVM_CREATE_VCPU");
	/* With an APIC, all but vCPU 0 wait to be started. */
	ioctl(vcpu, KVM_SET_MP_STATE, &runnable);
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	ioctl(vcpu, KVM_SET_SREGS, &sregs);
	ioctl(vcpu, KVM_SET_REGS, &regs);
	enter_once(kvm, vcpu);
	if (*code == OUT)
		ioctl(vcpu, KVM_RUN, 0);
	close(ready);
	for (;;)
		ioctl(vcpu, KVM_RUN, 0);
}

pid_t vm_fork(void (*run)(const void *arg, int ready), const void *arg)
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe2(ready, O_CLOEXEC))
		die("pipe2");
	pid = fork();
	if (!pid) {
		close(ready[0]);
		run(arg, ready[1]);
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) < 0)
		die("read");
	close(ready[0]);
	return pid;
}

struct code {
	const uint8_t *bytes;
	size_t len;
};

static void run_code(const void *arg, int ready)
{
	const struct code *code = arg;

	vm_run(code->bytes, code->len, ready);
}

pid_t vm_start(const uint8_t *code, size_t len)
{
	return vm_fork(run_code, &(struct code){ code, len });
}

struct seen {
	pid_t tid;
	uint64_t of_vm, vcpu, wrong_vcpu, guest, wrong_guest, state, own;
	uint64_t vcpu_recs, before_rec, foreign_own, shadow, ept_recs, unpaged;
	bool told;
};

static void look(const struct vmmprof_rec_hdr *hdr, void *arg)
{
	const struct vmmprof_rec_sample *s = (const void *)hdr;
	const struct vmmprof_rec_vcpu *v = (const void *)hdr;
	struct seen *n = arg;

	if (hdr->type == VMMPROF_REC_VCPU) {
		n->vcpu_recs++;
		n->ept_recs += !!(hdr->flags & VMMPROF_V_EPT);
		n->told |= v->tid == (uint32_t)n->tid && v->vcpu_id == VCPU_ID;
	}
	if (hdr->type != VMMPROF_REC_SAMPLE)
		return;
	if (s->tid == (uint32_t)n->tid) {
		n->of_vm++;
		n->vcpu += !!(hdr->flags & VMMPROF_S_VCPU);
		n->wrong_vcpu += hdr->flags & VMMPROF_S_VCPU &&
				 s->vcpu_id != VCPU_ID;
		n->state += !!(hdr->flags & VMMPROF_S_STATE);
		n->own += !!(hdr->flags & VMMPROF_S_OWN);
	} else if (hdr->flags & (VMMPROF_S_VCPU | VMMPROF_S_OWN)) {
		n->foreign_own++;
	}
	if (hdr->flags & VMMPROF_S_GUEST) {
		n->guest++;
		n->shadow += !!(hdr->flags & VMMPROF_S_SHADOW);
		n->unpaged += !!(hdr->flags & VMMPROF_S_UNPAGED);
		n->before_rec += !n->told;
		n->wrong_guest += s->tid != (uint32_t)n->tid ||
				  s->guest_ip < GUEST_IP ||
				  s->guest_ip > GUEST_IP + 2 ||
				  !(hdr->flags & VMMPROF_S_OWN);
	}
}

/* Whose virtualization it is that runs guests here. */
static uint32_t vendor_of(void)
{
	struct vmmprof_info info = { .size = sizeof(info) };
	int fd = dev_open();

	ioctl(fd, VMMPROF_IOC_INFO, &info);
	close(fd);
	return info.vendor;
}

static int start_flags(struct vmmprof_event event, uint32_t *features,
		       uint32_t flags)
{
	struct vmmprof_info info = { .size = sizeof(info) };
	struct vmmprof_setup s = good_setup();
	int fd = dev_open();

	ioctl(fd, VMMPROF_IOC_INFO, &info);
	*features = info.features;
	s.ring_size = 1 << 20;
	s.flags = flags;
	s.events[0] = event;
	only_cpu(&s, 0);
	if (ioctl(fd, VMMPROF_IOC_SETUP, &s) ||
	    ioctl(fd, VMMPROF_IOC_START, 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int start(struct vmmprof_event event, uint32_t *features)
{
	return start_flags(event, features, 0);
}

/* The CPU runs real mode and 32 bits without paging itself. */
static bool unrestricted(uint32_t vendor)
{
	int fd = open("/sys/module/kvm_intel/parameters/unrestricted_guest",
		      O_RDONLY);
	char c = 0;

	/* SVM can as long as it has nested paging. */
	if (vendor == VMMPROF_VENDOR_SVM)
		return true;
	if (fd < 0 || read(fd, &c, 1) != 1)
		die("kvm_intel's unrestricted_guest");
	close(fd);
	return c == 'Y';
}

static const uint8_t spin[] = { 0xeb, 0xfe };		  /* jmp . */
static const uint8_t exits[] = { OUT, 0x80, 0xeb, 0xfc }; /* out; jmp */
static const uint8_t once[] = { OUT, 0x80, 0xeb, 0xfe };  /* out; jmp . */

static bool mostly_guest(const struct seen *n)
{
	return n->vcpu > 50 && n->guest >= n->vcpu * 8 / 10;
}

/* A session and a guest beside it, until that has some samples.  -1: none. */
static int sample_spin(struct vmmprof_event event, uint32_t *features,
		       struct ring *r, struct seen *n, int *bad)
{
	int fd = start(event, features), i;

	if (fd < 0)
		return fd;
	*n = (struct seen){};
	*bad = 0;
	*r = ring_map(fd, 0, 1 << 20);
	n->tid = vm_start(spin, sizeof(spin));
	/* Where an emulator has to wait for its CPU there are fewer a second. */
	for (i = 0; i < 120 && n->vcpu <= 50 && !*bad; i++) {
		sleep_ms(500);
		*bad = ring_drain(r, look, n);
	}
	return fd;
}

static void end_spin(int fd, struct ring *r, const struct seen *n)
{
	kill(n->tid, SIGKILL);
	waitpid(n->tid, NULL, 0);
	ring_unmap(r);
	close(fd);
}

/* What samples of a guest of one instruction say. */
static void judge_spin(const char *how, const struct seen *n, uint32_t vendor,
		       uint32_t features, int bad)
{
	ok(!bad && n->vcpu > 50 && !n->wrong_vcpu,
	   "%s: a vCPU's thread is known (%d of %d samples)", how, (int)n->vcpu,
	   (int)n->of_vm);
	ok(!n->foreign_own, "%s: and no other thread is taken for one", how);
	if (!(features & VMMPROF_FEAT_GUEST)) {
		ok(!n->guest && !n->state && !n->own,
		   "%s: nothing is said of the guest", how);
		return;
	}
	ok(mostly_guest(n), "%s: most samples are in the guest (%d of %d)", how,
	   (int)n->guest, (int)n->of_vm);
	ok(!n->wrong_guest, "%s: at its instruction [%d not]", how,
	   (int)n->wrong_guest);
	ok(n->vcpu_recs == 1 && !n->before_rec,
	   "%s: one VCPU record, before them", how);
	if (features & VMMPROF_FEAT_NO_EPT)
		ok(n->shadow == n->guest && !n->ept_recs,
		   "%s: without EPT: CR3 is said to be KVM's", how);
	else
		ok(!n->shadow && n->ept_recs == n->vcpu_recs,
		   "%s: with EPT: CR3 is the guest's", how);
	if (unrestricted(vendor))
		ok(!n->unpaged, "%s: real mode is the guest's own", how);
	else
		ok(n->unpaged == n->guest, "%s: real mode is said to be KVM's",
		   how);
}

static void spinning(struct vmmprof_event event, const char *how)
{
	uint32_t features, vendor = vendor_of();
	struct seen n;
	struct ring r;
	int bad, fd = sample_spin(event, &features, &r, &n, &bad);

	/*
	 * An emulated kernel that looks at its memory may take longer for a
	 * timer's interrupt and the exit before it than the period is: then the
	 * next one is due before the guest's first instruction.
	 */
	if (fd >= 0 && event.type == PERF_TYPE_SOFTWARE && !bad &&
	    features & VMMPROF_FEAT_GUEST && !mostly_guest(&n)) {
		printf("# %s: too often (%d of %d in the guest), again every 40 ms\n",
		       how, (int)n.guest, (int)n.of_vm);
		end_spin(fd, &r, &n);
		event.period *= 40;
		fd = sample_spin(event, &features, &r, &n, &bad);
	}
	if (fd < 0) {
		skip(how, strerror(errno));
		return;
	}
	judge_spin(how, &n, vendor, features, bad);
	kill(n.tid, SIGKILL);
	waitpid(n.tid, NULL, 0);
	memset(&n, 0, sizeof(n));
	busy_ms(200);
	ok(!ring_drain(&r, look, &n) && !ring_drain(&r, look, &n),
	   "%s: the VM is killed while sampled", how);
	ring_unmap(&r);
	close(fd);
}

/* A guest that mostly exits: its thread's samples are mostly the host's. */
static void exiting(struct vmmprof_event event, const char *how)
{
	unsigned int limit = 50; /* percent */
	uint32_t features;
	int fd = start(event, &features);
	struct seen n = {};
	struct ring r;

	if (fd < 0)
		return;
	r = ring_map(fd, 0, 1 << 20);
	n.tid = vm_start(exits, sizeof(exits));
	sleep_ms(500);
	/*
	 * A timer that is due waits for the next entry and exits from there,
	 * so it finds the guest more often than chance (up to 45 % seen); an
	 * NMI does not (2 of 480).
	 */
	if (event.type == PERF_TYPE_SOFTWARE)
		limit = 90;
	ok(!ring_drain(&r, look, &n) && n.of_vm > 50 &&
		   n.guest * 100 < n.of_vm * limit && !n.foreign_own,
	   "%s: a guest that only exits is hardly in guest (%d of %d)", how,
	   (int)n.guest, (int)n.of_vm);
	kill(n.tid, SIGKILL);
	waitpid(n.tid, NULL, 0);
	ring_unmap(&r);
	close(fd);
}

/* A host process on the CPU whose VMCS is still current. */
static void preempted(struct vmmprof_event event, const char *how)
{
	uint32_t features;
	int fd = start(event, &features);
	struct seen n = {};
	struct ring r;
	pid_t vm;

	if (fd < 0)
		return;
	r = ring_map(fd, 0, 1 << 20);
	vm = vm_start(spin, sizeof(spin));
	sleep_ms(100);
	ring_drain(&r, look, &n);
	memset(&n, 0, sizeof(n));
	n.tid = vm;
	n.told = true;
	kill(vm, SIGSTOP);
	waitpid(vm, NULL, WUNTRACED); /* it does not run any more */
	ring_drain(&r, look, &n);
	memset(&n, 0, sizeof(n));
	n.told = true;
	busy_ms(300);
	ok(!ring_drain(&r, look, &n) && !n.guest && !n.foreign_own,
	   "%s: a stopped guest has no samples, though its VMCS is there", how);
	kill(vm, SIGKILL);
	waitpid(vm, NULL, 0);
	ring_unmap(&r);
	close(fd);
}

/* Where nothing of KVM's may be read: the guest's thread is one of the host's. */
static void not_looked_at(struct vmmprof_event event, const char *how)
{
	uint32_t features;
	int fd = start_flags(event, &features, VMMPROF_SETUP_F_NO_GUEST);
	struct seen n = {};
	struct ring r;

	if (fd < 0)
		return;
	r = ring_map(fd, 0, 1 << 20);
	n.tid = vm_start(spin, sizeof(spin));
	sleep_ms(200);
	ok(!ring_drain(&r, look, &n) && n.of_vm > 20 && !n.vcpu && !n.guest &&
		   !n.state && !n.own && !n.vcpu_recs,
	   "%s: without guests a guest's samples are its thread's (%d)", how,
	   (int)n.of_vm);
	kill(n.tid, SIGKILL);
	waitpid(n.tid, NULL, 0);
	ring_unmap(&r);
	close(fd);
}

void test_kvm(void)
{
	struct vmmprof_event clock = { .type = PERF_TYPE_SOFTWARE,
				       .period = 1000000 };
	if (access("/dev/kvm", R_OK)) {
		skip("guests", "no /dev/kvm");
		return;
	}
	/* Reading and busy_ms() beside the guest, on the same CPU. */
	pin_cpu(0);
	spinning(cycles(100000), "NMI");
	exiting(cycles(100000), "NMI");
	preempted(cycles(100000), "NMI");
	not_looked_at(cycles(100000), "NMI");
	spinning(clock, "timer");
	exiting(clock, "timer");
	preempted(clock, "timer");
	not_looked_at(clock, "timer");
}

/* Drain until *@count is above 20, ten seconds at most. */
static bool enough(struct ring *r, struct seen *n, const uint64_t *count)
{
	int i;

	for (i = 0; i < 500 && *count <= 20; i++) {
		sleep_ms(20);
		if (ring_drain(r, look, n))
			return false;
	}
	return *count > 20;
}

/*
 * KVM is loaded while a session runs: nothing of its guests is read before
 * somebody has compared its layout.
 */
void test_late_kvm(void)
{
	struct vmmprof_kvm k = { .size = sizeof(k) }, now = k;
	struct vmmprof_exit e = {};
	struct vmmprof_exits x = { .size = sizeof(x),
				   .nr = 1,
				   .to = (uintptr_t)&e };
	struct seen n = {};
	/* kvm_amd's layout is compared, too: its coming is one more. */
	unsigned int loads = vendor_of() == VMMPROF_VENDOR_SVM ? 2 : 1;
	uint32_t features, exits;
	struct ring r;
	int fd, i;

	if (!access("/dev/kvm", F_OK)) {
		skip("KVM that comes while sampled", "it is there");
		return;
	}
	pin_cpu(0);
	fd = dev_open();
	exits = exits_flag(fd);
	close(fd);
	fd = start_flags(good_setup().events[0], &features, exits);
	if (fd < 0 || ioctl(fd, VMMPROF_IOC_KVM, &k))
		die("a session");
	r = ring_map(fd, 0, 1 << 20);
	for (i = 0; i < 1000 && access("/dev/kvm", F_OK); i++)
		sleep_ms(20);
	ok(!ioctl(fd, VMMPROF_IOC_KVM, &now) && now.loads == k.loads + loads,
	   "KVM comes while sampled: it is counted");
	/* Making a VM can take so many samples that none needs to be its guest's. */
	n.tid = vm_start(once, sizeof(once));
	ok(enough(&r, &n, &n.of_vm) && !n.vcpu && !n.guest && !n.state &&
		   !n.own && !n.vcpu_recs,
	   "... and nothing of its guests is read (%d samples)", (int)n.of_vm);
	k.flags = VMMPROF_KVM_F_USE;
	ok(fails(ioctl(fd, VMMPROF_IOC_KVM, &k), ESTALE),
	   "... nor after the one before it was compared");
	now.flags = VMMPROF_KVM_F_USE;
	ok(!ioctl(fd, VMMPROF_IOC_KVM, &now), "... until it was");
	ok(enough(&r, &n, &n.vcpu) && !n.wrong_vcpu,
	   "... then its vCPU is known (%d samples)", (int)n.vcpu);
	kill(n.tid, SIGKILL);
	waitpid(n.tid, NULL, 0);
	ok(!ioctl(fd, VMMPROF_IOC_STOP, 0), "... and the session stops");
	if (exits)
		ok(!ioctl(fd, VMMPROF_IOC_EXITS, &x) && x.nr >= 1 &&
			   e.pid == (uint32_t)n.tid && e.vcpu_id == VCPU_ID &&
			   x.missed,
		   "... and its exits are counted, those before are missed (%d)",
		   (int)x.missed);
	ring_unmap(&r);
	close(fd);
	pin_none();
}
