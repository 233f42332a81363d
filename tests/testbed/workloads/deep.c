// SPDX-License-Identifier: GPL-2.0-only
/*
 * deep: call chains that are known: leaf below 13 and below 5 calls of down, and
 * system calls in ask below 7 of level, by turns.  They have frame
 * pointers (Makefile), but leaf and ask, which need no frame: their return
 * address is the word at the stack pointer.  System calls come after times
 * that differ by chance, so that samples are at all places of them: on a machine
 * where everything else is as it was they would be at a few, as the time that a
 * sample takes, and so when the next one comes, depends on its place.
 */
#include <sys/syscall.h>

static volatile long sink;

static inline __attribute__((always_inline)) void spin(long n)
{
	for (long i = 0; i < n; i++)
		asm volatile("nop; nop; nop; nop");
}

/* 0 to 1,023, equally often: the generator of C11's example (7.22.2). */
static inline __attribute__((always_inline)) long chance(void)
{
	static unsigned int next = 1;

	next = next * 1103515245 + 12345;
	return next >> 16 & 1023;
}

/* No library function in between: user mode is left right here. */
static __attribute__((noinline)) void ask(long times)
{
	static char buf[4096];
	long ret = 0;

	while (times--) {
		spin(chance());
		asm volatile("syscall"
			     : "=a"(ret)
			     : "0"(SYS_readlink), "D"("/proc/self/exe"),
			       "S"(buf), "d"(sizeof(buf))
			     : "rcx", "r11", "memory");
	}
	sink += ret;
}

static __attribute__((noinline)) void leaf(long n)
{
	spin(n);
	sink++;
}

static __attribute__((noinline)) void down(int depth, long n)
{
	if (depth == 0)
		leaf(n);
	else
		down(depth - 1, n);
	sink++;
}

static __attribute__((noinline)) void level(int depth, long times)
{
	if (depth == 0)
		ask(times);
	else
		level(depth - 1, times);
	sink++;
}

int main(void)
{
	for (;;) {
		down(12, 20000);
		down(4, 20000);
		level(6, 40);
	}
}
