// SPDX-License-Identifier: GPL-2.0-only
/* The conversation with vmmprof-guest: honest peers and others. */

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <vmmprof/serve.h>

#include "fake_program.h"
#include "test.h"
#include "transport/guest_program.h"
#include "transport/stream_ops.h"

static const char *answers; /* what the guest says, whatever it is asked */
static size_t answers_size;
static bool hang_up;
static int want_code = -1;
static bool want_unwind;
static char heard[64]; /* the first bytes that the guest was told */

static void *guest(void *arg)
{
	int fd = *(int *)arg;
	size_t n = 0;
	char c;

	memset(heard, 0, sizeof(heard));
	if (write(fd, answers, answers_size) < 0)
		return NULL;
	if (hang_up)
		shutdown(fd, SHUT_WR);
	while (read(fd, &c, 1) > 0)
		if (n < sizeof(heard) - 1)
			heard[n++] = c;
	return NULL;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static struct channel c;
static FILE *bundle;

/* A whole conversation with a guest that says text; its last error. */
static int converse(const char *text, size_t size, bool then_hang_up)
{
	pthread_t thread;
	int pair[2], err;

	answers = text;
	answers_size = size;
	hang_up = then_hang_up;
	bundle = tmpfile();
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return 1;
	c = (struct channel){
		.fd = pair[0],
		.out = fileno(bundle),
		.max_bytes = 1000,
		.have = -1,
		.unwind = want_unwind,
		.watch_limit = 5,
		.deadline_ns = now_ns() + 300000000,
	};
	pthread_create(&thread, NULL, guest, &pair[1]);
	err = stream_hello(&c);
	if (!err)
		err = stream_watch(&c);
	if (!err)
		err = stream_fetch(&c);
	if (!err && want_code >= 0) {
		c.list = "1 2 3\n";
		c.list_size = 6;
		c.code = want_code;
		err = stream_code(&c);
	}
	close(pair[0]);
	pthread_join(thread, NULL);
	close(pair[1]);
	return err;
}

static int check(const char *text, int want, const char *words)
{
	int err = converse(text, strlen(text), true);

	fclose(bundle);
	TEST_EQ(err, want);
	TEST_OK(!words || strstr(c.text, words));
	return 0;
}

TEST(guest_that_keeps_to_it_gives_its_bundle)
{
	static const char text[] =
		"Welcome!\nVMMPROF 2\nready\nbundle 6\nab\ncd\n";
	char got[16] = "";

	TEST_EQ(converse(text, sizeof(text) - 1, false), 0);
	TEST_EQ(pread(c.out, got, sizeof(got), 0), 6);
	TEST_STR(got, "ab\ncd\n");
	TEST_STR(heard, "watch 5\nfetch\n");
	fclose(bundle);
	return 0;
}

TEST(guest_is_asked_for_unwind_tables)
{
	static const char text[] = "VMMPROF 2\nready\nbundle 2\nab";

	want_unwind = true;
	TEST_EQ(converse(text, sizeof(text) - 1, false), 0);
	fclose(bundle);
	TEST_STR(heard, "unwind\nwatch 5\nfetch\n");
	TEST_OK(!c.no_unwind);
	return 0;
}

/* One from before unwind tables: its bundle is taken without. */
TEST(guest_that_knows_no_unwind_tables_is_taken_without)
{
	static const char text[] = "VMMPROF 2\n" VMMPROF_SERVE_UNKNOWN
				   "\nready\nbundle 2\nab";
	static const char twice[] = "VMMPROF 2\n" VMMPROF_SERVE_UNKNOWN
				    "\n" VMMPROF_SERVE_UNKNOWN "\n";
	int err;

	want_unwind = true;
	TEST_EQ(converse(text, sizeof(text) - 1, false), 0);
	fclose(bundle);
	TEST_STR(heard, "unwind\nwatch 5\nfetch\n");
	TEST_OK(c.no_unwind);
	err = check(twice, -EREMOTEIO, "unknown command");
	want_unwind = false;
	/* to another command it is an error */
	return err ? err : check(text, -EREMOTEIO, "unknown command");
}

/* The same, and code is asked for; *got: what came. */
static int converse_code(const char *text, char got[16])
{
	FILE *code = tmpfile();
	int err;

	memset(got, 0, 16);
	want_code = fileno(code);
	err = converse(text, strlen(text), true);
	if (pread(want_code, got, 15, 0) != (ssize_t)c.code_size)
		strcpy(got, "wrong size");
	want_code = -1;
	fclose(code);
	fclose(bundle);
	return err;
}

TEST(guest_gives_code)
{
	char got[16];

	TEST_EQ(converse_code("VMMPROF 2\nready\nbundle 2\nabcode 5\nhello",
			      got),
		0);
	TEST_STR(got, "hello");
	TEST_EQ(converse_code("VMMPROF 2\nready\nbundle 2\naberror what?\n",
			      got),
		-EREMOTEIO);
	TEST_OK(strstr(c.text, "what?"));
	TEST_EQ(converse_code("VMMPROF 2\nready\nbundle 2\nabcode 9999999\n",
			      got),
		-EFBIG);
	TEST_EQ(converse_code("VMMPROF 2\nready\nbundle 2\nabcode x\n", got),
		-EBADMSG);
	TEST_STR(got, "");
	return 0;
}

TEST(guest_s_words_are_told)
{
	return check("error no directory\n", -EREMOTEIO, "no directory") ||
	       check("VMMPROF 2\nerror run as root\n", -EREMOTEIO,
		     "run as root") ||
	       check("VMMPROF 2\nready\nerror \033[2J\n", -EREMOTEIO, "?[2J") ||
	       check("VMMPROF 1\n", -EPROTONOSUPPORT, "version");
}

TEST(guest_that_lies_is_refused)
{
	return check("VMMPROF 2\nready\nbundle 1001\n", -EFBIG, "refused") ||
	       check("VMMPROF 2\nready\nbundle -1\n", -EBADMSG, "no size") ||
	       check("VMMPROF 2\nready\nbundle 0x5\n", -EBADMSG, "no size") ||
	       check("VMMPROF 2\nready\nbundle x\n", -EBADMSG, "no size") ||
	       check("VMMPROF 2\nready\nbundle 99999999999999999999999\n",
		     -EBADMSG, "no size") ||
	       check("VMMPROF 2\nready\nbundle 10\nabc", -EPIPE, "closed") ||
	       check("VMMPROF 2\nhello\n", -EBADMSG, "'hello'") ||
	       check("", -EPIPE, "closed");
}

TEST(guest_that_never_ends_a_line_is_refused)
{
	static char text[5000];

	memset(text, 'x', sizeof(text));
	TEST_EQ(converse(text, sizeof(text), true), -EFBIG);
	fclose(bundle);
	memset(text, '\n', sizeof(text));
	TEST_EQ(converse(text, sizeof(text), true), -EBADMSG);
	fclose(bundle);
	return 0;
}

TEST(silent_guest_costs_its_time)
{
	uint64_t start = now_ns();

	TEST_EQ(converse("VMMPROF 2\n", 10, false), -ETIMEDOUT);
	fclose(bundle);
	TEST_OK(now_ns() - start >= 290000000);
	return 0;
}

static int probe(const char *cmdline, size_t size)
{
	const struct target t = { .cmdline = cmdline,
				  .cmdline_size = size,
				  .name = "web" };

	memset(&c, 0, sizeof(c));
	c.target = &t;
	return transport_vsock.probe(&c);
}

#define PROBE(line) probe(line, sizeof(line))

TEST(vsock_is_found_on_qemu_s_command_line)
{
	TEST_EQ(PROBE("qemu\0-device\0vhost-vsock-pci,guest-cid=7"), 1);
	TEST_EQ(c.cid, 7);
	TEST_EQ(PROBE("qemu\0-device\0{\"driver\":\"vhost-vsock-pci\",\"guest-cid\":9}"),
		1);
	TEST_EQ(c.cid, 9);
	TEST_EQ(PROBE("qemu\0-device\0vhost-vsock-pci,guest-cid=2"), 0);
	TEST_EQ(PROBE("qemu\0-device\0virtio-net"), 0);
	TEST_OK(strstr(c.text, "no vsock device"));
	return 0;
}

TEST(ssh_takes_no_option_for_a_host)
{
	const struct target none = { .name = "web" },
			    option = { .name = "web",
				       .ssh = "-oProxyCommand=x" },
			    host = { .name = "web", .ssh = "root@web" };

	memset(&c, 0, sizeof(c));
	c.target = &none;
	TEST_EQ(transport_ssh.probe(&c), 0);
	TEST_OK(strstr(c.text, "--ssh NAME="));
	c.target = &option;
	TEST_EQ(transport_ssh.probe(&c), 0);
	c.target = &host;
	TEST_EQ(transport_ssh.probe(&c), 1);
	TEST_STR(c.address, "root@web");
	return 0;
}

/* What is told of a guest to which an ssh leads that does this. */
static int fetch_by_ssh(const char *script)
{
	const struct target target = { .name = "web", .ssh = "root@web" };
	struct guest_program program = { fileno(tmpfile()), -1 };
	struct fake_program ssh;
	int err;

	fake_program_begin(&ssh, "ssh", script);
	if (write(program.fd, "program", 7) != 7)
		abort();
	memset(&c, 0, sizeof(c));
	c.target = &target;
	c.guest_program = &program;
	c.have = -1;
	c.deadline_ns = now_ns() + 10000000000ull;
	err = transport_ssh.probe(&c) == 1 ? transport_ssh.open(&c) : -EINVAL;
	if (!err)
		err = transport_ssh.fetch(&c);
	transport_ssh.close(&c);
	fake_program_end(&ssh);
	return err;
}

TEST(ssh_s_warnings_are_no_reasons)
{
	TEST_EQ(fetch_by_ssh("echo 'Warning: host added' >&2\n"
			     "head -c 7 > /dev/null; echo VMMPROF 2\n"
			     "read line; echo error no room there\n"),
		-EREMOTEIO);
	TEST_STR(c.text, "vmmprof-guest failed there: no room there");
	TEST_EQ(fetch_by_ssh("echo 'Warning: host added' >&2\n"
			     "head -c 7 > /dev/null; echo VMMPROF 1\n"),
		-EPROTONOSUPPORT);
	TEST_OK(strstr(c.text, "of another version"));
	/* of a connection that ended they are what is known */
	TEST_EQ(fetch_by_ssh("echo 'Warning: host added' >&2\n"
			     "echo 'Permission denied.' >&2; exit 255\n"),
		-EPIPE);
	TEST_STR(c.text, "ssh root@web: Permission denied.");
	return 0;
}

/* As `vmmprof record` has its signals: it reads them. */
static void begin_ssh_and_end(struct guest_program *program)
{
	const struct target target = { .name = "web", .ssh = "root@web" };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	memset(&c, 0, sizeof(c));
	c.target = &target;
	c.guest_program = program;
	if (transport_ssh.probe(&c) != 1 || transport_ssh.open(&c))
		_exit(1);
	/* until it says something */
	_exit(read(c.fd, heard, 1) != 1);
}

TEST(ssh_ends_with_who_began_it)
{
	struct guest_program program = { fileno(tmpfile()), -1 };
	struct fake_program ssh;
	int i, status = -1;
	pid_t pid;

	fake_program_begin(&ssh, "ssh", "echo begun; exec sleep 30\n");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = fork();
	if (!pid)
		begin_ssh_and_end(&program);
	TEST_EQ(waitpid(pid, &status, 0), pid);
	TEST_EQ(status, 0);
	for (i = 0, pid = 0; i < 500 && !pid; i++) {
		pid = waitpid(-1, &status, WNOHANG);
		usleep(10000);
	}
	TEST_OK(pid > 0);
	TEST_EQ(WTERMSIG(status), SIGKILL);
	fake_program_end(&ssh);
	return 0;
}
