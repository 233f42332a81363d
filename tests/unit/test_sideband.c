// SPDX-License-Identifier: GPL-2.0-only
/* perf's side-band events of CPUs that come online later, or once more. */

#include <sched.h>
#include <sys/wait.h>

#include "test.h"
#include "os/cpu_list.h"
#include "os/proc_maps.h"

static struct cpus online; /* as the machine is to seem */
static pid_t wanted;	   /* whose exec is looked for */
static unsigned int found;

/* The file with the CPUs that are online. */
static ssize_t reads(int fd, void *buf, size_t size, off_t at)
{
	(void)fd;
	(void)at;
	cpus_format(&online, buf, size - 1);
	strcat(buf, "\n");
	return strlen(buf);
}

static int sees(struct proc_maps *pm, __u64 ns, enum vmmprof_op op, __u32 pid,
		__u32 ppid, const char *comm)
{
	(void)pm;
	(void)ns;
	(void)ppid;
	(void)comm;
	found += op == VMMPROF_OP_EXEC && pid == (__u32)wanted;
	return 0;
}

static int maps(struct proc_maps *pm, const struct mmap_event *ev)
{
	(void)pm;
	(void)ev;
	return 0;
}

static int loads(struct proc_maps *pm, __u64 ns, __u64 addr, __u32 len,
		 bool gone, const char *name)
{
	(void)pm;
	(void)ns;
	(void)addr;
	(void)len;
	(void)gone;
	(void)name;
	return 0;
}

#define pread	       reads
#define proc_maps_proc sees
#define proc_maps_mmap maps
#define proc_maps_ksym loads
#include "os/sideband.c"

/* The last CPU of those that we may use; -1: there is one alone. */
static int last_cpu(void)
{
	cpu_set_t set;
	int cpu;

	if (sched_getaffinity(0, sizeof(set), &set) || CPU_COUNT(&set) < 2)
		return -1;
	for (cpu = CPU_SETSIZE - 1; !CPU_ISSET(cpu, &set); cpu--)
		;
	return cpu;
}

/* How often a program is seen that is executed on this CPU. */
static unsigned int seen(struct sideband *sb, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	found = 0;
	wanted = fork();
	if (!wanted) {
		if (sched_setaffinity(0, sizeof(set), &set))
			_exit(1);
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	waitpid(wanted, NULL, 0);
	if (sideband_read(sb))
		abort();
	return found;
}

static void set_online(int cpu, bool is)
{
	__u8 bit = 1 << cpu % 8;

	online.bits[cpu / 8] = is ? online.bits[cpu / 8] | bit :
				    online.bits[cpu / 8] & ~bit;
}

TEST(a_cpu_that_comes_online_is_read)
{
	const int cpu = last_cpu();
	struct sideband *sb;
	int i, fd = -1;

	if (cpu < 0)
		return 0;
	set_online(0, true);
	if (sideband_open(NULL, &sb))
		return 0; /* not permitted */
	TEST_EQ(sb->nr_rings, 1);
	TEST_EQ(seen(sb, cpu), 0);
	for (i = 0; i < 3; i++) {
		set_online(cpu, true);
		TEST_EQ(sideband_read(sb), 0);
		TEST_EQ(sb->nr_rings, 2);
		TEST_EQ(seen(sb, cpu), 1);
		/* whoever polls it need not know */
		TEST_OK(!i || sb->rings[1].fd == fd);
		fd = sb->rings[1].fd;
		set_online(cpu, false);
		TEST_EQ(sideband_read(sb), 0);
		/* as the kernel does when it goes offline */
		TEST_EQ(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
		TEST_EQ(seen(sb, cpu), 0);
	}
	TEST_EQ(sideband_lost(sb), 0);
	TEST_EQ(sideband_close(sb, NULL), 0);
	return 0;
}
