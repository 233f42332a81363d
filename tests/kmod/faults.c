// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory is short: of each call of the device the first allocation fails, then
 * the second, and so on until it has no more (fail-nth of
 * Documentation/fault-injection).  What fails says ENOMEM and leaves nothing
 * behind; the same call can be made again.  Counters are created by the CPUs'
 * own threads, where no task's number counts: for them every so manieth
 * allocation below the module's code fails.  On kernels with CONFIG_FAILSLAB and
 * CONFIG_FAIL_PAGE_ALLOC.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lab.h"

#define NTH	 "/proc/thread-self/fail-nth"
#define DEBUGFS	 "/sys/kernel/debug/"
#define MOST	 5000 /* allocations of one call */
#define SECTIONS "/sys/module/vmmprof/sections/.text"

static const char *const attrs[] = { "failslab", "fail_page_alloc" };

static int put(const char *attr, const char *name, const char *value)
{
	char path[128];
	int fd, n;

	snprintf(path, sizeof(path), DEBUGFS "%s/%s", attr, name);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -1;
	n = write(fd, value, strlen(value));
	close(fd);
	return n < 0 ? -1 : 0;
}

static int put_both(const char *name, const char *value)
{
	return put(attrs[0], name, value) | put(attrs[1], name, value);
}

/* Also allocations that may wait; nothing is said of them in the kernel's log. */
static int faults_ready(void)
{
	if (put_both("ignore-gfp-wait", "N") || put_both("verbose", "0"))
		return -1;
	return put(attrs[1], "min-order", "0");
}

/* Open all the time: opening it would count, too. */
static int nth_fd;

/* The @nth allocation of this thread from now on fails; 0: none. */
static void fail_nth(int nth)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%d", nth);

	if (pwrite(nth_fd, text, n, 0) != n)
		die(NTH);
}

/* How many more until the one that fails; 0: it has. */
static int nth_left(void)
{
	char text[16] = {};

	if (pread(nth_fd, text, sizeof(text) - 1, 0) <= 0)
		die(NTH);
	return atoi(text);
}

/* A session with everything that allocates. */
static struct vmmprof_setup everything(int fd)
{
	struct vmmprof_setup s = good_setup();

	s.size = sizeof(s);
	s.ring_size = VMMPROF_RING_MIN;
	s.flags = VMMPROF_SETUP_F_SWITCHES | VMMPROF_SETUP_F_CHAINS |
		  VMMPROF_SETUP_F_IDENTITY | exits_flag(fd);
	s.chain_flags = VMMPROF_CHAIN_F_HOST_KERNEL |
			VMMPROF_CHAIN_F_HOST_USER | VMMPROF_CHAIN_F_GUEST |
			VMMPROF_CHAIN_F_OUT;
	s.chain_depth = VMMPROF_CHAIN_DEPTH;
	return s;
}

/* A session as far as @call wants it; -1: none. */
static int prepared(const char *call)
{
	struct vmmprof_setup s;
	int fd;

	if (!strcmp(call, "open"))
		return -1;
	fd = dev_open();
	if (!strcmp(call, "SETUP"))
		return fd;
	s = everything(fd);
	if (ioctl(fd, VMMPROF_IOC_SETUP, &s))
		die("SETUP");
	return fd;
}

static int open_it(void)
{
	int fd = open(VMMPROF_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -1 : close(fd);
}

static int map_it(int fd)
{
	void *p = mmap(NULL, 4096 + VMMPROF_RING_MIN, PROT_READ, MAP_SHARED, fd,
		       VMMPROF_OFF_RING(0));

	return p == MAP_FAILED ? -1 : munmap(p, 4096 + VMMPROF_RING_MIN);
}

/* What each of them needs is asked for before memory is short. */
static int call_it(const char *call, int fd, struct vmmprof_setup *s)
{
	struct vmmprof_cpu_stat st = { .size = sizeof(st) };

	if (!strcmp(call, "open"))
		return open_it();
	if (!strcmp(call, "SETUP"))
		return ioctl(fd, VMMPROF_IOC_SETUP, s);
	if (!strcmp(call, "START"))
		return ioctl(fd, VMMPROF_IOC_START, 0);
	if (!strcmp(call, "mmap"))
		return map_it(fd);
	return ioctl(fd, VMMPROF_IOC_CPU_STAT, &st);
}

/* Each of its allocations in turn. */
static void one_call(const char *call)
{
	int nth, said = 0, odd = 0, again = 0, went_on = 0, left;

	for (nth = 1; nth < MOST; nth++) {
		struct vmmprof_setup s = {};
		int fd = prepared(call), ret, err;

		if (!strcmp(call, "SETUP"))
			s = everything(fd);
		fail_nth(nth);
		errno = 0;
		ret = call_it(call, fd, &s);
		err = errno;
		left = nth_left();
		fail_nth(0);
		if (left) {
			close(fd);
			break;
		}
		if (!ret)
			went_on++;
		else if (err == ENOMEM)
			said++;
		else
			odd = err;
		/* START ends its session, the others change nothing. */
		if (ret && strcmp(call, "START"))
			again += !!call_it(call, fd, &s);
		close(fd);
	}
	ok(nth > 1 && nth < MOST && !odd && !again,
	   "faults: %s: %d allocations, %d say ENOMEM, %d matter not, %d others, %d not to be repeated",
	   call, nth - 1, said, went_on, odd, again);
}

/* In the module's code, whoever runs it: the bounds of its text. */
static int below_module(void)
{
	unsigned long start = 0, size = 0;
	char name[64], value[32], line[256];
	FILE *f = fopen("/proc/modules", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %lu", name, &size) == 2 &&
		    !strcmp(name, "vmmprof"))
			break;
	if (f)
		fclose(f);
	f = fopen(SECTIONS, "r");
	if (!f || fscanf(f, "0x%lx", &start) != 1)
		start = 0;
	if (f)
		fclose(f);
	if (!start)
		return -1;
	snprintf(value, sizeof(value), "%#lx", start);
	if (put_both("require-start", value))
		return -1;
	snprintf(value, sizeof(value), "%#lx", start + size);
	return put_both("require-end", value) |
	       put_both("stacktrace-depth", "32");
}

/* One of every @interval fails, in each thread: a whole session. */
static int whole_session(const char *interval)
{
	struct vmmprof_setup s;
	int fd = open(VMMPROF_DEVICE, O_RDWR | O_CLOEXEC), ret;

	if (fd < 0)
		die("open " VMMPROF_DEVICE);
	s = everything(fd);
	if (put_both("interval", interval) || put_both("times", "1") ||
	    put_both("probability", "100"))
		die("fault injection");
	ret = ioctl(fd, VMMPROF_IOC_SETUP, &s);
	if (!ret)
		ret = ioctl(fd, VMMPROF_IOC_START, 0);
	if (ret)
		ret = errno;
	put_both("probability", "0");
	close(fd);
	return ret;
}

static void everywhere(void)
{
	int i, good = 0, enomem = 0, other = 0;
	char interval[16];

	if (below_module()) {
		skip("faults below the module's code",
		     "no CONFIG_FAULT_INJECTION_STACKTRACE_FILTER");
		return;
	}
	for (i = 1; i <= 200; i++) {
		int ret;

		snprintf(interval, sizeof(interval), "%d", i);
		ret = whole_session(interval);
		good += !ret;
		enomem += ret == ENOMEM;
		if (ret && ret != ENOMEM)
			other = ret;
	}
	put_both("require-start", "0");
	put_both("require-end", "0xffffffffffffffff");
	ok(enomem && !other,
	   "faults: below the module: %d sessions say ENOMEM, %d begin, %d others",
	   enomem, good, other);
	ok(!whole_session("1000000"), "faults: and afterwards one begins");
}

void test_faults(void)
{
	static const char *const calls[] = { "open", "SETUP", "START", "mmap",
					     "CPU_STAT" };
	unsigned int i;

	nth_fd = open(NTH, O_RDWR | O_CLOEXEC);
	if (nth_fd < 0 || faults_ready()) {
		skip("calls for which there is no memory",
		     "no CONFIG_FAULT_INJECTION");
		return;
	}
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		one_call(calls[i]);
	everywhere();
	close(nth_fd);
}
