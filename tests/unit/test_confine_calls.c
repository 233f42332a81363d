// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls from within, with what a process would pass that a guest has
 * taken over: each fails or ends it, and nobody else is hurt.  As root and as a
 * user, with Landlock and without.
 */

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/items.h"
#include "sandbox/confine.h"
#include "sandbox/landlock.h"
#include "sandbox/opener.h"
#include "test.h"

#define USER 54321

/* What the probes aim at: files of the user, and a process of the user. */
static char dir[] = "/tmp/confine.XXXXXX";
static pid_t victim;
static int pair[2], pipes[2], writable;

static long probe_lock(void)
{
	struct flock l = { .l_type = F_RDLCK };

	return fcntl(writable, F_OFD_SETLK, &l);
}

static long probe_limit(int what, rlim_t value, pid_t pid)
{
	const struct rlimit r = { value, value };

	return prlimit(pid, what, &r, NULL);
}

static long probe_limit_read(void)
{
	struct rlimit r;

	return prlimit(victim, RLIMIT_NOFILE, NULL, &r);
}

static long probe_memory(void)
{
	char b[8];
	struct iovec to = { b, 8 }, from = { (void *)pair, 8 };

	return process_vm_readv(victim, &to, 1, &from, 1, 0);
}

static long probe_map(int prot, int flags, int fd)
{
	return mmap(NULL, 4096, prot, flags, fd, 0) == MAP_FAILED ? -1 : 0;
}

static long probe_code(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return mprotect(p, 4096, PROT_READ | PROT_EXEC);
}

static long probe_send(void)
{
	struct sockaddr_un u = { AF_UNIX, "/run/nobody-listens" };

	return sendto(pair[0], "x", 1, MSG_NOSIGNAL, (void *)&u, sizeof(u));
}

static long probe_message(void)
{
	struct msghdr m = { .msg_iov = NULL };

	return sendmsg(pair[0], &m, MSG_NOSIGNAL);
}

static long probe_connect(void)
{
	struct sockaddr_un u = { AF_UNIX, "/run/nobody-listens" };

	return connect(pair[0], (void *)&u, sizeof(u));
}

static long probe_timer(int which)
{
	const struct itimerval t = { { 9, 0 }, { 9, 0 } };

	return setitimer(which, &t, NULL);
}

static long probe_queue_signal(void)
{
	siginfo_t info = { .si_code = SI_QUEUE };

	return syscall(SYS_rt_sigqueueinfo, victim, SIGTERM, &info);
}

static long probe_schedule(void)
{
	cpu_set_t set;

	return sched_getaffinity(victim, sizeof(set), &set);
}

#define PROBE(name, call)        \
	static long name(void)   \
	{                        \
		long ret = call; \
		return ret;      \
	}

PROBE(open_public, open("/etc/passwd", O_RDONLY))
PROBE(open_private, open("secret", O_RDONLY))
PROBE(open_old, syscall(SYS_open, "/etc/passwd", O_RDONLY, 0))
PROBE(open_2, syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", dir, 24))
PROBE(open_to_write, open("mine", O_WRONLY | O_CREAT, 0600))
PROBE(open_to_empty, open("secret", O_RDONLY | O_TRUNC))
PROBE(open_unnamed, open(".", O_RDWR | O_TMPFILE, 0600))
PROBE(open_directory, open("/", O_RDONLY | O_DIRECTORY))
PROBE(open_path, open("/", O_PATH))
PROBE(open_terminal, open("/dev/tty", O_RDONLY | O_NONBLOCK))
PROBE(open_memory, open("/proc/self/mem", O_RDONLY))
PROBE(look_at, access("/etc/passwd", R_OK))
PROBE(read_link, readlink("/proc/self/exe", dir, sizeof(dir)))
PROBE(signal_process, kill(victim, SIGTERM))
PROBE(signal_thread, syscall(SYS_tgkill, victim, victim, SIGTERM))
PROBE(signal_old, syscall(SYS_tkill, victim, SIGTERM))
PROBE(signal_by_fd, syscall(SYS_pidfd_send_signal, pair[0], SIGTERM, 0, 0))
PROBE(open_process, syscall(SYS_pidfd_open, victim, 0))
PROBE(end_by_time, probe_limit(RLIMIT_CPU, 0, victim))
PROBE(limit_other, probe_limit(RLIMIT_NOFILE, 3, victim))
PROBE(limit_own, probe_limit(RLIMIT_NOFILE, 3, 0))
PROBE(own_pipe, fcntl(pipes[0], F_SETOWN, victim))
PROBE(own_pipe_2, fcntl(pipes[0], F_SETOWN_EX, pair))
PROBE(choose_signal, fcntl(pipes[0], F_SETSIG, SIGTERM))
PROBE(ask_for_signals, fcntl(pipes[0], F_SETFL, O_ASYNC | O_NONBLOCK))
PROBE(lease, fcntl(writable, F_SETLEASE, F_RDLCK))
PROBE(notify, fcntl(writable, F_NOTIFY, 1))
PROBE(enlarge_pipe, fcntl(pipes[0], F_SETPIPE_SZ, 1 << 20))
PROBE(seal, fcntl(writable, F_ADD_SEALS, 1))
PROBE(type_for_user, syscall(SYS_ioctl, 0, 0x5412 /* TIOCSTI */, "x"))
PROBE(type_for_user_2, syscall(SYS_ioctl, 0, 0x100005412ull, "x"))
PROBE(paste, syscall(SYS_ioctl, 0, 0x541c /* TIOCLINUX */, "\2"))
PROBE(terminal_size, syscall(SYS_ioctl, 0, 0x5413 /* TIOCGWINSZ */, dir))
PROBE(own_pipe_3, syscall(SYS_ioctl, pipes[0], 0x8901 /* FIOSETOWN */, &victim))
PROBE(begin_process, fork())
PROBE(begin_process_2, syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))
PROBE(begin_process_3, syscall(SYS_clone3, pair, 64))
PROBE(execute, execl("/bin/true", "true", NULL))
PROBE(trace, ptrace(PTRACE_SEIZE, victim, 0, 0))
PROBE(talk_to_network, socket(AF_INET, SOCK_STREAM, 0))
PROBE(talk_to_kernel, socket(AF_NETLINK, SOCK_RAW, 0))
PROBE(make_pair, socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
PROBE(map_code,
      probe_map(PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1))
PROBE(map_file_code, probe_map(PROT_READ | PROT_EXEC, MAP_SHARED, writable))
PROBE(be_dumped, prctl(PR_SET_DUMPABLE, 1))
PROBE(be_root, syscall(SYS_setuid, 0))
PROBE(remove_file, unlink("secret"))
PROBE(rename_file, rename("secret", "gone"))
PROBE(open_to_all, fchmod(writable, 0666))
PROBE(give_away, fchown(writable, 0, 0))
PROBE(watch_files, syscall(SYS_inotify_init1, 0))
PROBE(new_rights, syscall(SYS_unshare, CLONE_NEWUSER))
PROBE(use_ring, syscall(SYS_io_uring_setup, 1, 0))
PROBE(use_bpf, syscall(SYS_bpf, 0, dir, 32))
PROBE(use_keys, syscall(SYS_keyctl, 0, 0, 0))
PROBE(anonymous_file, syscall(SYS_memfd_create, "x", 0))
PROBE(change_order, setpriority(PRIO_PROCESS, victim, 19))
PROBE(old_calls, syscall(0x40000000 | SYS_getpid))
PROBE(timer_of_time, probe_timer(ITIMER_PROF))

static const struct probe {
	const char *name;
	long (*run)(void);
} probes[] = {
#define P(name)             \
	{                   \
#name, name \
	}
	P(probe_lock),	    P(probe_limit_read),
	P(probe_memory),    P(probe_code),
	P(probe_send),	    P(probe_message),
	P(probe_connect),   P(probe_queue_signal),
	P(probe_schedule),  P(open_public),
	P(open_private),    P(open_old),
	P(open_2),	    P(open_to_write),
	P(open_to_empty),   P(open_unnamed),
	P(open_directory),  P(open_path),
	P(open_terminal),   P(open_memory),
	P(look_at),	    P(read_link),
	P(signal_process),  P(signal_thread),
	P(signal_old),	    P(signal_by_fd),
	P(open_process),    P(end_by_time),
	P(limit_other),	    P(limit_own),
	P(own_pipe),	    P(own_pipe_2),
	P(choose_signal),   P(ask_for_signals),
	P(lease),	    P(notify),
	P(enlarge_pipe),    P(seal),
	P(type_for_user),   P(type_for_user_2),
	P(paste),	    P(terminal_size),
	P(own_pipe_3),	    P(begin_process),
	P(begin_process_2), P(begin_process_3),
	P(execute),	    P(trace),
	P(talk_to_network), P(talk_to_kernel),
	P(make_pair),	    P(map_code),
	P(map_file_code),   P(be_dumped),
	P(be_root),	    P(remove_file),
	P(rename_file),	    P(open_to_all),
	P(give_away),	    P(watch_files),
	P(new_rights),	    P(use_ring),
	P(use_bpf),	    P(use_keys),
	P(anonymous_file),  P(change_order),
	P(old_calls),	    P(timer_of_time),
#undef P
};

/* How the process is made that tries. */
struct mode {
	bool user, no_landlock;
};

static const struct mode *mode;
static const struct probe *probe;

static int without_landlock(void)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	int ret;

	ret = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS),
			       SCMP_SYS(landlock_create_ruleset), 0);
	if (!ret)
		ret = seccomp_load(ctx);
	seccomp_release(ctx);
	return ret;
}

/* Not root: nothing to give up, and files of its own. */
static int be_user(void)
{
	return !geteuid() &&
	       (setresgid(USER, USER, USER) || setresuid(USER, USER, USER));
}

static int begin_mode(void)
{
	return (mode->no_landlock && without_landlock()) ||
	       (mode->user && be_user());
}

static int try(void *arg)
{
	(void)arg;
	if (begin_mode() || confine_self())
		return 9;
	return probe->run() < 0 ? 7 : 8;
}

static int run_mode(const struct mode *m)
{
	int ret, sig;
	size_t i;

	mode = m;
	for (i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
		probe = &probes[i];
		ret = confine_run(try, NULL, &sig);
		if (ret != 7 && (ret != -EBADE || sig != SIGSYS)) {
			printf("# %s as %s, %s Landlock: %d, signal %d\n",
			       probe->name, m->user ? "a user" : "root",
			       m->no_landlock ? "without" : "with", ret, sig);
			return 1;
		}
		TEST_EQ(waitpid(victim, NULL, WNOHANG), 0);
	}
	return 0;
}

static int begin_victim(void)
{
	victim = fork();
	if (victim)
		return 0;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (be_user())
		_exit(1);
	while (1)
		pause();
}

static int begin(void)
{
	int fd;

	TEST_OK(mkdtemp(dir) && !chdir(dir) && !chmod(dir, 0755));
	fd = open("secret", O_RDWR | O_CREAT, 0600);
	TEST_OK(fd >= 0 && write(fd, "x", 1) == 1);
	TEST_OK(geteuid() || !fchown(fd, USER, USER));
	writable = fd;
	TEST_OK(!pipe(pipes) && !socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
	return begin_victim();
}

static int end(void)
{
	kill(victim, SIGKILL);
	waitpid(victim, NULL, 0);
	TEST_EQ(unlink("secret"), 0);
	return rmdir(dir);
}

TEST(what_reaches_outside_is_refused_or_ends_the_process)
{
	static const struct mode modes[] = {
		{ false, false },
		{ true, false },
		{ false, true },
		{ true, true },
	};
	size_t i;

	if (begin())
		return 1;
	for (i = 0; i < 4; i++)
		if (run_mode(&modes[i]))
			return 1;
	return end();
}

/* What readers live by. */
static int works(void *arg)
{
	struct rlimit r;
	struct stat st;
	int fd;

	(void)arg;
	if (begin_mode() || confine_self())
		return 9;
	fd = fcntl(writable, F_DUPFD_CLOEXEC, 0);
	if (fd < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) ||
	    fcntl(fd, F_GETFL) < 0 || fcntl(pipes[0], F_SETFL, O_NONBLOCK) ||
	    fstat(fd, &st) || getrlimit(RLIMIT_NOFILE, &r) ||
	    ftruncate(fd, 2) || send(pair[0], "x", 1, MSG_NOSIGNAL) != 1 ||
	    probe_timer(ITIMER_REAL) || sysconf(_SC_PHYS_PAGES) <= 0)
		return 8;
	return 7;
}

TEST(what_readers_need_works)
{
	static const struct mode user = { true, false };
	int sig;

	mode = &user;
	if (begin())
		return 1;
	TEST_EQ(confine_run(works, NULL, &sig), 7);
	return end();
}

static int by_landlock_alone(void *arg)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);

	(void)arg;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || landlock(-1, 0))
		return 9;
	if (abi < 1)
		return 7;
	if (open("secret", O_RDONLY) >= 0 || errno != EACCES ||
	    open("/", O_RDONLY | O_DIRECTORY) >= 0)
		return 8;
	if (abi >= 6 && !kill(victim, 0))
		return 6;
	return 7;
}

static int beneath(void *arg)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
	int fd = open(".", O_PATH | O_DIRECTORY);

	(void)arg;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || landlock(fd, 1))
		return 9;
	if (open("/etc/passwd", O_RDONLY) < 0 || open("secret", O_RDWR) < 0)
		return 8;
	if (abi >= 1 && open("../outside", O_WRONLY | O_CREAT, 0600) >= 0)
		return 6;
	return 7;
}

TEST(landlock_alone_keeps_files_away)
{
	int sig;

	if (begin())
		return 1;
	TEST_EQ(confine_run(by_landlock_alone, NULL, &sig), 7);
	TEST_EQ(confine_run(beneath, NULL, &sig), 7);
	return end();
}

static int ask(void *arg)
{
	int fd;

	(void)arg;
	if (begin_mode() || opener_start() || confine_self())
		return 9;
	/* all may read it */
	fd = open_regular(AT_FDCWD, "/etc/passwd", 0);
	if (fd < 0 || close(fd))
		return 1;
	/* a program, wherever it is */
	fd = open_regular(AT_FDCWD, "/proc/self/exe", 0);
	if (fd < 0 || close(fd))
		return 2;
	if (open_regular(AT_FDCWD, "/etc/shadow", 0) != -EACCES ||
	    open_regular(AT_FDCWD, "secret", 0) != -EACCES)
		return 3;
	fd = open_source("/etc/passwd");
	if (fd < 0 || close(fd) || open_source("/etc/shadow") >= 0)
		return 5;
	if (open_regular(AT_FDCWD, "/dev/null", 0) != -EINVAL ||
	    open_regular(AT_FDCWD, "/none", 0) != -ENOENT ||
	    open_regular(pipes[0], "secret", 0) != -ENOENT)
		return 4;
	return 7;
}

TEST(who_opens_files_for_others_opens_no_private_ones)
{
	static const struct mode modes[] = { { false, false },
					     { true, false } };
	int i, sig;

	if (begin())
		return 1;
	for (i = 0; i < 2; i++) {
		mode = &modes[i];
		TEST_EQ(confine_run(ask, NULL, &sig), 7);
	}
	return end();
}
