// SPDX-License-Identifier: GPL-2.0-only
/* Every ioctl with wrong sizes, flags and values, and in the wrong order. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab.h"

/* The ioctl's number with another size in it. */
static unsigned long with_size(unsigned long cmd, unsigned int size)
{
	return _IOC(_IOC_DIR(cmd), _IOC_TYPE(cmd), _IOC_NR(cmd), size);
}

/* Sizes, for a struct of @size, once @least, that is otherwise good. */
static void sizes(int fd, unsigned long cmd, const void *good, size_t size,
		  size_t least, const char *name)
{
	uint8_t buf[4096] = {};
	uint32_t *said = (uint32_t *)buf;

	memcpy(buf, good, size);
	*said = least - 8;
	ok(fails(ioctl(fd, cmd, buf), EINVAL),
	   "%s: a size other than the ioctl's is refused", name);
	ok(fails(ioctl(fd, with_size(cmd, least - 8), buf), EINVAL),
	   "%s: a struct that is too short is refused", name);
	*said = 0;
	ok(fails(ioctl(fd, cmd, buf), EINVAL), "%s: size 0 is refused", name);
	*said = 4;
	ok(fails(ioctl(fd, with_size(cmd, 4), buf), EINVAL),
	   "%s: a bare size is refused", name);
	*said = size + 16;
	buf[size + 15] = 1;
	ok(fails(ioctl(fd, with_size(cmd, size + 16), buf), E2BIG),
	   "%s: unknown members that are not zero are refused", name);
	*said = size;
	ok(fails(ioctl(fd, cmd, NULL), EFAULT), "%s: a null pointer", name);
	ok(fails(ioctl(fd, cmd, (void *)-4096l), EFAULT),
	   "%s: a kernel address", name);
}

static void info(int fd)
{
	struct vmmprof_info good = { .size = sizeof(good) }, i = good;
	struct {
		struct vmmprof_info i;
		char later[24];
	} longer = { .i.size = sizeof(longer) };

	sizes(fd, VMMPROF_IOC_INFO, &good, sizeof(good), sizeof(good), "INFO");
	ok(!ioctl(fd, VMMPROF_IOC_INFO, &i) && i.abi == VMMPROF_ABI &&
		   i.tsc_khz && i.nr_cpu_ids && i.size == sizeof(i) &&
		   i.max_events == VMMPROF_MAX_EVENTS && i.version[0],
	   "INFO: version %s, vendor %u, features %#x", i.version, i.vendor,
	   i.features);
	ok(!ioctl(fd, with_size(VMMPROF_IOC_INFO, sizeof(longer)), &longer) &&
		   longer.i.abi == VMMPROF_ABI &&
		   longer.i.size == sizeof(longer),
	   "INFO: a longer struct of a later version is accepted");
}

static void layout(int fd)
{
	struct vmmprof_layout good = { .size = sizeof(good) }, l = good;
	unsigned int i, whole = 0;

	sizes(fd, VMMPROF_IOC_LAYOUT, &good, sizeof(good), sizeof(good),
	      "LAYOUT");
	ok(!ioctl(fd, VMMPROF_IOC_LAYOUT, &l) && l.size == sizeof(l) &&
		   l.nr >= 10 && l.nr <= VMMPROF_LAYOUT_MAX,
	   "LAYOUT: %u members", l.nr);
	for (i = 0; i < l.nr; i++)
		whole += *l.members[i].type && *l.members[i].member &&
			 memchr(l.members[i].type, 0,
				sizeof(l.members[i].type)) &&
			 memchr(l.members[i].member, 0,
				sizeof(l.members[i].member));
	ok(whole == l.nr, "LAYOUT: each has its names");
}

static void kvm_loads(int fd)
{
	struct vmmprof_kvm good = { .size = sizeof(good) }, k = good;

	sizes(fd, VMMPROF_IOC_KVM, &good, sizeof(good), sizeof(good), "KVM");
	ok(!ioctl(fd, VMMPROF_IOC_KVM, &k) && k.size == sizeof(k) && !k.flags,
	   "KVM: loaded %u times", (unsigned int)k.loads);
	k.flags = VMMPROF_KVM_F_USE;
	ok(!ioctl(fd, VMMPROF_IOC_KVM, &k), "KVM: the one that is there");
	k.loads++;
	ok(fails(ioctl(fd, VMMPROF_IOC_KVM, &k), ESTALE),
	   "KVM: one that is not there yet is none");
	k.flags = 2;
	ok(fails(ioctl(fd, VMMPROF_IOC_KVM, &k), EINVAL),
	   "KVM: an unknown flag");
}

/* One that only a session with identities takes; @l: of this process. */
static bool bad_layout(int fd, struct vmmprof_guest_layout l, int err)
{
	return fails(ioctl(fd, VMMPROF_IOC_GUEST_LAYOUT, &l), err);
}

static void identity(void)
{
	struct vmmprof_guest_layout good = { .size = sizeof(good),
					     .pid = getpid() },
				    l = good;
	struct vmmprof_memslots slots = { .size = sizeof(slots),
					  .pid = getpid(),
					  .nr = 1 },
				m = slots;
	struct vmmprof_setup s = good_setup();
	int fd = dev_open();

	ok(bad_layout(fd, good, ENODATA) &&
		   fails(ioctl(fd, VMMPROF_IOC_MEMSLOTS, &slots), ENODATA),
	   "GUEST_LAYOUT, MEMSLOTS: before SETUP");
	s.flags = VMMPROF_SETUP_F_IDENTITY | VMMPROF_SETUP_F_NO_GUEST;
	ok(fails(ioctl(fd, VMMPROF_IOC_SETUP, &s), EINVAL),
	   "SETUP: identities with NO_GUEST: refused");
	s.flags = VMMPROF_SETUP_F_IDENTITY;
	ok(!ioctl(fd, VMMPROF_IOC_SETUP, &s), "SETUP: identities");
	sizes(fd, VMMPROF_IOC_GUEST_LAYOUT, &good, sizeof(good), sizeof(good),
	      "GUEST_LAYOUT");
	sizes(fd, VMMPROF_IOC_MEMSLOTS, &slots, sizeof(slots), sizeof(slots),
	      "MEMSLOTS");
	l.flags = 4;
	ok(bad_layout(fd, l, EINVAL), "GUEST_LAYOUT: an unknown flag");
	l = good;
	l.reserved = 1;
	ok(bad_layout(fd, l, EINVAL), "GUEST_LAYOUT: a reserved member");
	l = good;
	l.flags = 1;
	l.task_mm = 8;
	ok(bad_layout(fd, l, EINVAL), "GUEST_LAYOUT: removed, but there");
	l = good;
	l.pid = 0;
	ok(bad_layout(fd, l, EINVAL), "GUEST_LAYOUT: no process");
	l = good;
	l.pid = 1u << 30;
	ok(bad_layout(fd, l, ESRCH), "GUEST_LAYOUT: one that is not there");
	l = good;
	l.current_task = 4;
	ok(bad_layout(fd, l, EINVAL),
	   "GUEST_LAYOUT: current_task between words");
	l = good;
	l.task_tgid = 2;
	ok(bad_layout(fd, l, EINVAL), "GUEST_LAYOUT: tgid across words");
	l = good;
	l.task_comm = 4;
	ok(bad_layout(fd, l, EINVAL), "GUEST_LAYOUT: comm between words");
	l = good;
	l.task_mm = VMMPROF_GUEST_TASK_MAX;
	ok(bad_layout(fd, l, EINVAL), "GUEST_LAYOUT: mm behind the task");
	l = good;
	l.task_start = 0x10001;
	ok(bad_layout(fd, l, EINVAL), "GUEST_LAYOUT: start_time behind it");
	l = good;
	l.task_start = VMMPROF_NONE;
	l.task_flags = VMMPROF_NONE;
	ok(!ioctl(fd, VMMPROF_IOC_GUEST_LAYOUT, &l), "GUEST_LAYOUT: good");
	m.nr = 0;
	ok(fails(ioctl(fd, VMMPROF_IOC_MEMSLOTS, &m), EINVAL),
	   "MEMSLOTS: no room");
	m.nr = VMMPROF_MEMSLOTS_MAX + 1;
	ok(fails(ioctl(fd, VMMPROF_IOC_MEMSLOTS, &m), EINVAL),
	   "MEMSLOTS: too much room");
	close(fd);
}

static void setup_fails(int fd, struct vmmprof_setup s, int err,
			const char *rule)
{
	ok(fails(ioctl(fd, VMMPROF_IOC_SETUP, &s), err), "SETUP: %s", rule);
}

static void chains(int fd)
{
	static const struct {
		uint32_t setup, flags, depth, stack, reserved;
		int err;
		const char *rule;
	} bad[] = {
		{ 0, 1, 0, 0, 0, EINVAL, "chain flags without F_CHAINS" },
		{ 0, 0, 1, 0, 0, EINVAL, "a depth without F_CHAINS" },
		{ 0, 0, 0, 8, 0, EINVAL, "a stack without F_CHAINS" },
		{ 0, 0, 0, 0, 1, EINVAL, "a reserved member" },
		{ 0x10, 0, 1, 0, 0, EINVAL, "chains of nobody" },
		{ 0x10, 0x10, 1, 0, 0, EINVAL, "an unknown chain flag" },
		{ 0x10, 3, 0, 0, 0, EINVAL, "chains of depth 0" },
		{ 0x10, 3, 128, 0, 0, EINVAL, "chains of depth 128" },
		{ 0x10, 3, 1, 0, 1, EINVAL, "chains and a reserved member" },
		{ 0x10, 3, 1, 4, 0, EINVAL, "a stack of half a word" },
		{ 0x10, 3, 1, 32776, 0, EINVAL, "a stack that is too large" },
		{ 0x14, 7, 1, 0, 0, EINVAL, "guests' chains with NO_GUEST" },
		{ 0x10, 11, 1, 0, 0, EINVAL, "OUT's chains, no switches" },
	};
	char rule[80];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct vmmprof_setup s = good_setup();

		s.flags |= bad[i].setup;
		s.chain_flags = bad[i].flags;
		s.chain_depth = bad[i].depth;
		s.chain_stack = bad[i].stack;
		s.chain_reserved = bad[i].reserved;
		snprintf(rule, sizeof(rule), "%s: refused", bad[i].rule);
		setup_fails(fd, s, bad[i].err, rule);
	}
}

static void bad_events(int fd)
{
	static const struct {
		struct vmmprof_event event;
		const char *rule;
	} bad[] = {
		{ { 1, 0x20, 0, 1000000 }, "unknown event flag" },
		{ { 1, 2, 0, 1000000 }, "mode of a timer" },
		{ { 0, 6, 0, 1000000 }, "neither user nor kernel mode" },
		{ { 0, 0x18, 0, 1000000 }, "neither host nor guest" },
		{ { 1, 0, 0, 0 }, "period 0" },
		{ { 1, 0, 0, 1 }, "cpu-clock faster than perf's limit" },
		{ { 1, 1, 0, 1000000 }, "absurd frequency" },
		{ { 1, 0, 0, 1ull << 63 }, "negative period" },
		{ { 1, 0, 1, 1000000 }, "task-clock" },
		{ { PERF_TYPE_TRACEPOINT, 0, 1, 1 }, "tracepoint" },
		{ { PERF_TYPE_BREAKPOINT, 0, 0, 1 }, "breakpoint" },
		{ { 6, 0, 0, 1000000 }, "dynamic PMU type" },
		{ { 0, 0, 1ull << 32, 1000000 }, "PMU chosen by config" },
		{ { ~0u, 0, 0, 1000000 }, "absurd type" },
	};
	char rule[80];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct vmmprof_setup s = good_setup();

		s.events[0] = bad[i].event;
		snprintf(rule, sizeof(rule), "%s is refused", bad[i].rule);
		setup_fails(fd, s, EINVAL, rule);
	}
}

static void bad_sizes(int fd)
{
	static const uint32_t sizes[] = {
		0,
		4096,
		VMMPROF_RING_MIN - 16,
		48 << 10,
		(64 << 10) + 16,
		VMMPROF_RING_MAX * 2,
		1u << 31,
		~0u,
	};
	char rule[80];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct vmmprof_setup s = good_setup();

		s.ring_size = sizes[i];
		snprintf(rule, sizeof(rule), "ring size %u is refused",
			 sizes[i]);
		setup_fails(fd, s, EINVAL, rule);
	}
}

static void bad_masks(int fd)
{
	uint8_t mask[4096 + 1] = {};
	struct vmmprof_setup s = good_setup();

	s.cpumask = (uintptr_t)mask;
	s.cpumask_size = sizeof(mask);
	setup_fails(fd, s, EINVAL, "a mask above a page is refused");
	s.cpumask_size = 8;
	setup_fails(fd, s, EINVAL, "an empty mask is refused");
	s.cpumask_size = 4096;
	mask[4095] = 0x80;
	setup_fails(fd, s, EINVAL, "a CPU that cannot exist is refused");
	mask[4095] = 0;
	mask[0] = 1;
	mask[7] = 0x80;
	s.cpumask_size = 8;
	setup_fails(fd, s, EINVAL, "CPU 63 of few is refused, as well");
	s.cpumask = 8;
	setup_fails(fd, s, EFAULT, "a mask at a bad address is refused");
	s.cpumask_size = 0;
	setup_fails(fd, s, EINVAL, "an address without a size is refused");
}

/* Every bit without a meaning: a new flag's is not among them. */
static void bad_flags(int fd)
{
	static const uint32_t known = VMMPROF_SETUP_F_FORCE |
				      VMMPROF_SETUP_F_SWITCHES |
				      VMMPROF_SETUP_F_NO_GUEST |
				      VMMPROF_SETUP_F_EXITS |
				      VMMPROF_SETUP_F_IDENTITY |
				      VMMPROF_SETUP_F_SPENT;
	struct vmmprof_setup s = good_setup();
	uint32_t bad;
	int refused = 0, unknown = 0;

	for (bad = 1; bad; bad <<= 1) {
		if (bad & known)
			continue;
		s.flags = bad;
		unknown++;
		refused += fails(ioctl(fd, VMMPROF_IOC_SETUP, &s), EINVAL);
	}
	ok(refused == unknown, "SETUP: an unknown flag is refused (%d of %d)",
	   refused, unknown);
}

static void bad_setup(int fd)
{
	struct vmmprof_setup good = good_setup(), s;

	sizes(fd, VMMPROF_IOC_SETUP, &good, sizeof(good),
	      VMMPROF_SETUP_SIZE_MIN, "SETUP");
	bad_flags(fd);
	s = good;
	s.flags = VMMPROF_SETUP_F_SWITCHES | VMMPROF_SETUP_F_NO_GUEST;
	setup_fails(fd, s, EINVAL, "switches of vCPUs without guests");
	s.flags = VMMPROF_SETUP_F_EXITS | VMMPROF_SETUP_F_NO_GUEST;
	setup_fails(fd, s, EINVAL, "exits of guests without guests");
	s = good;
	s.reserved = 1;
	setup_fails(fd, s, EINVAL, "a reserved member is refused");
	s = good;
	s.nr_events = 0;
	setup_fails(fd, s, EINVAL, "no event is refused");
	s = good;
	s.nr_events = VMMPROF_MAX_EVENTS + 1;
	setup_fails(fd, s, EINVAL, "too many events are refused");
	s = good;
	s.events[1].period = 1;
	setup_fails(fd, s, EINVAL, "an event beyond their number is refused");
	chains(fd);
	bad_events(fd);
	bad_sizes(fd);
	bad_masks(fd);

	/* perf's own answer names event and CPU. */
	s = good;
	s.nr_events = 2;
	s.events[1] = (struct vmmprof_event){ .type = PERF_TYPE_HW_CACHE,
					      .config = 0xffffff,
					      .period = 1000 };
	ok(ioctl(fd, VMMPROF_IOC_SETUP, &s) == -1 && s.bad_event == 1 &&
		   s.bad_cpu == 0,
	   "SETUP: an event unknown to perf is named (event %d, CPU %d)",
	   s.bad_event, s.bad_cpu);
}

static void order(int fd)
{
	struct vmmprof_cpu_stat st = { .size = sizeof(st) };
	struct vmmprof_setup s = good_setup();
	void *p;

	ok(fails(ioctl(fd, VMMPROF_IOC_START, 0), EINVAL),
	   "START before SETUP is refused");
	ok(fails(ioctl(fd, VMMPROF_IOC_STOP, 0), EINVAL),
	   "STOP before SETUP is refused");
	ok(fails(ioctl(fd, VMMPROF_IOC_CPU_STAT, &st), EINVAL),
	   "CPU_STAT before SETUP is refused");
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		 VMMPROF_OFF_TAIL(0));
	ok(p == MAP_FAILED && errno == EINVAL, "mmap before SETUP is refused");
	ok(fails(ioctl(fd, _IO('V', 0xef), 0), ENOTTY), "an unknown ioctl");
	ok(fails(ioctl(fd, _IO('W', 0xe2), 0), ENOTTY), "a foreign ioctl");
	ok(fails(read(fd, &st, 1), EINVAL), "read() is refused");

	s.size = VMMPROF_SETUP_SIZE_MIN;
	ok(!ioctl(fd, with_size(VMMPROF_IOC_SETUP, s.size), &s),
	   "SETUP of the first version's size");
	s.size = sizeof(s);
	ok(fails(ioctl(fd, VMMPROF_IOC_SETUP, &s), EBUSY),
	   "a second SETUP is refused");
	sizes(fd, VMMPROF_IOC_CPU_STAT, &st, sizeof(st), sizeof(st),
	      "CPU_STAT");
	st.cpu = 100000;
	ok(fails(ioctl(fd, VMMPROF_IOC_CPU_STAT, &st), EINVAL),
	   "CPU_STAT of no CPU is refused");
	ok(fails(ioctl(fd, VMMPROF_IOC_START, 1), EINVAL),
	   "START with an argument is refused");
	ok(fails(ioctl(fd, VMMPROF_IOC_STOP, 0), EINVAL),
	   "STOP before START is refused");
	ok(!ioctl(fd, VMMPROF_IOC_START, 0), "START");
	ok(fails(ioctl(fd, VMMPROF_IOC_START, 0), EBUSY),
	   "a second START is refused");
	ok(!ioctl(fd, VMMPROF_IOC_STOP, 0), "STOP");
	ok(fails(ioctl(fd, VMMPROF_IOC_STOP, 0), EINVAL),
	   "a second STOP is refused");
	ok(fails(ioctl(fd, VMMPROF_IOC_START, 0), EINVAL),
	   "START after STOP is refused");
	st.cpu = 0;
	ok(!ioctl(fd, VMMPROF_IOC_CPU_STAT, &st) &&
		   st.events[0].state == VMMPROF_EV_STOPPED && !st.online,
	   "CPU_STAT after STOP is final");
}

/* The largest ring there may be: fits or not, but without a warning. */
static void huge_ring(void)
{
	struct vmmprof_setup s = good_setup();
	int fd = dev_open(), ret;

	s.ring_size = VMMPROF_RING_MAX;
	ret = ioctl(fd, VMMPROF_IOC_SETUP, &s);
	ok(!ret || errno == ENOMEM, "the largest ring: %s",
	   ret ? strerror(errno) : "fits");
	close(fd);
}

static void as_nobody(int expect, const char *rule)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setresuid(65534, 65534, 65534))
			_exit(99);
		_exit(open(VMMPROF_DEVICE, O_RDWR) < 0 ? errno : 0);
	}
	waitpid(pid, &status, 0);
	errno = WEXITSTATUS(status);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == expect, "%s", rule);
}

static void permissions(void)
{
	struct stat st;
	int fd;

	ok(!stat(VMMPROF_DEVICE, &st) && (st.st_mode & 07777) == 0600,
	   "the device is root's alone");
	as_nobody(EACCES, "an unprivileged opener is refused (EACCES)");
	chmod(VMMPROF_DEVICE, 0666);
	as_nobody(EPERM, "also where the file may be opened (EPERM)");
	chmod(VMMPROF_DEVICE, 0600);

	ok(read_int(OWNER) == 0, "without a session there is no owner");
	fd = dev_open();
	ok(fails(open(VMMPROF_DEVICE, O_RDWR), EBUSY),
	   "a second opener is refused (EBUSY)");
	ok(read_int(OWNER) == getpid(), "and can read who is the first");
	close(fd);
	ok(read_int(OWNER) == 0, "no owner after close");
}

void test_arguments(void)
{
	int fd;

	permissions();
	fd = dev_open();
	info(fd);
	layout(fd);
	kvm_loads(fd);
	bad_setup(fd);
	order(fd);
	close(fd);
	identity();
	huge_ring();
}
