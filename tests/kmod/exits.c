// SPDX-License-Identifier: GPL-2.0-only
/*
 * VM exits that are counted, against KVM's own count of the same vCPU
 * (/sys/kernel/debug/kvm).  The VM is stopped where the two begin and end, so
 * they are of the same exits.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <dirent.h>
#include <unistd.h>

#include "lab.h"

#define DEBUG_KVM "/sys/kernel/debug/kvm"

static const uint8_t cpuids[] = { 0x0f, 0xa2, 0xeb, 0xfc }; /* cpuid; jmp */
static const uint8_t outs[] = { 0xe6, 0x80, 0xeb, 0xfc };   /* out; jmp */

struct sum {
	uint64_t nr, total, open, missed, foreign, wrong, unread;
	uint64_t most, most_nr; /* the reason of the most of them */
};

/* What KVM counted of the process's VM so far. */
static uint64_t kvm_counts(pid_t pid)
{
	unsigned long long n = 0;
	struct dirent *d;
	char path[600];
	bool found = false;
	DIR *dir;
	FILE *f;

	dir = opendir(DEBUG_KVM);
	while (dir && !found && (d = readdir(dir))) {
		if (atoi(d->d_name) != pid)
			continue;
		snprintf(path, sizeof(path), DEBUG_KVM "/%s/exits", d->d_name);
		f = fopen(path, "r");
		found = f && fscanf(f, "%llu", &n) == 1;
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	if (!found)
		die("KVM's own count of exits");
	return n;
}

/* The CPU that a process ran on last (/proc/PID/stat, processor). */
static int last_cpu(pid_t pid)
{
	char path[64], buf[1024], *p;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (!f)
		die("/proc/PID/stat of a VM");
	n = fread(buf, 1, sizeof(buf) - 1, f);
	fclose(f);
	buf[n] = 0;
	p = strrchr(buf, ')');
	for (int i = 2; p && i < 39; i++)
		p = strchr(p + 1, ' ');
	return p ? atoi(p) : -1;
}

static void stopped(pid_t pid)
{
	int status;

	kill(pid, SIGSTOP);
	if (waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status))
		die("a VM that stops");
}

static void add(struct sum *s, const struct vmmprof_exit *e, pid_t pid)
{
	uint64_t nr = 0;

	for (int i = 0; i < VMMPROF_EXIT_COUNTS; i++)
		nr += e->count[i];
	if (e->pid != (uint32_t)pid) {
		s->foreign++;
		return;
	}
	s->nr += nr;
	s->total += e->total;
	s->open += !!e->open;
	s->unread += e->reason == VMMPROF_NONE;
	if (nr > s->most_nr) {
		s->most_nr = nr;
		s->most = e->reason;
	}
	s->wrong += e->tid != (uint32_t)pid || e->min > e->max ||
		    e->min * nr > e->total || e->max * nr < e->total ||
		    (!nr && !e->open) ||
		    (e->max && nr && !e->count[64 - __builtin_clzll(e->max)]) ||
		    (e->min && nr && !e->count[64 - __builtin_clzll(e->min)]);
}

static struct sum counted(int fd, pid_t pid, uint32_t room)
{
	struct vmmprof_exit list[VMMPROF_EXITS_MAX];
	struct vmmprof_exits x = { .size = sizeof(x) };
	struct sum s = {};

	do {
		x.from += x.nr;
		x.nr = room;
		x.to = (uintptr_t)list;
		if (ioctl(fd, VMMPROF_IOC_EXITS, &x))
			die("EXITS");
		s.missed = x.missed;
		for (uint32_t i = 0; i < x.nr; i++)
			add(&s, &list[i], pid);
	} while (x.nr);
	return s;
}

static int session(void)
{
	struct vmmprof_setup s = good_setup();
	int fd = dev_open();

	s.flags = VMMPROF_SETUP_F_EXITS;
	if (ioctl(fd, VMMPROF_IOC_SETUP, &s))
		die("SETUP with exits");
	return fd;
}

static void refused(void)
{
	struct vmmprof_exit e;
	struct vmmprof_exits x = { .size = sizeof(x),
				   .nr = 1,
				   .to = (uintptr_t)&e },
			     y;
	struct vmmprof_setup s = good_setup();
	int fd = dev_open();

	ioctl(fd, VMMPROF_IOC_SETUP, &s);
	ioctl(fd, VMMPROF_IOC_START, 0);
	ioctl(fd, VMMPROF_IOC_STOP, 0);
	y = x;
	ok(fails(ioctl(fd, VMMPROF_IOC_EXITS, &y), ENODATA),
	   "EXITS that were not counted: ENODATA");
	close(fd);
	fd = session();
	y = x;
	ok(fails(ioctl(fd, VMMPROF_IOC_EXITS, &y), EBUSY),
	   "EXITS before START: EBUSY");
	ioctl(fd, VMMPROF_IOC_START, 0);
	y = x;
	ok(fails(ioctl(fd, VMMPROF_IOC_EXITS, &y), EBUSY),
	   "EXITS before STOP: EBUSY");
	ioctl(fd, VMMPROF_IOC_STOP, 0);
	y = x;
	y.nr = 0;
	ok(fails(ioctl(fd, VMMPROF_IOC_EXITS, &y), EINVAL),
	   "EXITS: no room is refused");
	y = x;
	y.nr = VMMPROF_EXITS_MAX + 1;
	ok(fails(ioctl(fd, VMMPROF_IOC_EXITS, &y), EINVAL),
	   "EXITS: too much room is refused");
	y = x;
	y.reserved = 1;
	ok(fails(ioctl(fd, VMMPROF_IOC_EXITS, &y), EINVAL),
	   "EXITS: a reserved member is refused");
	y = x;
	y.from = ~0u;
	ok(!ioctl(fd, VMMPROF_IOC_EXITS, &y) && !y.nr && !y.missed,
	   "EXITS: beyond the end there are none");
	close(fd);
}

/*
 * Let it run for a second; from one CPU to another all the time, so that
 * entries come on another CPU than their exits.  How often it was seen to have
 * moved.
 */
static int let_run(pid_t pid, bool move)
{
	int cpu, last = -1, moves = 0;
	cpu_set_t set;

	if (!move) {
		sleep_ms(1000);
		return 0;
	}
	for (int i = 0; i < 500; i++) {
		CPU_ZERO(&set);
		CPU_SET(i & 1, &set);
		if (sched_setaffinity(pid, sizeof(set), &set))
			die("a VM that moves");
		sleep_ms(2);
		cpu = last_cpu(pid);
		moves += last >= 0 && cpu != last;
		last = cpu;
	}
	return moves;
}

/* What a VM of this code does in a while, by us and by KVM. */
static void compared(const uint8_t *code, size_t len, const char *what,
		     uint64_t most, bool move)
{
	const uint64_t least = 100;
	int moves;
	struct vmmprof_info info = { .size = sizeof(info) };
	pid_t pid = vm_start(code, len);
	uint64_t before, after, begin;
	struct sum s, each;
	int fd = session();

	ioctl(fd, VMMPROF_IOC_INFO, &info);
	stopped(pid);
	before = kvm_counts(pid);
	ioctl(fd, VMMPROF_IOC_START, 0);
	begin = now_ms(CLOCK_MONOTONIC);
	kill(pid, SIGCONT);
	moves = let_run(pid, move);
	stopped(pid);
	after = kvm_counts(pid);
	ioctl(fd, VMMPROF_IOC_STOP, 0);
	begin = now_ms(CLOCK_MONOTONIC) - begin;
	s = counted(fd, pid, VMMPROF_EXITS_MAX);
	each = counted(fd, pid, 1);
	ok(s.nr + s.open == after - before && s.nr >= least,
	   "%s: as many exits as KVM counted (%d and %d)", what,
	   (int)(s.nr + s.open), (int)(after - before));
	if (move)
		ok(moves >= 50, "%s: it moved (%d times seen)", what, moves);
	ok(s.open == 1, "%s: the last one had no entry (%d)", what,
	   (int)s.open);
	ok(!s.wrong && !s.foreign && !s.missed,
	   "%s: times, histogram and vCPU agree", what);
	ok(s.total / info.tsc_khz <= begin,
	   "%s: their time is within the measurement", what);
	ok(!memcmp(&s, &each, sizeof(s)), "%s: read one by one: the same",
	   what);
	ok(s.most == most && !s.unread, "%s: most are for that reason (%d)",
	   what, (int)s.most);
	close(fd);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A second session, a VM that dies, one that was there before. */
static void dying(void)
{
	pid_t old = vm_start(cpuids, sizeof(cpuids)), young;
	int fd = session();
	struct sum s, t;

	ioctl(fd, VMMPROF_IOC_START, 0);
	young = vm_start(cpuids, sizeof(cpuids));
	sleep_ms(300);
	kill(young, SIGKILL);
	waitpid(young, NULL, 0);
	sleep_ms(300);
	ioctl(fd, VMMPROF_IOC_STOP, 0);
	s = counted(fd, old, VMMPROF_EXITS_MAX);
	t = counted(fd, young, VMMPROF_EXITS_MAX);
	ok(s.nr > 10 && t.nr > 10 && !s.wrong && !t.wrong && s.foreign &&
		   t.foreign,
	   "exits of a VM that died are told beside another's (%d, %d)",
	   (int)t.nr, (int)s.nr);
	close(fd);
	fd = session();
	ioctl(fd, VMMPROF_IOC_START, 0);
	close(fd);
	ok(1, "a session with exits closed as it runs");
	kill(old, SIGKILL);
	waitpid(old, NULL, 0);
}

void test_exits(void)
{
	struct vmmprof_info info = { .size = sizeof(info) };
	int fd = dev_open();
	bool vmx;

	ioctl(fd, VMMPROF_IOC_INFO, &info);
	close(fd);
	vmx = info.vendor == VMMPROF_VENDOR_VMX;
	if (!(info.features & VMMPROF_FEAT_EXITS)) {
		skip("exits", "not in this kernel");
		return;
	}
	refused();
	if (access("/dev/kvm", R_OK)) {
		skip("exits", "no /dev/kvm");
		return;
	}
	if (access(DEBUG_KVM, F_OK))
		mount("none", "/sys/kernel/debug", "debugfs", 0, NULL);
	/* So that KVM's notifiers are known: the first exits tell them. */
	dying();
	compared(cpuids, sizeof(cpuids), "CPUID", vmx ? 10 : 0x72, false);
	compared(outs, sizeof(outs), "OUT", vmx ? 30 : 0x7b, false);
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		skip("exits of a vCPU that moves", "one CPU");
		return;
	}
	compared(cpuids, sizeof(cpuids), "CPUID, moving", vmx ? 10 : 0x72,
		 true);
	compared(outs, sizeof(outs), "OUT, moving", vmx ? 30 : 0x7b, true);
}
