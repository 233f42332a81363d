// SPDX-License-Identifier: GPL-2.0-only
/*
 * nop [exec | vfork | thread]: a process as short as can be had (no libc, a
 * page of code): some user-mode work, then the end.  exec: executes its own
 * file in between; vfork: has five vfork children, one after the other, that
 * execute it; thread: the group's leader ends, a second thread works.
 */
#define _GNU_SOURCE
#include <asm/unistd.h>
#include <linux/sched.h>

static char stack[8192] __attribute__((aligned(16)));
static char *none[] = { "nop", 0 };

static long call(long nr, long a, long b, long c)
{
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(nr), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return ret;
}

static void work(int rounds)
{
	for (volatile int i = 0; i < rounds; i++)
		;
}

static _Noreturn void over(void)
{
	for (;;)
		call(__NR_exit_group, 0, 0, 0);
}

static _Noreturn void execute(void)
{
	call(__NR_execve, (long)"/bin/nop", (long)none, 0);
	over();
}

/* Works a little on the parent's page table, as posix_spawn()'s child does. */
static void spawned(void)
{
	work(50);
	execute();
}

/* A child of its own on another stack, which never returns. */
static long begin(long flags, void (*run)(void))
{
	void **top = (void **)(stack + sizeof(stack) - 64);
	long ret;

	*top = run;
	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "pop %%rax\n\t"
			 "and $-16, %%rsp\n\t"
			 "call *%%rax\n"
			 "1:"
			 : "=a"(ret)
			 : "0"(__NR_clone), "D"(flags), "S"(top), "d"(0)
			 : "rcx", "r11", "memory");
	return ret;
}

static void thread(void)
{
	for (int i = 0; i < 4; i++)
		work(3000);
	over();
}

__attribute__((used)) void entry(long *sp)
{
	const char *what = sp[0] > 1 ? (const char *)sp[2] : "";

	work(3000);
	switch (*what) {
	case 'e':
		execute();
	case 'v':
		for (int i = 0; i < 5; i++)
			call(__NR_wait4,
			     begin(CLONE_VM | CLONE_VFORK | 17, spawned), 0, 0);
		break;
	case 't':
		if (begin(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
				  CLONE_THREAD | CLONE_SYSVSEM,
			  thread) > 0)
			call(__NR_exit, 0, 0, 0);
		break;
	}
	work(3000);
	over();
}

__asm__(".globl _start\n_start: mov %rsp, %rdi\n\tand $-16, %rsp\n\tcall entry");
