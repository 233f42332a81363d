// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the guest's shell does of the scripts for its agent: an agent that runs
 * them on this machine.  vmmprof-guest is a copy of the shell, and so runs the
 * file `watch` beside it.
 */

#include <fcntl.h>
#include <jansson.h>
#include <resolv.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_program.h"
#include "test.h"
#include "base/clock.h"
#include "base/io.h"
#include "transport/agent_ops.h"
#include "transport/channel.h"
#include "transport/guest_program.h"

static const char *watcher; /* the file `watch` */
static char output[4096];
static int status_of_script;
static struct channel channel;
static struct guest_program program;
static struct agent_talk agent;

static json_t *exec(const json_t *args)
{
	const json_t *arg = json_object_get(args, "arg");
	const char *argv[7] = { "/bin/sh" };
	int out[2], status = -1;
	size_t i;
	pid_t pid;
	ssize_t n;

	for (i = 0; i < 5; i++)
		argv[i + 1] = json_string_value(json_array_get(arg, i));
	if (pipe2(out, O_CLOEXEC))
		return NULL;
	pid = fork();
	if (!pid) {
		dup2(out[1], STDOUT_FILENO);
		execv(argv[0], (char **)argv);
		_exit(127);
	}
	close(out[1]);
	n = io_read(out[0], output, sizeof(output) - 1);
	output[n > 0 ? n : 0] = '\0';
	close(out[0]);
	waitpid(pid, &status, 0);
	status_of_script = WEXITSTATUS(status);
	return json_pack("{s:i}", "pid", 5);
}

static json_t *exec_status(void)
{
	char text[2 * sizeof(output)];

	b64_ntop((const unsigned char *)output, strlen(output), text,
		 sizeof(text));
	return json_pack("{s:b, s:i, s:s}", "exited", 1, "exitcode",
			 status_of_script, "out-data", text);
}

/* The handle is the descriptor.  Beside the program there is `watch`. */
static json_t *file_open(const json_t *args)
{
	const char *path = json_string_value(json_object_get(args, "path"));
	const char *mode = json_string_value(json_object_get(args, "mode"));
	char beside[256];
	FILE *f;

	if (*mode == 'r')
		return json_integer(open(path, O_RDONLY | O_CLOEXEC));
	snprintf(beside, sizeof(beside), "%s/watch", agent.dir);
	f = fopen(beside, "w");
	fputs(watcher, f);
	fclose(f);
	return json_integer(
		open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_TRUNC, 0600));
}

static json_t *file_write(int fd, const json_t *args)
{
	const char *text = json_string_value(json_object_get(args, "buf-b64"));
	unsigned char *data = malloc(strlen(text) + 1);
	int n = b64_pton(text, data, strlen(text));

	n = write(fd, data, n);
	free(data);
	return json_pack("{s:i}", "count", n);
}

static json_t *file_read(int fd)
{
	unsigned char data[1024];
	ssize_t n = read(fd, data, sizeof(data));
	char text[2048];

	b64_ntop(data, n, text, sizeof(text));
	return json_pack("{s:s, s:b}", "buf-b64", text, "eof", n == 0);
}

static int ask(struct agent_talk *a, const char *request, char **reply)
{
	json_t *r = json_loads(request, 0, NULL), *ret;
	const json_t *args = json_object_get(r, "arguments");
	const char *what = json_string_value(json_object_get(r, "execute"));
	int fd = json_integer_value(json_object_get(args, "handle"));

	(void)a;
	if (!strcmp(what, "guest-exec"))
		ret = exec(args);
	else if (!strcmp(what, "guest-exec-status"))
		ret = exec_status();
	else if (!strcmp(what, "guest-file-open"))
		ret = file_open(args);
	else if (!strcmp(what, "guest-file-write"))
		ret = file_write(fd, args);
	else if (!strcmp(what, "guest-file-read"))
		ret = file_read(fd);
	else
		ret = close(fd) ? NULL : json_object();
	ret = json_pack("{s:o}", "return", ret);
	*reply = json_dumps(ret, 0);
	json_decref(ret);
	json_decref(r);
	return 0;
}

static int begin(const char *text)
{
	watcher = text;
	memset(&channel, 0, sizeof(channel));
	channel.deadline_ns = clock_in(30);
	channel.max_bytes = 1 << 20;
	channel.watch_limit = 60;
	channel.guest_program = &program;
	channel.have = -1;
	channel.out = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	memset(&agent, 0, sizeof(agent));
	agent.c = &channel;
	agent.ask = ask;
	agent.chunk = 65536;
	return guest_program_open(&program, "/bin/sh");
}

static void end(void)
{
	guest_program_close(&program);
	close(channel.out);
}

static bool arrived(const char *want)
{
	char got[64] = "";

	return pread(channel.out, got, sizeof(got) - 1, 0) >= 0 &&
	       !strcmp(got, want);
}

TEST(agent_scripts_stop_what_watches)
{
	TEST_EQ(begin("trap 'echo done > bundle; exit' TERM\n"
		      "echo ready; while :; do sleep 0.1; done\n"),
		0);
	TEST_EQ(agent_watch(&agent), 0);
	TEST_EQ(agent_fetch(&agent), 0);
	TEST_OK(arrived("done\n"));
	TEST_STR(agent.dir, "");
	end();
	return 0;
}

/* What begins to watch, and is another program then. */
static const char replaced[] =
	"echo begun > bundle; echo ready; exec sleep 20\n";

/* The watcher was killed, or the guest was started anew. */
TEST(agent_scripts_leave_a_process_alone_that_has_the_watcher_s_pid)
{
	pid_t other;

	TEST_EQ(begin(replaced), 0);
	TEST_EQ(agent_watch(&agent), 0);
	other = fork();
	if (!other) {
		pause();
		_exit(0);
	}
	snprintf(agent.pid, sizeof(agent.pid), "%d", other);
	TEST_EQ(agent_fetch(&agent), 0);
	TEST_OK(arrived("begun\n"));
	TEST_EQ(waitpid(other, NULL, WNOHANG), 0);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	end();
	return 0;
}

TEST(agent_scripts_say_that_the_guest_has_nothing_of_it)
{
	char text[128];

	TEST_EQ(begin(replaced), 0);
	TEST_EQ(agent_watch(&agent), 0);
	snprintf(text, sizeof(text), "rm -r %s", agent.dir);
	TEST_EQ(system(text), 0);
	TEST_EQ(agent_fetch(&agent), -EREMOTEIO);
	TEST_OK(strstr(channel.text, "is gone: was the guest started anew?"));
	end();
	return 0;
}

/* A watcher that takes longer than others, by a clock of turns of sleep. */
static const char slow[] =
	"turns() { while [ $(wc -l < \"$TURNS\") -lt $1 ]; do :; done; }\n"
	"trap 'turns 1100; echo done > bundle; exit' TERM\n"
	"echo begun > bundle; turns 400; echo ready; while :; do :; done\n";

/* `sleep 0.1` takes no time, and is counted. */
static void begin_turns(struct fake_program *p)
{
	char path[64];

	fake_program_begin(
		p, "sleep",
		"[ $1 = 5 ] && exec /bin/sleep 5\necho >> \"$TURNS\"\n");
	snprintf(path, sizeof(path), "%s/turns", p->dir);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	setenv("TURNS", path, 1);
}

TEST(agent_scripts_wait_as_long_as_the_host_does)
{
	struct fake_program sleeps;
	pid_t pid;

	begin_turns(&sleeps);
	TEST_EQ(begin(slow), 0);
	TEST_EQ(agent_watch(&agent), 0);
	pid = atoi(agent.pid);
	TEST_EQ(agent_fetch(&agent), 0);
	TEST_OK(arrived("done\n"));
	kill(pid, SIGKILL);
	end();
	fake_program_end(&sleeps);
	return 0;
}
