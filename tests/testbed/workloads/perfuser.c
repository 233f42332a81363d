// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfuser SECONDS: another user of perf, who comes and goes: every 100 ms it
 * opens cpu-clock events of each CPU and of itself, with other periods, maps
 * their rings, lets them run and closes them.  Says how many there were.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MOST 16

static int event(int pid, int cpu, unsigned int period)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
	};

	return syscall(SYS_perf_event_open, &attr, pid, cpu, -1,
		       PERF_FLAG_FD_CLOEXEC);
}

/* How many could be opened. */
static int once(unsigned int period)
{
	int cpus = sysconf(_SC_NPROCESSORS_CONF), fd[MOST + 1], i, nr = 0;
	void *ring[MOST + 1];

	for (i = -1; i < cpus && i < MOST; i++) {
		fd[nr] = event(i < 0 ? 0 : -1, i, period);
		if (fd[nr] < 0) /* offline, or there is no memory */
			continue;
		ring[nr] = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE,
				MAP_SHARED, fd[nr], 0);
		nr++;
	}
	usleep(100000);
	for (i = 0; i < nr; i++) {
		if (ring[i] != MAP_FAILED)
			munmap(ring[i], 3 * 4096);
		close(fd[i]);
	}
	return nr;
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	unsigned int opened = 0, times = 0;

	while (time(NULL) <= end)
		opened += once(200000 + times++ % 8 * 100000);
	printf("%u events\n", opened);
	return opened == 0;
}
