// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls from within, with what a process would pass that a guest has
 * taken over: each fails or ends it, and nobody else is hurt.  As root and as a
 * user, with Landlock and without.
 */

#include <fcntl.h>
#include <pthread.h>
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

#include "sandbox/confine.h"
#include "sandbox/landlock.h"
#include "test.h"

#define USER 54321

/* What the probes aim at: files of the user, and a process of the user. */
static char dir[] = "/tmp/confine.XXXXXX";
static pid_t victim;
static int pair[2], pipes[2], writable, cache;

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

/* What of it a client of the network may do (confine_network()). */
enum client {
	CLIENT_REFUSED,
	CLIENT_OWN, /* with files of the user, where there is no Landlock */
	CLIENT_MAY,
};

static const struct probe {
	const char *name;
	long (*run)(void);
	enum client client;
} probes[] = {
#define P(name, client)             \
	{                           \
#name, name, client \
	}
#define R(name) P(name, CLIENT_REFUSED)
#define O(name) P(name, CLIENT_OWN)
#define M(name) P(name, CLIENT_MAY)
	R(probe_lock),
	R(probe_limit_read),
	R(probe_memory),
	R(probe_code),
	R(probe_send),
	R(probe_connect),
	R(probe_queue_signal),
	R(open_2),
	R(signal_process),
	R(signal_thread),
	R(signal_old),
	R(signal_by_fd),
	R(open_process),
	R(end_by_time),
	R(limit_other),
	R(limit_own),
	R(own_pipe),
	R(own_pipe_2),
	R(choose_signal),
	R(ask_for_signals),
	R(lease),
	R(notify),
	R(enlarge_pipe),
	R(seal),
	R(type_for_user),
	R(type_for_user_2),
	R(paste),
	R(terminal_size),
	R(own_pipe_3),
	R(begin_process),
	R(begin_process_2),
	R(begin_process_3),
	R(execute),
	R(trace),
	R(be_dumped),
	R(be_root),
	R(give_away),
	R(watch_files),
	R(new_rights),
	R(use_ring),
	R(use_bpf),
	R(use_keys),
	R(change_order),
	R(old_calls),
	O(open_private),
	O(open_to_write),
	O(open_to_empty),
	O(open_unnamed),
	O(remove_file),
	O(rename_file),
	M(probe_message),
	M(probe_schedule),
	M(open_public),
	M(open_old),
	M(open_directory),
	M(open_path),
	M(open_terminal),
	M(open_memory),
	M(look_at),
	M(read_link),
	M(talk_to_network),
	M(talk_to_kernel),
	M(make_pair),
	M(map_code),
	M(map_file_code),
	M(anonymous_file),
	M(timer_of_time),
	M(open_to_all),
#undef P
#undef R
#undef O
#undef M
};

/* How the process is made that tries. */
struct mode {
	bool user, no_landlock, client;
};

static const struct mode *mode;
static const struct probe *probe;

static bool has_landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, 1) > 0;
}

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

static int give_up(void)
{
	return mode->client ? confine_network(cache, NULL, 0) : confine_self();
}

static int try(void *arg)
{
	(void)arg;
	if (begin_mode() || give_up())
		return 9;
	return probe->run() < 0 ? 7 : 8;
}

#define NR_PROBES (sizeof(probes) / sizeof(probes[0]))
#define FIRST	  100

static bool refuses(const struct probe *p)
{
	bool without = mode->no_landlock || !has_landlock();

	/* that one ends it */
	return p->run != old_calls &&
	       (p->client == CLIENT_REFUSED ||
		(p->client == CLIENT_OWN && !(mode->user && without)));
}

/* All in one process: they fail, and it lives on. */
static int try_as_client(void *arg)
{
	size_t i;

	(void)arg;
	if (begin_mode() || give_up())
		return 9;
	for (i = 0; i < NR_PROBES; i++)
		if (refuses(&probes[i]) && probes[i].run() >= 0)
			return FIRST + i;
	return 7;
}

static int wrong(const char *name, int ret, int sig)
{
	printf("# %s as %s%s, %s Landlock: %d, signal %d\n", name,
	       mode->client ? "a client, " : "", mode->user ? "a user" : "root",
	       mode->no_landlock ? "without" : "with", ret, sig);
	return 1;
}

static int run_client(void)
{
	int sig, ret = confine_run_until(try_as_client, NULL, NULL, UINT64_MAX,
					 &sig);

	if (ret != 7)
		return wrong(ret >= FIRST ? probes[ret - FIRST].name : "all",
			     ret, sig);
	TEST_EQ(waitpid(victim, NULL, WNOHANG), 0);
	return 0;
}

static int run_mode(const struct mode *m)
{
	int ret, sig;
	size_t i;

	mode = m;
	if (m->client && run_client())
		return 1;
	for (i = 0; i < NR_PROBES; i++) {
		probe = &probes[i];
		if (m->client && probe->run != old_calls)
			continue;
		ret = confine_run_until(try, NULL, NULL, UINT64_MAX, &sig);
		if (ret != 7 && (ret != -EBADE || sig != SIGSYS))
			return wrong(probe->name, ret, sig);
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
	TEST_OK(!mkdir("cache", 0700));
	cache = open("cache", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	TEST_OK(cache >= 0 && !fchmod(cache, 0777));
	return begin_victim();
}

static int end(void)
{
	kill(victim, SIGKILL);
	waitpid(victim, NULL, 0);
	TEST_EQ(unlink("secret"), 0);
	TEST_EQ(rmdir("cache"), 0);
	close(cache);
	return rmdir(dir);
}

TEST(what_reaches_outside_is_refused_or_ends_the_process)
{
	struct mode m;
	int i;

	if (begin())
		return 1;
	for (i = 0; i < 8; i++) {
		m = (struct mode){ i & 1, i & 2, i & 4 };
		/* where there is none anyhow: once */
		if (m.no_landlock && !has_landlock())
			continue;
		if (run_mode(&m))
			return 1;
	}
	return end();
}

static void *thread(void *arg)
{
	*(bool *)arg = true;
	return NULL;
}

/* What libraries of the network live by. */
static int client_works(void *arg)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
	bool ran = false;
	pthread_t t;

	(void)arg;
	if (begin_mode() || fchdir(cache) || give_up())
		return 9;
	if (open("f.new", O_RDWR | O_CREAT | O_EXCL, 0600) < 0 ||
	    rename("f.new", "f") || mkdir("d", 0700) || rmdir("d") ||
	    open("f", O_RDONLY) < 0 || unlink("f"))
		return 8;
	if (open("/etc/passwd", O_RDONLY) < 0 ||
	    open("/etc/shadow", O_RDONLY) >= 0 ||
	    (abi >= 1 && !mode->no_landlock &&
	     (open("/proc/self/status", O_RDONLY) >= 0 ||
	      symlink("/etc/passwd", "f") >= 0 ||
	      open("../f", O_WRONLY | O_CREAT, 0600) >= 0)))
		return 6;
	if (socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK, 0) < 0 &&
	    errno != EAFNOSUPPORT)
		return 5;
	if (socket(AF_PACKET, SOCK_RAW, 0) >= 0 ||
	    socket(AF_NETLINK, SOCK_RAW, 16 /* NETLINK_GENERIC */) >= 0)
		return 4;
	if (pthread_create(&t, NULL, thread, &ran) || pthread_join(t, NULL) ||
	    !ran)
		return 3;
	return 7;
}

TEST(what_clients_of_the_network_need_works_and_no_more)
{
	struct mode m;
	int i, sig;

	if (begin())
		return 1;
	mode = &m;
	for (i = 0; i < 4; i++) {
		m = (struct mode){ i & 1, i & 2, true };
		TEST_EQ(confine_run_until(client_works, NULL, NULL, UINT64_MAX,
					  &sig),
			7);
	}
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
	static const struct mode user = { .user = true };
	int sig;

	mode = &user;
	if (begin())
		return 1;
	TEST_EQ(confine_run_until(works, NULL, NULL, UINT64_MAX, &sig), 7);
	return end();
}

static int by_landlock_alone(void *arg)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
	const struct landlock_may none = { .dir = -1 };

	(void)arg;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || landlock(&none))
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
	const struct landlock_may may = { .dir = fd, .read_all = true };

	(void)arg;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || landlock(&may))
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
	TEST_EQ(confine_run_until(by_landlock_alone, NULL, NULL, UINT64_MAX,
				  &sig),
		7);
	TEST_EQ(confine_run_until(beneath, NULL, NULL, UINT64_MAX, &sig), 7);
	return end();
}
