// SPDX-License-Identifier: GPL-2.0-only
/* Confinement by user, capabilities, limits and seccomp(2). */

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <poll.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/child.h"
#include "base/io.h"
#include "sandbox/confine.h"
#include "sandbox/confine_internal.h"
#include "format/open_beneath.h"
#include "sandbox/landlock.h"

/* System calls that are allowed with any arguments, and what needs them. */
static const int allowed[] = {
	/* open files: reading, printing */
	SCMP_SYS(read),
	SCMP_SYS(pread64),
	SCMP_SYS(readv),
	SCMP_SYS(write),
	SCMP_SYS(writev),
	SCMP_SYS(pwrite64),
	SCMP_SYS(lseek),
	SCMP_SYS(close),
	SCMP_SYS(fstat),
	SCMP_SYS(getdents64),
	SCMP_SYS(dup),
	SCMP_SYS(fadvise64),
	/* output that is assembled in memory */
	SCMP_SYS(ftruncate),
	/* a bundle that is completed (symcache/merge.c) */
	SCMP_SYS(pwritev),
	/* malloc() */
	SCMP_SYS(brk),
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(madvise),
	/* the demangler's answer (sym/demangle.c), libvirt's library */
	SCMP_SYS(recvfrom),
	/* files that others open: guests' bundles, debuginfod's, openers' */
	SCMP_SYS(recvmsg),
	SCMP_SYS(poll),
	SCMP_SYS(wait4),
	/* talking to a guest (transport/), libvirt's library */
	SCMP_SYS(shutdown),
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(ppoll),
	/*
	 * libc: locks, qsort()'s look at the memory, stack protector, signals
	 */
	SCMP_SYS(futex),
	SCMP_SYS(sysinfo),
	SCMP_SYS(getrandom),
	SCMP_SYS(uname),
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(getpid),
	SCMP_SYS(gettid),
	SCMP_SYS(getuid),
	SCMP_SYS(geteuid),
	SCMP_SYS(getgid),
	SCMP_SYS(getegid),
	SCMP_SYS(sched_yield),
	SCMP_SYS(clock_gettime),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(time),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
};

/*
 * System calls that fail instead of killing: libc and libraries try them and
 * can go without.  Files that are read were opened before, or come from the
 * opener (sandbox/opener.h).
 */
static const struct {
	int nr, error;
} refused[] = {
	{ SCMP_SYS(open), EACCES },	  { SCMP_SYS(stat), EACCES },
	{ SCMP_SYS(lstat), EACCES },	  { SCMP_SYS(statx), ENOSYS },
	{ SCMP_SYS(access), EACCES },	  { SCMP_SYS(faccessat), EACCES },
	{ SCMP_SYS(readlink), EACCES },	  { SCMP_SYS(readlinkat), EACCES },
	{ SCMP_SYS(faccessat2), ENOSYS }, { SCMP_SYS(getcwd), EACCES },
	{ SCMP_SYS(ioctl), ENOTTY },	  { SCMP_SYS(getrlimit), EPERM },
};

/* What the opener may call of these, and more: to walk a path step by step. */
static const int looks[] = {
	SCMP_SYS(readlink),
	SCMP_SYS(readlinkat),
	SCMP_SYS(fstatfs),
};

static const struct confine_argument allowed_if[] = {
	/* of an open file only; glibc's fstat() */
	{ SCMP_SYS(newfstatat), 3, ~0ull, AT_EMPTY_PATH },
	/* messages on connected sockets only, without an address */
	{ SCMP_SYS(sendto), 4, ~0ull, 0 },
	/* the demangler's time */
	{ SCMP_SYS(setitimer), 0, ~0ull, ITIMER_REAL },
	/* libc's threads and arenas; of this process */
	{ SCMP_SYS(sched_getaffinity), 0, ~0ull, 0 },
};

/* What each confined process may do with its own files and memory. */
static const struct confine_argument own[] = {
	/* never an owner, a signal, a lease or a lock */
	{ SCMP_SYS(fcntl), 1, ~0ull, F_GETFD },
	{ SCMP_SYS(fcntl), 1, ~0ull, F_SETFD },
	{ SCMP_SYS(fcntl), 1, ~0ull, F_GETFL },
	{ SCMP_SYS(fcntl), 1, ~0ull, F_DUPFD },
	{ SCMP_SYS(fcntl), 1, ~0ull, F_DUPFD_CLOEXEC },
	/* memory that was written cannot become executable */
	{ SCMP_SYS(mmap), 2, PROT_EXEC, 0 },
	{ SCMP_SYS(mprotect), 2, PROT_EXEC, 0 },
};

int confine_allow_if(scmp_filter_ctx ctx, const struct confine_argument *a,
		     size_t nr)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < nr && !ret; i++)
		ret = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, a[i].nr, 1,
				       SCMP_CMP(a[i].arg, SCMP_CMP_MASKED_EQ,
						a[i].mask, a[i].value));
	return ret;
}

int confine_allow_own(scmp_filter_ctx ctx)
{
	const uint64_t flags = O_ACCMODE | O_LARGEFILE | O_NONBLOCK;
	int ret = confine_allow_if(ctx, own, sizeof(own) / sizeof(own[0]));

	/* O_ASYNC would be a signal */
	if (!ret)
		ret = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 2,
				       SCMP_A1(SCMP_CMP_EQ, F_SETFL, 0),
				       SCMP_A2(SCMP_CMP_MASKED_EQ, ~flags, 0));
	/* limits of this process are read */
	if (!ret)
		ret = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64),
				       2, SCMP_A0(SCMP_CMP_EQ, 0, 0),
				       SCMP_A2(SCMP_CMP_EQ, 0, 0));
	/* abort() */
	if (!ret)
		ret = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
				       SCMP_A0(SCMP_CMP_EQ, (uint64_t)getpid(),
					       0));
	return ret;
}

int confine_filter(uint32_t otherwise,
		   int (*add_rules)(scmp_filter_ctx ctx, bool opens),
		   bool opens)
{
	scmp_filter_ctx ctx = seccomp_init(otherwise);
	int ret;

	if (!ctx)
		return -ENOMEM;
	/* a library may have threads */
	ret = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_TSYNC, 1);
	if (!ret)
		ret = add_rules(ctx, opens);
	if (!ret)
		ret = seccomp_load(ctx);
	seccomp_release(ctx);
	return ret;
}

static int add_rules(scmp_filter_ctx ctx, bool opens)
{
	const uint64_t writing = O_ACCMODE | O_CREAT | O_TRUNC |
				 (O_TMPFILE & ~O_DIRECTORY);
	unsigned int i;
	int ret = 0;

	for (i = 0; i < sizeof(allowed) / sizeof(allowed[0]) && !ret; i++)
		ret = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, allowed[i], 0);
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]) && !ret; i++) {
		if (opens && (refused[i].nr == SCMP_SYS(readlink) ||
			      refused[i].nr == SCMP_SYS(readlinkat)))
			continue;
		ret = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(refused[i].error),
				       refused[i].nr, 0);
	}
	/* opening to write is no library's harmless attempt: it kills */
	if (!ret)
		ret = seccomp_rule_add(
			ctx, opens ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(EACCES),
			SCMP_SYS(openat), 1,
			SCMP_A2(SCMP_CMP_MASKED_EQ, writing, O_RDONLY));
	if (!ret && opens)
		ret = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(sendmsg),
				       0);
	for (i = 0; i < sizeof(looks) / sizeof(looks[0]) && !ret && opens; i++)
		ret = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, looks[i], 0);
	if (!ret)
		ret = confine_allow_if(ctx, allowed_if,
				       sizeof(allowed_if) /
					       sizeof(allowed_if[0]));
	return ret ? ret : confine_allow_own(ctx);
}

static int give_up_capabilities(void)
{
	struct __user_cap_header_struct hdr = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct none[2] = { { 0 } };

	return syscall(SYS_capset, &hdr, none) ? -errno : 0;
}

/*
 * Root becomes nobody.  If that user does not exist (in a container), it stays
 * root, but without capabilities.
 */
int confine_rights(void)
{
	int at_parents_end = 0;

	/* a change of the user clears it */
	prctl(PR_GET_PDEATHSIG, &at_parents_end, 0, 0, 0);
	if (!geteuid() && !setgroups(0, NULL) &&
	    !setresgid(VMMPROF_NOBODY, VMMPROF_NOBODY, VMMPROF_NOBODY) &&
	    setresuid(VMMPROF_NOBODY, VMMPROF_NOBODY, VMMPROF_NOBODY) &&
	    errno != EINVAL)
		return -errno;
	if (prctl(PR_SET_PDEATHSIG, at_parents_end, 0, 0, 0))
		return -errno;
	return give_up_capabilities();
}

static int confine(int signal_at_parents_end, bool opens)
{
	const struct landlock_may may = { .dir = -1, .read_all = opens };
	const struct rlimit none = { 0, 0 };
	int ret;

	/* openat2() is not allowed: a filter cannot read its flags */
	open_beneath_by_names = true;
	/* libdw would ask servers for debug information. */
	unsetenv("DEBUGINFOD_URLS");
	ret = confine_rights();
	if (ret)
		return ret;
	if (prctl(PR_SET_PDEATHSIG, signal_at_parents_end, 0, 0, 0) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    setrlimit(RLIMIT_CORE, &none) || setrlimit(RLIMIT_NPROC, &none))
		return -errno;
	ret = landlock(&may);
	return ret ? ret :
		     confine_filter(SCMP_ACT_KILL_PROCESS, add_rules, opens);
}

int confine_self(void)
{
	return confine(SIGKILL, false);
}

int confine_opener(void)
{
	return confine(SIGKILL, true);
}

int confine_stdio(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC), i, ret = 0;

	if (fd < 0)
		ret = -errno;
	for (i = 0; i < 3 && !ret; i++)
		if (dup2(fd, i) < 0)
			ret = -errno;
	if (fd > 2)
		close(fd);
	return ret;
}

int confine_outlive(void)
{
	return confine(0, false);
}

/* What the status of waitpid(2) says. */
static int ended(int status, int *signal)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	*signal = WTERMSIG(status);
	switch (*signal) {
	case SIGSYS:
	case SIGSEGV:
	case SIGBUS:
	case SIGILL:
	case SIGFPE:
	case SIGABRT:
		return -EBADE;
	}
	return -EINTR;
}

static int wait_for(pid_t pid, int *signal)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return ended(status, signal);
}

pid_t confine_start(int (*run)(void *), void *arg)
{
	pid_t pid = child_fork();
	int ret;

	if (pid)
		return pid;
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	ret = run(arg);
	fflush(NULL);
	_exit(ret);
}

int confine_look(pid_t pid, uint64_t deadline_ns, int *signal)
{
	int status;
	pid_t got = waitpid(pid, &status, WNOHANG);

	*signal = 0;
	if (got < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	if (got)
		return ended(status, signal);
	if (clock_left(deadline_ns))
		return -EAGAIN;
	kill(pid, SIGKILL);
	return wait_for(pid, signal);
}

/* Waits for its end on a pidfd, and kills it at the deadline. */
static void end_at(pid_t pid, uint64_t deadline_ns)
{
	struct pollfd p = { syscall(SYS_pidfd_open, pid, 0), POLLIN, 0 };

	while (p.fd >= 0 && poll(&p, 1, clock_left(deadline_ns)) <= 0 &&
	       clock_left(deadline_ns))
		;
	if (!(p.revents & POLLIN))
		kill(pid, SIGKILL);
	io_close(&p.fd);
}

int confine_run_until(int (*run)(void *), void (*meanwhile)(void *), void *arg,
		      uint64_t deadline_ns, int *signal)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, intr, quit;
	pid_t pid;
	int ret;

	*signal = 0;
	sigaction(SIGINT, &ignore, &intr);
	sigaction(SIGQUIT, &ignore, &quit);
	pid = child_fork();
	if (!pid) {
		sigaction(SIGINT, &intr, NULL);
		sigaction(SIGQUIT, &quit, NULL);
		ret = run(arg);
		fflush(NULL);
		_exit(ret);
	}
	ret = pid < 0 ? pid : 0;
	if (!ret && meanwhile)
		meanwhile(arg);
	if (!ret && deadline_ns != UINT64_MAX)
		end_at(pid, deadline_ns);
	if (!ret)
		ret = wait_for(pid, signal);
	sigaction(SIGINT, &intr, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	return ret;
}

static int channel = -1;

int confine_channel(void)
{
	return channel;
}

struct served {
	int (*run)(void *data);
	void *arg;
	void (*serve)(void *arg, int fd);
	int pair[2];
};

static int run_served(void *arg)
{
	struct served *s = arg;

	close(s->pair[0]);
	channel = s->pair[1];
	return s->run(s->arg);
}

static void serve(void *arg)
{
	struct served *s = arg;

	close(s->pair[1]);
	s->pair[1] = -1;
	s->serve(s->arg, s->pair[0]);
	close(s->pair[0]);
	s->pair[0] = -1;
}

int confine_run_served(int (*run)(void *), void *arg,
		       void (*serve_fn)(void *, int), int *signal)
{
	struct served s = { .run = run, .arg = arg, .serve = serve_fn };
	int i, ret;

	*signal = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s.pair))
		return -errno;
	ret = confine_run_until(run_served, serve, &s, UINT64_MAX, signal);
	for (i = 0; i < 2; i++)
		io_close(&s.pair[i]);
	return ret;
}

void confine_files(int low, const int *keep, unsigned int nr)
{
	while (low >= 0) {
		int next = INT_MAX;
		unsigned int i;

		for (i = 0; i < nr; i++)
			if (keep[i] >= low && keep[i] < next)
				next = keep[i];
		if (next == INT_MAX) {
			close_range(low, ~0u, 0);
			return;
		}
		if (next > low)
			close_range(low, next - 1, 0);
		low = next + 1;
	}
}
