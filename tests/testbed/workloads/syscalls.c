// SPDX-License-Identifier: GPL-2.0-only
/*
 * syscalls: system calls by turns, each made by a function of its own, ask_NAME,
 * that rounds() calls, which main() calls: the kernel's functions below it are
 * known by that name.  tests/testbed/syscalls.py has them.
 */
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#define ASKS static __attribute__((noinline)) void

static volatile long sink;
static char buf[4096];
static int status, zero, directory, ends[2];

/* No library function in between: user mode is left in who asks. */
static inline __attribute__((always_inline)) long
ask(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 asm("r10") = d, r8 asm("r8") = e, r9 asm("r9") = f;
	long ret;

	asm volatile("syscall"
		     : "=a"(ret)
		     : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
		       "r"(r9)
		     : "rcx", "r11", "memory");
	return ret;
}

/* Who calls it has a frame. */
static __attribute__((noinline)) void seen(long ret)
{
	sink += ret;
}

ASKS ask_read(void)
{
	seen(ask(SYS_read, zero, (long)buf, sizeof(buf), 0, 0, 0));
}

ASKS ask_pread64(void)
{
	seen(ask(SYS_pread64, status, (long)buf, sizeof(buf), 0, 0, 0));
}

ASKS ask_write(void)
{
	seen(ask(SYS_write, ends[1], (long)buf, 512, 0, 0, 0));
}

ASKS ask_readv(void)
{
	struct {
		void *base;
		size_t len;
	} to = { buf, 512 };

	seen(ask(SYS_readv, ends[0], (long)&to, 1, 0, 0, 0));
}

ASKS ask_openat(long *fd)
{
	*fd = ask(SYS_openat, AT_FDCWD, (long)"/proc/self/stat", O_RDONLY, 0, 0,
		  0);
	seen(*fd);
}

ASKS ask_close(long fd)
{
	seen(ask(SYS_close, fd, 0, 0, 0, 0, 0));
}

ASKS ask_getdents64(void)
{
	ask(SYS_lseek, directory, 0, 0, 0, 0, 0);
	seen(ask(SYS_getdents64, directory, (long)buf, sizeof(buf), 0, 0, 0));
}

ASKS ask_mmap(long *at)
{
	*at = ask(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	seen(*at);
}

ASKS ask_munmap(long at)
{
	seen(ask(SYS_munmap, at, 4096, 0, 0, 0, 0));
}

ASKS ask_newfstatat(void)
{
	static struct stat st;

	seen(ask(SYS_newfstatat, AT_FDCWD, (long)"/proc/self/status", (long)&st,
		 0, 0, 0));
}

ASKS ask_poll(void)
{
	struct pollfd p[2] = { { ends[0], POLLIN, 0 }, { ends[1], POLLIN, 0 } };

	seen(ask(SYS_poll, (long)p, 2, 0, 0, 0, 0));
}

ASKS ask_nanosleep(void)
{
	struct timespec t = { 0, 1000 };

	seen(ask(SYS_nanosleep, (long)&t, 0, 0, 0, 0, 0));
}

/* The child ends at once; it has its parent's memory, which waits. */
ASKS ask_clone(void)
{
	long ret = ask(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);

	if (!ret)
		ask(SYS_exit_group, 0, 0, 0, 0, 0, 0);
	seen(ret);
}

ASKS ask_wait4(void)
{
	seen(ask(SYS_wait4, -1, 0, 0, 0, 0, 0));
}

static __attribute__((noinline)) void rounds(void)
{
	long i, got;

	for (i = 0; i < 40; i++) {
		ask_read();
		/* takes far longer than the others */
		if (i % 4 == 0)
			ask_pread64();
		ask_write();
		ask_poll();
		ask_readv();
		ask_openat(&got);
		ask_close(got);
		ask_getdents64();
		ask_mmap(&got);
		ask_munmap(got);
		ask_newfstatat();
	}
	for (i = 0; i < 8; i++)
		ask_nanosleep();
	for (i = 0; i < 4; i++) {
		ask_clone();
		ask_wait4();
	}
	sink++;
}

int main(void)
{
	zero = ask(SYS_openat, AT_FDCWD, (long)"/dev/zero", O_RDONLY, 0, 0, 0);
	status = ask(SYS_openat, AT_FDCWD, (long)"/proc/self/status", O_RDONLY,
		     0, 0, 0);
	directory = ask(SYS_openat, AT_FDCWD, (long)"/proc/self/task",
			O_RDONLY | O_DIRECTORY, 0, 0, 0);
	if (zero < 0 || status < 0 || directory < 0 ||
	    ask(SYS_pipe, (long)ends, 0, 0, 0, 0, 0))
		return 1;
	for (;;)
		rounds();
}
