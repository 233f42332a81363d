// SPDX-License-Identifier: GPL-2.0-only
/* mmap of rings and tails: only as documented, and never writable rings. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab.h"

#define RING (64 << 10)
#define PAGE 4096ul

static bool refused(int fd, size_t size, int prot, int flags, uint64_t offset,
		    int err)
{
	void *p = mmap(NULL, size, prot, flags, fd, offset);

	if (p != MAP_FAILED) {
		munmap(p, size);
		errno = 0;
		return false;
	}
	return errno == err;
}

static void ring_mapping(int fd, unsigned int cpus)
{
	const int r = PROT_READ, w = PROT_READ | PROT_WRITE, s = MAP_SHARED;
	uint64_t at = VMMPROF_OFF_RING(0);
	void *p;

	ok(refused(fd, PAGE + RING, w, s, at, EACCES), "a ring: no writing");
	ok(refused(fd, PAGE + RING, r | PROT_EXEC, s, at, EACCES),
	   "a ring: no executing");
	ok(refused(fd, PAGE + RING, r, MAP_PRIVATE, at, EINVAL),
	   "a ring: not private");
	ok(refused(fd, RING, r, s, at, EINVAL), "a ring: not a part");
	ok(refused(fd, 2 * PAGE + RING, r, s, at, EINVAL),
	   "a ring: not more than there is");
	ok(refused(fd, RING, r, s, at + PAGE, EINVAL),
	   "a ring: not from the middle");
	ok(refused(fd, PAGE + RING, r, s, VMMPROF_OFF_RING(cpus + 1000),
		   EINVAL),
	   "no ring of a CPU that is not there");
	ok(refused(fd, PAGE + RING, r, s, 1ull << 62, EINVAL),
	   "no ring at an absurd offset");

	p = mmap(NULL, PAGE + RING, r, s, fd, at);
	ok(p != MAP_FAILED, "a ring can be read");
	ok(fails(mprotect(p, PAGE, w), EACCES), "and not be made writable");
	ok(fails(mprotect(p, PAGE, r | PROT_EXEC), EACCES), "nor executable");
	ok(mremap(p, PAGE + RING, 2 * (PAGE + RING), MREMAP_MAYMOVE) ==
		   MAP_FAILED,
	   "nor grow");
	munmap(p, PAGE + RING);
}

static void tail_mapping(int fd)
{
	const int w = PROT_READ | PROT_WRITE, s = MAP_SHARED;
	uint64_t at = VMMPROF_OFF_TAIL(0);
	void *p;

	ok(refused(fd, 2 * PAGE, w, s, at, EINVAL), "a tail is one page");
	ok(refused(fd, PAGE, w | PROT_EXEC, s, at, EACCES),
	   "a tail: no executing");
	ok(refused(fd, PAGE, w, MAP_PRIVATE, at, EINVAL),
	   "a tail: not private");
	p = mmap(NULL, PAGE, w, s, fd, at);
	ok(p != MAP_FAILED, "a tail can be written");
	munmap(p, PAGE);
}

static void child_has_none(int fd)
{
	struct ring r = ring_map(fd, 0, RING);
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(msync((void *)(r.data - PAGE), PAGE, MS_ASYNC) &&
		      msync((void *)r.tail, PAGE, MS_ASYNC));
	waitpid(pid, &status, 0);
	ok(status == 1 << 8, "a forked child has no mapping");
	ring_unmap(&r);
}

void test_mappings(void)
{
	struct vmmprof_setup s = good_setup();
	unsigned int cpus = sysconf(_SC_NPROCESSORS_CONF);
	int fd = dev_open();

	only_cpu(&s, 0);
	if (ioctl(fd, VMMPROF_IOC_SETUP, &s))
		die("SETUP");
	ring_mapping(fd, cpus);
	tail_mapping(fd);
	child_has_none(fd);
	if (cpus > 1)
		ok(refused(fd, PAGE + RING, PROT_READ, MAP_SHARED,
			   VMMPROF_OFF_RING(1), EINVAL),
		   "no ring of a CPU that was not asked for");
	close(fd);
}
