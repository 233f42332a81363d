// SPDX-License-Identifier: GPL-2.0-only
/*
 * The session ends with its opener, whatever a child holds; CPUs go and come;
 * the module stays while it is used.
 */
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab.h"

/* "TCGTCGTCGTCG" of CPUID leaf 0x40000000 */
#define TCG_EBX 0x54474354
#define TCG_ECX 0x43544743
#define TCG_EDX 0x47435447

static struct vmmprof_event event;

/* NMIs where there are counters, otherwise a timer. */
static void choose_event(void)
{
	event = have_pmu() ? cycles(100000) : good_setup().events[0];
}

/*
 * Switch records patch __schedule(), which other CPUs run meanwhile.  Under QEMU
 * 7.2's TCG such a CPU may stay for ever in the translation of the breakpoint
 * that the patch began with, with interrupts off (seen: the text had its NOP
 * back, and CPU 1 took #BP there again and again).  Other emulators and real
 * CPUs do as the text says.
 */
static bool patches_are_seen(void)
{
	unsigned int a, b, c, d;

	if (sysconf(_SC_NPROCESSORS_CONF) == 1)
		return true;
	__cpuid(0x40000000, a, b, c, d);
	return b != TCG_EBX || c != TCG_ECX || d != TCG_EDX;
}

static int sampling_fd(void)
{
	struct vmmprof_setup s = good_setup();
	int fd = dev_open();

	s.events[0] = event;
	/* No guest runs what that patches. */
	s.flags = exits_flag(fd);
	if (patches_are_seen())
		s.flags |= VMMPROF_SETUP_F_SWITCHES;
	if (ioctl(fd, VMMPROF_IOC_SETUP, &s))
		die("SETUP");
	if (ioctl(fd, VMMPROF_IOC_START, 0))
		die("START");
	return fd;
}

/* What a child that inherited the session sees after its opener's end. */
static int child_of_dead(int fd, int go)
{
	struct vmmprof_cpu_stat st = { .size = sizeof(st) };
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char c;

	if (read(go, &c, 1) != 1)
		return 1;
	if (!fails(ioctl(fd, VMMPROF_IOC_START, 0), ESHUTDOWN) ||
	    !fails(ioctl(fd, VMMPROF_IOC_STOP, 0), ESHUTDOWN))
		return 2;
	if (poll(&p, 1, 0) != 1 || p.revents != (POLLERR | POLLHUP))
		return 3;
	if (ioctl(fd, VMMPROF_IOC_CPU_STAT, &st) ||
	    st.events[0].state != VMMPROF_EV_STOPPED)
		return 4;
	return 0;
}

/*
 * An opener with a child that keeps the file; the opener ends by @kill or by
 * itself.  The child reports through @report.
 */
static pid_t opener(bool kill_it, int go, int report, int ready)
{
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	fd = sampling_fd();
	if (!fork()) {
		char c = child_of_dead(fd, go);

		/* Goes on holding the file. */
		if (write(report, &c, 1) != 1 || read(go, &c, 1) != 1)
			_exit(1);
		_exit(0);
	}
	if (write(ready, "", 1) != 1)
		_exit(1);
	if (kill_it)
		pause();
	_exit(0);
}

static void dead_opener(bool kill_it, const char *how)
{
	int go[2], report[2], ready[2], fd, status;
	char c = 99;
	pid_t pid;

	if (pipe(go) || pipe(report) || pipe(ready))
		die("pipe");
	signal(SIGPIPE, SIG_IGN);
	pid = opener(kill_it, go[0], report[1], ready[1]);
	close(go[0]);
	close(report[1]);
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		die("the opener");
	sleep_ms(100);
	if (kill_it)
		kill(pid, SIGKILL);
	waitpid(pid, &status, 0);

	fd = open(VMMPROF_DEVICE, O_RDWR | O_CLOEXEC);
	ok(fd >= 0, "%s: the next one can open at once", how);
	ok(read_int(OWNER) == getpid(), "%s: and is the owner", how);
	close(fd);
	status = write(go[1], "", 1);
	status = read(report[0], &c, 1);
	ok(status == 1 && c == 0, "%s: a child is left with nothing [%d]", how,
	   c);
	status = write(go[1], "", 1);
	close(go[1]);
	close(report[0]);
	close(ready[0]);
}

static void duplicates(void)
{
	int fd = sampling_fd(), copy = dup(fd), other;

	close(copy);
	ok(fails(ioctl(fd, VMMPROF_IOC_STOP, 0), ESHUTDOWN),
	   "closing a duplicate ends the session");
	other = open(VMMPROF_DEVICE, O_RDWR | O_CLOEXEC);
	ok(other >= 0, "another one can open then");
	close(fd);
	ok(read_int(OWNER) == getpid(), "the rest of the first is no matter");
	close(other);
}

static void mapping_outlives(void)
{
	int fd = sampling_fd();
	struct ring r = ring_map(fd, 0, 64 << 10);
	struct tally t = {};

	/* Other records are few; an emulated timer may come late. */
	pin_cpu(0);
	for (int i = 0; i < 80 && r.head->head < 2048; i++)
		busy_ms(50);
	pin_none();
	close(fd);
	ok(read_int(OWNER) == 0, "a mapping does not keep the session");
	ok(!ring_drain(&r, tally, &t) && t.samples,
	   "but what was sampled can be read (%d samples)", (int)t.samples);
	fd = dev_open();
	close(fd);
	ring_unmap(&r);
}

static void unload(void)
{
	int fd = dev_open();

	ok(syscall(SYS_delete_module, "vmmprof", O_NONBLOCK) == -1 &&
		   (errno == EWOULDBLOCK || errno == EBUSY),
	   "the module cannot be removed while open");
	close(fd);
	fd = sampling_fd();
	ok(syscall(SYS_delete_module, "vmmprof", O_NONBLOCK) == -1,
	   "nor while sampling");
	close(fd);
}

/* -1 and errno, or 0 */
static int say(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -1;
	ret = write(fd, text, strlen(text)) < 0 ? -1 : 0;
	close(fd);
	return ret;
}

/* A test of suspending, which goes no further than to freeze processes. */
static void suspend(void)
{
	int fd;

	if (write_int("/sys/module/suspend/parameters/pm_test_delay", 0) ||
	    say("/sys/power/pm_test", "freezer")) {
		skip("suspend", "this kernel cannot be asked to try");
		return;
	}
	fd = sampling_fd();
	ok(fails(say("/sys/power/state", "freeze"), EBUSY),
	   "the machine does not suspend while sampled");
	ioctl(fd, VMMPROF_IOC_STOP, 0);
	ok(!say("/sys/power/state", "freeze"), "but after STOP");
	close(fd);
	fd = sampling_fd();
	ok(fd >= 0, "and can be sampled again");
	close(fd);
	say("/sys/power/pm_test", "none");
}

/* CPU 1 goes and comes back while sampled, with two processes to run. */
static void hotplug(void)
{
	struct vmmprof_cpu_stat before, off, after;
	pid_t busy[2];
	int fd;

	/* An idle CPU's cycles do not count. */
	for (int i = 0; i < 2; i++) {
		busy[i] = fork();
		while (!busy[i])
			;
	}
	fd = sampling_fd();
	sleep_ms(100);
	before = stat_of(fd, 1);
	ok(before.online && before.events[0].state == VMMPROF_EV_ACTIVE,
	   "CPU 1 is sampled (%d samples)", (int)before.samples);
	ok(!cpu_online(1, false), "CPU 1 goes offline while sampled");
	off = stat_of(fd, 1);
	ok(!off.online && off.events[0].state == VMMPROF_EV_OFF &&
		   off.events[0].count >= before.events[0].count,
	   "its counts stay");
	ok(!cpu_online(1, true), "CPU 1 comes back");
	sleep_ms(200);
	after = stat_of(fd, 1);
	ok(after.online && after.events[0].state == VMMPROF_EV_ACTIVE &&
		   after.samples + after.lost > off.samples + off.lost &&
		   after.events[0].count > off.events[0].count,
	   "and is sampled again (%d samples, %d in a full ring)",
	   (int)after.samples, (int)after.lost);
	ok(after.events[0].enabled_ns == after.events[0].running_ns,
	   "its counter ran as long as it was enabled");

	cpu_online(1, false);
	close(fd);
	ok(read_int(OWNER) == 0, "a session ends with a CPU offline");
	fd = sampling_fd();
	off = stat_of(fd, 1);
	cpu_online(1, true);
	sleep_ms(200);
	after = stat_of(fd, 1);
	ok(!off.samples && after.samples,
	   "a CPU that was offline at the start joins");
	close(fd);
	for (int i = 0; i < 2; i++) {
		kill(busy[i], SIGKILL);
		waitpid(busy[i], NULL, 0);
	}
}

/* Sessions killed at arbitrary moments, CPUs changing underneath. */
void kill_sessions(void)
{
	bool cpus = online_cpus() > 1;
	int rounds = 12, opened = 0, status;
	pid_t plug = 0;

	choose_event();
	if (cpus) {
		plug = fork();
		while (!plug) {
			cpu_online(1, false);
			cpu_online(1, true);
		}
	}
	for (int i = 0; i < rounds; i++) {
		pid_t pid = fork();

		if (!pid) {
			sampling_fd();
			pause();
		}
		sleep_ms(10 + 23 * i % 90);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		opened += WIFSIGNALED(status);
	}
	if (plug) {
		kill(plug, SIGKILL);
		waitpid(plug, NULL, 0);
		cpu_online(1, true);
	}
	ok(opened == rounds && read_int(OWNER) == 0, "%d sessions killed%s",
	   rounds, cpus ? ", CPU 1 on and off" : "");
}

void test_lifetime(void)
{
	int counters = counters_free();

	choose_event();
	dead_opener(false, "opener exits");
	dead_opener(true, "opener killed");
	duplicates();
	mapping_outlives();
	unload();
	suspend();
	if (online_cpus() > 1)
		hotplug();
	else
		skip("CPU hotplug", "one CPU");
	kill_sessions();
	ok(counters_free() == counters, "no counter is left behind (%d of %d)",
	   counters_free(), counters);
}
