// SPDX-License-Identifier: GPL-2.0-only
/*
 * Collecting bundles from guests that are silent, absent, garbled or without
 * an end: each costs its names within its time, and is named in the session.
 * The same again and again behind a program that does not wait for it.
 */

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test.h"
#include "format/session.h"
#include "format/session_writer.h"
#include "transport/collect.h"
#include "transport/import.h"
#include "transport/refresh.h"

#define PID    77
#define OTHER  78

#define SECOND 1000000000ull

static char base[64], socket_path[96];

static void begin(void)
{
	strcpy(base, "/tmp/vmmprof-test-XXXXXX");
	if (!mkdtemp(base) || chmod(base, 0755))
		abort();
	snprintf(socket_path, sizeof(socket_path), "%s/ga", base);
}

static void end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", base);
	if (system(command))
		abort();
}

/* base/proc/PID/status: who the QEMU is */
static void write_user(unsigned int pid, unsigned int uid)
{
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/%u/status", base, pid);
	f = fopen(path, "w");
	if (!f ||
	    fprintf(f, "Name:\tqemu\nUid:\t%u\t%u\t%u\t%u\n", uid, uid, uid,
		    uid) < 0 ||
	    fclose(f))
		abort();
}

/* base/proc/PID/cmdline of a QEMU whose agent is at socket_path */
static void write_cmdline(unsigned int pid, bool agent)
{
	char path[160], text[512];
	size_t i, n;
	FILE *f;

	snprintf(path, sizeof(path), "mkdir -p %s/proc/%u", base, pid);
	if (system(path))
		abort();
	n = snprintf(
		text, sizeof(text), "qemu-system-x86_64%s%s%s",
		agent ? "|-chardev|socket,path=/ga" : "",
		agent ? ",server=on,wait=off,id=c0|-device|" : "",
		agent ? "virtserialport,chardev=c0,name=org.qemu.guest_agent.0" :
			"");
	for (i = 0; i < n; i++)
		if (text[i] == '|')
			text[i] = '\0';
	snprintf(path, sizeof(path), "%s/proc/%u/cmdline", base, pid);
	f = fopen(path, "w");
	if (!f || fwrite(text, 1, n + 1, f) != n + 1 || fclose(f))
		abort();
	write_user(pid, getuid());
}

static void say(int fd, const char *text)
{
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
		_exit(0);
}

static void silence(int fd)
{
	(void)fd;
	pause();
}

static void garbage(int fd)
{
	for (;;)
		say(fd, "\xff\x1b[2J{\"return\": [[[[[[[[[[[[[[\n");
}

static void endless(int fd)
{
	for (;;)
		say(fd, "\xff{\"return\": 1111111111111111111111111");
}

static void hang_up(int fd)
{
	close(fd);
}

/* An agent: what it does with one connection. */
static pid_t serve(void (*agent)(int fd))
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	pid_t pid;

	strcpy(addr.sun_path, socket_path);
	if (bind(fd, (void *)&addr, sizeof(addr)) || listen(fd, 1))
		abort();
	pid = fork();
	if (!pid) {
		/* also of a test that fails on its way */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		agent(accept(fd, NULL, NULL));
		_exit(0);
	}
	close(fd);
	return pid;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/*
 * Collects from PID, and OTHER which has no agent; reads the session back.
 * took: seconds.
 */
static int collect(void (*agent)(int fd), struct session *s, double *took)
{
	static struct vm vms[2] = { { .pid = PID, .name = "web" },
				    { .pid = OTHER, .name = "db" } };
	struct session_writer w;
	struct collect c = {
		.root = base,
		.program = "/proc/self/exe",
		.allow = ~0u,
		.watch_limit = 10,
		/* four megabytes take their time on a busy machine */
		.begin_ns = agent == endless ? 10 * SECOND : SECOND,
		.end_ns = SECOND,
		.out = &w,
	};
	double start = seconds();
	char dir[96];
	pid_t pid, left;

	begin();
	write_cmdline(PID, true);
	write_cmdline(OTHER, false);
	pid = serve(agent);
	snprintf(dir, sizeof(dir), "%s/s", base);
	TEST_EQ(session_writer_create(dir, false, &w, NULL), 0);
	TEST_EQ(collect_open(&c), 0);
	TEST_EQ(collect_add(&c, &vms[0]), 0);
	TEST_EQ(collect_add(&c, &vms[1]), 0);
	TEST_EQ(collect_add(&c, &vms[1]), 0);
	TEST_EQ(c.nr, 2);
	collect_begin(&c);
	collect_end(&c);
	*took = seconds() - start;
	/* the agent at most, no process of collect's */
	left = waitpid(-1, NULL, WNOHANG);
	TEST_OK(left == 0 || left == pid);
	collect_deinit(&c);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	TEST_EQ(session_writer_close(&w, true), 0);
	TEST_EQ(session_open(s, dir), 0);
	TEST_EQ(s->nr_reach, 2);
	TEST_EQ(s->nr_guests, 0);
	TEST_EQ(s->reach[0]->pid, PID);
	TEST_EQ(s->reach[1]->pid, OTHER);
	TEST_EQ(s->reach[1]->how, VMMPROF_REACH_NONE);
	TEST_EQ(s->reach[1]->error, -ENOENT);
	TEST_OK(strstr(s->reach[1]->text, "org.qemu.guest_agent.0"));
	snprintf(dir, sizeof(dir), "%s/s/guests/web.bundle.part", base);
	TEST_OK(access(dir, F_OK));
	end();
	return 0;
}

/* error: expected; text: a part of what is said. */
static int check(void (*agent)(int fd), int error, const char *text,
		 double longest)
{
	struct session s;
	const char *p;
	double took;

	if (collect(agent, &s, &took))
		return 1;
	TEST_EQ(s.reach[0]->how, VMMPROF_REACH_AGENT);
	TEST_EQ(s.reach[0]->error, error);
	TEST_OK(strstr(s.reach[0]->text, text));
	for (p = s.reach[0]->text; *p; p++)
		TEST_OK(*p >= ' ' && *p <= '~');
	TEST_OK(took < longest);
	session_close(&s);
	return 0;
}

TEST(silent_agent_costs_its_time_and_names)
{
	return check(silence, -ETIMEDOUT, "does not answer", 60);
}

TEST(agent_that_hangs_up_is_named)
{
	struct session s;
	double took;
	int error;

	if (collect(hang_up, &s, &took))
		return 1;
	/* found while writing or while reading: both name the socket */
	error = s.reach[0]->error;
	TEST_OK(error == -EPIPE || error == -ECONNRESET);
	TEST_OK(strstr(s.reach[0]->text, "agent's socket"));
	TEST_OK(took < 60);
	session_close(&s);
	return 0;
}

TEST(garbage_ends)
{
	struct session s;
	double took;

	if (collect(garbage, &s, &took))
		return 1;
	TEST_OK(s.reach[0]->error < 0);
	TEST_OK(took < 60);
	session_close(&s);
	return 0;
}

TEST(answer_without_end_is_refused)
{
	return check(endless, -EFBIG, "no end", 20);
}

static int new_session(struct session_writer *w)
{
	char dir[96];

	begin();
	snprintf(dir, sizeof(dir), "%s/s", base);
	return session_writer_create(dir, false, w, NULL);
}

TEST(only_a_bundle_is_taken)
{
	struct vmmprof_file_hdr hdr = { .kind = VMMPROF_FILE_MAPS };
	struct session_writer w;
	int fd;

	memcpy(hdr.magic, VMMPROF_MAGIC, sizeof(hdr.magic));
	TEST_EQ(new_session(&w), 0);
	TEST_EQ(session_writer_part(&w, "../x"), -EINVAL);
	fd = session_writer_part(&w, "a");
	TEST_OK(fd >= 0);
	TEST_EQ(write(fd, "#!/bin/sh and more than a header has", 36), 36);
	TEST_EQ(session_writer_take_part(&w, 1, "a", fd), -ENOEXEC);
	TEST_OK(faccessat(w.dirfd, "guests/a.bundle.part", F_OK, 0));
	TEST_OK(faccessat(w.dirfd, "guests/a.bundle", F_OK, 0));
	close(fd);
	fd = session_writer_part(&w, "a");
	TEST_EQ(write(fd, &hdr, sizeof(hdr)), sizeof(hdr));
	TEST_EQ(session_writer_take_part(&w, 1, "a", fd), 0);
	TEST_OK(!faccessat(w.dirfd, "guests/a.bundle", F_OK, 0));
	TEST_OK(faccessat(w.dirfd, "guests/a.bundle.part", F_OK, 0));
	close(fd);
	TEST_EQ(session_writer_close(&w, true), 0);
	end();
	return 0;
}

/* Of PID, and OTHER which has no agent: as vmmprof top has it. */
struct refreshed {
	struct refresh r;
	struct inventory inv;
	int notes;
	pid_t agent;
};

static void refresh_begin(struct refreshed *x, void (*agent)(int fd))
{
	int pair[2];

	begin();
	write_cmdline(PID, true);
	write_cmdline(OTHER, false);
	memset(x, 0, sizeof(*x));
	x->agent = serve(agent);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		abort();
	x->notes = pair[0];
	x->r.notes = pair[1];
	x->r.how = (struct collect){ .root = base,
				     .program = "/proc/self/exe",
				     .allow = ~0u,
				     .begin_ns = SECOND,
				     .end_ns = SECOND };
	inventory_init(&x->inv);
	if (!inventory_add_vm(&x->inv, PID, "web", 0) ||
	    !inventory_add_vm(&x->inv, OTHER, "db", 0) ||
	    refresh_guests(&x->r, &x->inv, NULL, NULL))
		abort();
}

static void refresh_end(struct refreshed *x)
{
	refresh_destroy(&x->r);
	inventory_deinit(&x->inv);
	kill(x->agent, SIGKILL);
	waitpid(x->agent, NULL, 0);
	close(x->notes);
	if (x->r.notes >= 0)
		close(x->r.notes);
	end();
}

/* The note of a pid, looking on meanwhile as if at @now_ns. */
static int wait_note(struct refreshed *x, uint64_t now_ns, uint32_t pid,
		     struct refresh_note *n)
{
	double until = seconds() + 20;
	int fd;

	while (seconds() < until) {
		refresh_run(&x->r, now_ns);
		if (refresh_take(x->notes, n, &fd) == 1 && n->pid == pid)
			return fd < 0 ? 0 : 1;
		usleep(10000);
	}
	return 1;
}

/* Until none runs, as if at @now_ns. */
static int wait_none(struct refreshed *x, uint64_t now_ns)
{
	double until = seconds() + 20;

	while (x->r.running && seconds() < until) {
		refresh_run(&x->r, now_ns);
		usleep(10000);
	}
	return x->r.running;
}

TEST(refresh_waits_for_nobody)
{
	struct refresh_note n;
	struct refreshed x;
	int fd;

	refresh_begin(&x, silence);
	x.r.how.end_ns = 3 * SECOND;
	refresh_run(&x.r, 5 * SECOND);
	/* had it waited, they would have ended */
	TEST_EQ(x.r.running, 2);
	/* both reasons come, the silent one's when its time is over */
	TEST_EQ(wait_note(&x, 5 * SECOND, OTHER, &n), 0);
	TEST_EQ(n.error, -ENOENT);
	TEST_OK(strstr(n.text, "org.qemu.guest_agent.0"));
	TEST_EQ(wait_note(&x, 5 * SECOND, PID, &n), 0);
	TEST_EQ(n.error, -ETIMEDOUT);
	TEST_EQ(n.how, VMMPROF_REACH_AGENT);
	TEST_OK(strstr(n.text, "does not answer"));
	TEST_EQ(wait_none(&x, 5 * SECOND), 0);
	TEST_EQ(refresh_take(x.notes, &n, &fd), 0);
	close(x.r.notes);
	x.r.notes = -1;
	TEST_EQ(refresh_take(x.notes, &n, &fd), -EPIPE);
	refresh_end(&x);
	return 0;
}

TEST(refresh_asks_failures_later_and_later)
{
	uint64_t at = 5 * SECOND, wait = 10 * SECOND;
	struct refreshed x;
	int i;

	refresh_begin(&x, hang_up);
	for (i = 0; i < 7; i++) {
		refresh_run(&x.r, at);
		TEST_EQ(x.r.running, 2);
		TEST_EQ(wait_none(&x, at), 0);
		refresh_run(&x.r, at + wait - 1);
		TEST_EQ(x.r.running, 0);
		at += wait;
		wait = wait < 320 * SECOND ? 2 * wait : wait;
	}
	TEST_EQ(wait, 320 * SECOND);
	refresh_end(&x);
	return 0;
}

TEST(refresh_asks_soon_where_it_helps)
{
	struct refresh_guest *g;
	struct refreshed x;
	int i;

	refresh_begin(&x, silence);
	g = x.r.guests;
	for (i = 0; i < 2; i++)
		g[i].ended_ns = 100 * SECOND;
	/* a guest that is known is asked after a minute */
	refresh_want(&x.r, PID, 1000, 20);
	refresh_run(&x.r, 160 * SECOND - 1);
	TEST_EQ(x.r.running, 0);
	/* one whose samples have no owner after 10 s */
	refresh_want(&x.r, PID, 1000, 21);
	refresh_run(&x.r, 110 * SECOND - 1);
	TEST_EQ(x.r.running, 0);
	refresh_run(&x.r, 110 * SECOND);
	TEST_EQ(x.r.running, 1);
	TEST_OK(g[0].child && !g[1].child);
	refresh_destroy(&x.r);
	TEST_EQ(x.r.running, 0);
	/* what did not help is tried more rarely; what is dear, too */
	TEST_EQ(refresh_guests(&x.r, &x.inv, NULL, NULL), 0);
	g = x.r.guests;
	g[0] = (struct refresh_guest){
		.pid = PID, .ended_ns = SECOND, .wanted = true, .vain = 1
	};
	g[1] = (struct refresh_guest){ .pid = OTHER,
				       .ended_ns = SECOND,
				       .took_ns = 10 * SECOND };
	refresh_run(&x.r, 21 * SECOND - 1);
	TEST_EQ(x.r.running, 0);
	refresh_run(&x.r, 21 * SECOND);
	TEST_EQ(x.r.running, 1);
	refresh_run(&x.r, 201 * SECOND - 1);
	TEST_OK(!g[1].child);
	refresh_end(&x);
	return 0;
}

/* What is left of the time before a guest is asked again does not count. */
TEST(refresh_asks_at_once_for_code_that_is_new)
{
	struct refresh_code codes[40] = { 0 };
	struct refresh_guest *g;
	struct refresh_note n;
	struct refreshed x;
	int i;

	refresh_begin(&x, silence);
	g = x.r.guests;
	for (i = 0; i < 2; i++)
		g[i].ended_ns = 100 * SECOND;
	codes[0].pid = 1; /* whoever that is */
	codes[1] = (struct refresh_code){ .pid = PID, .serial = 3 };
	refresh_codes(&x.r, codes, 2);
	refresh_run(&x.r, 101 * SECOND);
	TEST_OK(g[0].child && !g[1].child);
	/* the note says what was asked for, even if nothing came */
	TEST_EQ(wait_note(&x, 101 * SECOND, PID, &n), 0);
	TEST_OK(n.error == -ETIMEDOUT && n.serial == 3);
	TEST_EQ(wait_none(&x, 101 * SECOND), 0);
	/* once is enough: the same again is as due as all else */
	refresh_codes(&x.r, codes, 2);
	refresh_run(&x.r, 102 * SECOND);
	TEST_EQ(x.r.running, 0);
	/* so does what comes to it while it is being asked; it is bounded */
	for (i = 0; i < 40; i++) {
		codes[i].pid = PID;
		codes[i].serial = 43 - i;
	}
	refresh_codes(&x.r, codes, 40);
	TEST_OK(g[0].code_due && g[0].nr_codes == 32 && g[0].serial == 43);
	refresh_run(&x.r, 103 * SECOND);
	TEST_OK(g[0].child && !g[0].code_due);
	codes[0].serial = 44;
	refresh_codes(&x.r, codes, 1);
	TEST_OK(g[0].code_due && g[0].nr_codes == 1);
	/* what nobody looks at any more is not fetched */
	refresh_codes(&x.r, codes, 0);
	TEST_EQ(g[0].nr_codes, 0);
	refresh_end(&x);
	return 0;
}

static bool skip_db(void *arg, const struct vm *vm)
{
	(void)arg;
	return vm->pid == OTHER;
}

TEST(refresh_ends_with_its_vm_and_with_its_caller)
{
	struct refreshed x;
	char command[128];
	pid_t child;

	refresh_begin(&x, silence);
	refresh_run(&x.r, SECOND);
	child = x.r.guests[0].child;
	TEST_OK(child > 0);
	snprintf(command, sizeof(command), "rm -r %s/proc/%u", base, PID);
	TEST_EQ(system(command), 0);
	TEST_EQ(refresh_guests(&x.r, &x.inv, NULL, NULL), 0);
	TEST_EQ(x.r.nr, 1);
	TEST_EQ(x.r.guests[0].pid, OTHER);
	/* killed and reaped */
	TEST_OK(kill(child, 0) && errno == ESRCH);
	refresh_destroy(&x.r);
	/* nobody is left but the agent */
	TEST_EQ(waitpid(-1, NULL, WNOHANG), 0);
	/* who is left out is not asked */
	TEST_EQ(refresh_guests(&x.r, &x.inv, skip_db, NULL), 0);
	TEST_EQ(x.r.nr, 0);
	refresh_end(&x);
	return 0;
}
