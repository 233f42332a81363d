// SPDX-License-Identifier: GPL-2.0-only
/*
 * A CPU goes offline with vCPUs' threads waiting for it, switch records on:
 * each comes again on the other CPU, and the session ends.  Until 5.10 the CPU
 * that goes moves them itself, after it ran its irq_work for the last time:
 * whatever a probe queued there would never run, and close() wait for it.
 */
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab.h"

#define GUESTS 6
#define RING   VMMPROF_RING_MIN

struct seen {
	uint32_t tid[GUESTS];
	uint64_t ins[GUESTS]; /* how often it came */
};

static void look(const struct vmmprof_rec_hdr *hdr, void *arg)
{
	const struct vmmprof_rec_switch *s = (const void *)hdr;
	struct seen *seen = arg;
	int i;

	for (i = 0; i < GUESTS && hdr->type == VMMPROF_REC_IN; i++)
		seen->ins[i] += s->tid == seen->tid[i];
}

/* Of how many it is known that they came, five seconds after now. */
static int come(struct ring *r, struct seen *seen)
{
	int i, n, times;

	for (i = 0; i < GUESTS; i++)
		seen->ins[i] = 0;
	for (times = 0; times < 1000; times++) {
		ring_drain(r, look, seen);
		for (i = n = 0; i < GUESTS; i++)
			n += seen->ins[i] > 0;
		if (n == GUESTS)
			break;
		sleep_ms(5);
	}
	return n;
}

static int start(void)
{
	struct vmmprof_setup s = good_setup();
	int fd = dev_open();

	s.flags = VMMPROF_SETUP_F_SWITCHES;
	s.ring_size = RING;
	if (ioctl(fd, VMMPROF_IOC_SETUP, &s))
		die("SETUP");
	if (ioctl(fd, VMMPROF_IOC_START, 0))
		die("START");
	return fd;
}

/* The session, in a process of its own: it may never come back. */
static void session(struct seen *seen, int report)
{
	int fd, i, n[3];
	struct ring r[2];

	pin_cpu(0);
	fd = start();
	for (i = 0; i < 2; i++)
		r[i] = ring_map(fd, i, RING);
	n[0] = come(&r[1], seen);
	ring_drain(&r[0], look, seen);
	n[1] = cpu_online(1, false) ? -1 : come(&r[0], seen);
	n[2] = cpu_online(1, true);
	if (write(report, n, sizeof(n)) != sizeof(n))
		die("write");
	close(fd);
	_exit(0);
}

/* Its status, or -1: it does not end within two minutes. */
static int end_of(pid_t pid)
{
	int status, i;

	for (i = 0; i < 2400; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		sleep_ms(50);
	}
	return -1;
}

void test_hotplug(void)
{
	static const uint8_t spin[] = { 0xeb, 0xfe };
	int report[2], n[3] = {}, i;
	struct seen seen = {};
	pid_t pid;

	if (online_cpus() < 2 || access("/dev/kvm", R_OK)) {
		skip("a CPU that goes with guests", "one CPU, or no KVM");
		return;
	}
	pin_cpu(1);
	for (i = 0; i < GUESTS; i++)
		seen.tid[i] = vm_start(spin, sizeof(spin));
	if (pipe(report))
		die("pipe");
	pid = fork();
	if (!pid)
		session(&seen, report[1]);
	close(report[1]);
	ok(read(report[0], n, sizeof(n)) == sizeof(n) && n[0] == GUESTS,
	   "hotplug: %d of %d guests come and go on CPU 1", n[0], GUESTS);
	ok(n[1] == GUESTS && !n[2],
	   "hotplug: it goes offline, and %d come on CPU 0", n[1]);
	/* One that waits in the kernel for ever has CPU 0 for itself. */
	pin_cpu(1);
	ok(end_of(pid) == 0, "hotplug: the session ends afterwards");
	for (i = 0; i < GUESTS; i++)
		kill(seen.tid[i], SIGKILL);
	for (i = 0; i < GUESTS; i++)
		waitpid(seen.tid[i], NULL, 0);
	close(report[0]);
	pin_none();
}
