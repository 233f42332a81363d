// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process that carries the truth about itself in its registers, where the
 * emulator's monitor can read it: R15 = MARK | pid, R14 = the TSC by now.
 *
 *	marker spin			until killed
 *	marker call			the same, mostly in system calls: then the
 *					registers are on the kernel stack
 *	marker once TICKS		for so many TSC ticks
 *	marker storm N MS CPU		N children on CPU, one after the other,
 *					MS ms each, every other one by exec,
 *					every fourth with system calls;
 *					prints their pids
 *	marker bench N			N times vfork, exec and exit, one after the
 *					other; prints the ns that one takes
 *	marker leader			the first thread ends, another spins
 *	marker without CAP CMD...	run CMD without that capability
 *	marker as UID CMD...		run CMD as that user
 */
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/capability.h>
#include <x86intrin.h>

#define MARK (0x766d6dULL << 32)

/* @call: with a system call (getppid) in each round. */
__attribute__((noinline)) static void mark(uint64_t end, long call)
{
	__asm__ volatile("mov %0, %%r15\n"
			 "1: rdtsc\n"
			 "shl $32, %%rdx\n"
			 "or %%rdx, %%rax\n"
			 "mov %%rax, %%r14\n"
			 "test %2, %2\n"
			 "jz 2f\n"
			 "mov $110, %%eax\n"
			 "syscall\n"
			 "2: cmp %1, %%r14\n"
			 "jb 1b\n"
			 "xor %%r15d, %%r15d\n"
			 :
			 : "r"(MARK | getpid()), "r"(end), "r"(call)
			 : "rax", "rcx", "rdx", "r11", "r14", "r15", "memory",
			   "cc");
}

static void *mark_forever(void *arg)
{
	(void)arg;
	mark(UINT64_MAX, 0);
	return NULL;
}

static uint64_t ticks_per_ms(void)
{
	const struct timespec t = { .tv_nsec = 20000000 };
	struct timespec a, b;
	uint64_t tsc = __rdtsc();

	clock_gettime(CLOCK_MONOTONIC, &a);
	nanosleep(&t, NULL);
	tsc = __rdtsc() - tsc;
	clock_gettime(CLOCK_MONOTONIC, &b);
	return tsc * 1000000 /
	       ((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec);
}

static int storm(int n, int ms, int cpu)
{
	uint64_t ticks = ms * ticks_per_ms();
	char text[24];
	cpu_set_t set;
	pid_t pid;
	int i;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)ticks);
	for (i = 0; i < n; i++) {
		pid = fork();
		if (!pid && i % 2) {
			execl("/proc/self/exe", "marker", "once", text, NULL);
			_exit(1);
		} else if (!pid) {
			mark(__rdtsc() + ticks, i % 4);
			_exit(0);
		}
		printf("%d\n", pid);
		waitpid(pid, NULL, 0);
	}
	return 0;
}

static int bench(int n)
{
	char *args[] = { "marker", "once", "0", NULL };
	struct timespec a, b;
	pid_t pid;
	int i;

	clock_gettime(CLOCK_MONOTONIC, &a);
	for (i = 0; i < n; i++) {
		if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, args,
				environ))
			return 1;
		waitpid(pid, NULL, 0);
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%lld\n",
	       ((b.tv_sec - a.tv_sec) * 1000000000LL + b.tv_nsec - a.tv_nsec) /
		       n);
	return 0;
}

static int leader(void)
{
	pthread_t t;

	pthread_create(&t, NULL, mark_forever, NULL);
	pthread_exit(NULL);
}

static int without(int cap, char **argv)
{
	struct __user_cap_header_struct h = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct d[2];

	if (prctl(PR_CAPBSET_DROP, cap) || syscall(SYS_capget, &h, d))
		return 1;
	d[cap / 32].effective &= ~(1U << cap % 32);
	d[cap / 32].permitted &= ~(1U << cap % 32);
	d[cap / 32].inheritable = 0;
	if (syscall(SYS_capset, &h, d))
		return 1;
	execv(argv[0], argv);
	return 1;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (!strcmp(verb, "spin"))
		mark(UINT64_MAX, 0);
	else if (!strcmp(verb, "call"))
		mark(UINT64_MAX, 1);
	else if (!strcmp(verb, "once") && argc == 3)
		mark(__rdtsc() + strtoull(argv[2], NULL, 10), 0);
	else if (!strcmp(verb, "storm") && argc == 5)
		return storm(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
	else if (!strcmp(verb, "bench") && argc == 3)
		return bench(atoi(argv[2]));
	else if (!strcmp(verb, "leader"))
		return leader();
	else if (!strcmp(verb, "without") && argc > 3)
		return without(atoi(argv[2]), argv + 3);
	else if (!strcmp(verb, "as") && argc > 3)
		return setuid(atoi(argv[2])) || execv(argv[3], argv + 3);
	else
		return 2;
	return 0;
}
