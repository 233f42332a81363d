// SPDX-License-Identifier: GPL-2.0-only
/* Limits on memory and time; the first process to be killed without memory. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sandbox/limits.h"

#define LEAST_MEMORY (2ull << 30)

uint64_t limits_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t half = 0;

	if (pages > 0 && size > 0)
		half = (uint64_t)pages * size / 2;
	return half > LEAST_MEMORY ? half : LEAST_MEMORY;
}

/*
 * Lowers the soft limit to @value and the hard one to @most, so that it cannot be
 * raised again.
 */
static int lower(int what, uint64_t value, uint64_t most)
{
	struct rlimit r;

	if (getrlimit(what, &r))
		return -errno;
	if (r.rlim_max > most)
		r.rlim_max = most;
	if (r.rlim_cur > value)
		r.rlim_cur = value;
	if (r.rlim_cur > r.rlim_max)
		r.rlim_cur = r.rlim_max;
	return setrlimit(what, &r) ? -errno : 0;
}

/* No rights are needed to raise the score; without /proc it stays. */
static void go_first(void)
{
	static const char most[] = "1000";
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, most, strlen(most)) < 0)
		errno = 0;
	close(fd);
}

int limits_cpu(unsigned int seconds)
{
	/* a second between SIGXCPU, which tells why, and SIGKILL */
	return seconds ? lower(RLIMIT_CPU, seconds, seconds + 1) : 0;
}

int limits_file(uint64_t size)
{
	signal(SIGXFSZ, SIG_IGN);
	return lower(RLIMIT_FSIZE, size, size);
}

int limits_set(uint64_t memory, unsigned int cpu_s)
{
	int ret = lower(RLIMIT_CORE, 0, 0);

	go_first();
#ifndef __SANITIZE_ADDRESS__
	if (!ret && memory)
		ret = lower(RLIMIT_AS, memory, memory);
#else
	(void)memory;
#endif
	return ret ? ret : limits_cpu(cpu_s);
}
