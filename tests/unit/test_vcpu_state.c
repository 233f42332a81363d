// SPDX-License-Identifier: GPL-2.0-only
/* A vCPU's thread in made-up /proc and cgroup trees. */

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>
#include <x86intrin.h>

#include "test.h"
#include "tree.h"
#include "host/vcpu_state.h"

#define TASK "proc/100/task/101/"

static char root[64];

static void put(const char *path, const char *text)
{
	tree_put(root, path, text);
}

static void begin(void)
{
	strcpy(root, "/tmp/vmmprof-test-XXXXXX");
	if (!mkdtemp(root))
		abort();
	put("proc/sys/kernel/osrelease", "6.1.0-40-amd64\n");
}

static void end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	if (system(command))
		abort();
}

static struct vmmprof_info_vcpu_state item;

/* The state that is read with this letter and this stack. */
static int state(const char *letter, const char *stack)
{
	char text[128];

	snprintf(text, sizeof(text), "101 (CPU 0) R) %s 1 100 100", letter);
	put(TASK "stat", text);
	put(TASK "stack", stack);
	if (vcpu_state_read(root, 100, 101, &item))
		return -1;
	return item.state;
}

#define HALT                                     \
	"[<0>] kvm_vcpu_block+0x5a/0xd0 [kvm]\n" \
	"[<0>] kvm_vcpu_halt+0xe2/0x420 [kvm]\n" \
	"[<0>] kvm_arch_vcpu_ioctl_run+0x87a/0x1a50 [kvm]\n"
#define BLOCK                                    \
	"[<0>] kvm_vcpu_block+0x5a/0xd0 [kvm]\n" \
	"[<0>] kvm_arch_vcpu_ioctl_run+0x87a/0x1a50 [kvm]\n"
#define FUTEX "[<0>] futex_wait_queue+0x70/0xd0\n"

TEST(vcpustate_by_letter_and_stack)
{
	begin();
	TEST_EQ(state("R", ""), VMMPROF_VCPU_RUNNABLE);
	TEST_EQ(item.pid, 100);
	TEST_EQ(item.tid, 101);
	TEST_EQ(state("S", HALT), VMMPROF_VCPU_HALTED);
	TEST_EQ(state("S", FUTEX), VMMPROF_VCPU_ASLEEP);
	TEST_EQ(state("D", FUTEX), VMMPROF_VCPU_ASLEEP);
	TEST_EQ(state("T", FUTEX), VMMPROF_VCPU_ASLEEP);
	/* a foreign function that looks alike */
	TEST_EQ(state("S", "[<0>] my_kvm_vcpu_halt+0x1/0x2\n"),
		VMMPROF_VCPU_ASLEEP);
	/* may not be read, or is gone */
	TEST_EQ(state("S", ""), VMMPROF_VCPU_UNKNOWN);
	TEST_EQ(state("Z", ""), VMMPROF_VCPU_UNKNOWN);
	end();
	return 0;
}

TEST(vcpustate_of_kernels_without_kvm_vcpu_halt)
{
	begin();
	/* not started yet */
	TEST_EQ(state("S", BLOCK), VMMPROF_VCPU_ASLEEP);
	put("proc/sys/kernel/osrelease", "5.17.0\n");
	TEST_EQ(state("S", BLOCK), VMMPROF_VCPU_ASLEEP);
	put("proc/sys/kernel/osrelease", "5.10.0-30-amd64\n");
	TEST_EQ(state("S", BLOCK), VMMPROF_VCPU_HALTED);
	end();
	return 0;
}

TEST(vcpustate_of_a_thread_that_is_gone)
{
	begin();
	TEST_EQ(vcpu_state_read(root, 100, 101, &item), -ENOENT);
	put(TASK "schedstat", "1 2 3\n");
	put(TASK "stat", "101 (no end");
	TEST_EQ(vcpu_state_read(root, 100, 101, &item), -ENOENT);
	end();
	return 0;
}

TEST(vcpustate_times)
{
	uint64_t before, after;

	begin();
	put(TASK "schedstat", "18446744073709551615 4000000000 77\n");
	before = __rdtsc();
	TEST_EQ(state("R", ""), VMMPROF_VCPU_RUNNABLE);
	after = __rdtsc();
	TEST_OK(item.run_ns == UINT64_MAX);
	TEST_EQ(item.delay_ns, 4000000000);
	TEST_EQ(item.slices, 77);
	TEST_OK(item.tsc >= before && item.tsc <= after);
	put(TASK "schedstat", "1 2\n");
	TEST_EQ(state("R", ""), VMMPROF_VCPU_RUNNABLE);
	TEST_EQ(item.run_ns, 0);
	TEST_EQ(item.delay_ns, 0);
	end();
	return 0;
}

#define STAT2(nr, usec)                                            \
	"usage_usec 5\nuser_usec 3\nsystem_usec 2\nnr_periods 9\n" \
	"nr_throttled " #nr "\nthrottled_usec " #usec "\nnr_bursts 0\n"

TEST(vcpustate_throttled_by_cgroups_of_version_2)
{
	begin();
	put("sys/fs/cgroup/cpu.stat", STAT2(1000, 1000));
	put("sys/fs/cgroup/machine.slice/cpu.stat", STAT2(2, 30));
	put("sys/fs/cgroup/machine.slice/vm/cpu.stat", "usage_usec 5\n");
	put("sys/fs/cgroup/machine.slice/vm/vcpu0/cpu.stat", STAT2(4, 500));
	put(TASK "cgroup", "0::/machine.slice/vm/vcpu0\n");
	TEST_EQ(state("R", ""), VMMPROF_VCPU_RUNNABLE);
	TEST_EQ(item.nr_throttled, 6);
	TEST_EQ(item.throttled_ns, 530000);
	put(TASK "cgroup", "0::/\n");
	state("R", "");
	TEST_EQ(item.nr_throttled, 0);
	/* outside the cgroup namespace */
	put(TASK "cgroup", "0::/../machine.slice\n");
	state("R", "");
	TEST_EQ(item.nr_throttled, 0);
	put(TASK "cgroup", "0:");
	state("R", "");
	TEST_EQ(item.nr_throttled, 0);
	end();
	return 0;
}

TEST(vcpustate_throttled_by_cgroups_of_version_1)
{
	begin();
	put("sys/fs/cgroup/cpu/vm/cpu.stat",
	    "nr_periods 10\nnr_throttled 7\nthrottled_time 123456\n");
	put("sys/fs/cgroup/vm/cpu.stat", STAT2(1000, 1000));
	put(TASK "cgroup", "12:cpuset:/none\n"
			   "5:cpu,cpuacct:/vm\n"
			   "1:name=systemd:/x\n"
			   "0::/vm\n");
	TEST_EQ(state("R", ""), VMMPROF_VCPU_RUNNABLE);
	TEST_EQ(item.nr_throttled, 7);
	TEST_EQ(item.throttled_ns, 123456);
	/* another controller of version 1: the CPU is version 2's */
	put(TASK "cgroup", "12:cpuset:/none\n0::/vm\n");
	state("R", "");
	TEST_EQ(item.nr_throttled, 1000);
	end();
	return 0;
}
