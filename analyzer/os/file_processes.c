// SPDX-License-Identifier: GPL-2.0-only
/* Starts, watches and ends the opener and the parser. */

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "os/file_opener.h"
#include "os/file_parser.h"
#include "os/file_processes.h"
#include "sandbox/helper.h"

/* Memory in addition to the shared one: for sections of the largest file. */
#define PARSER_MEMORY (1536ull << 20)

static void close_pair(int *pair)
{
	int i;

	for (i = 0; i < 2; i++)
		io_close(&pair[i]);
}

int file_processes_init(struct file_processes *s, size_t size)
{
	const int type = SOCK_SEQPACKET | SOCK_CLOEXEC;

	memset(s, 0, sizeof(*s));
	memset(s->opener_ends, -1, sizeof(s->opener_ends));
	memset(s->parser_ends, -1, sizeof(s->parser_ends));
	memset(s->between, -1, sizeof(s->between));
	s->size = size;
	s->memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->memory == MAP_FAILED)
		return -errno;
	if (socketpair(AF_UNIX, type, 0, s->opener_ends) ||
	    socketpair(AF_UNIX, type, 0, s->parser_ends) ||
	    socketpair(AF_UNIX, type, 0, s->between)) {
		int err = -errno;

		file_processes_deinit(s);
		return err;
	}
	s->ask = s->opener_ends[0];
	s->answer = s->parser_ends[0];
	return 0;
}

static void run_opener(void *arg)
{
	const struct file_processes *s = arg;

	munmap(s->memory, s->size);
	file_opener_run(HELPER_A, HELPER_B);
}

static void run_parser(void *arg)
{
	const struct file_parser *p = arg;

	helper_confine(p->size + PARSER_MEMORY);
	file_parser_run(p);
}

int file_processes_opener(struct file_processes *s)
{
	pid_t pid;

	if (s->opener.pid)
		return 0;
	pid = helper_begin(s->opener_ends[1], s->between[0], run_opener, s);
	s->opener.pid = pid > 0 ? pid : 0;
	return pid < 0 ? pid : 0;
}

int file_processes_parser(struct file_processes *s, __u32 first,
			  const struct file_have *have, bool unwind)
{
	struct file_parser p = {
		.recorder = HELPER_A,
		.opener = HELPER_B,
		.first = first,
		.memory = s->memory,
		.size = s->size,
		.have = *have,
		.unwind = unwind,
	};
	pid_t pid;

	if (s->parser.pid)
		return 0;
	pid = helper_begin(s->parser_ends[1], s->between[1], run_parser, &p);
	s->parser.pid = pid > 0 ? pid : 0;
	s->cpu = 0;
	return pid < 0 ? pid : 0;
}

/* Reaps the killed processes that have ended. */
static void reap_ending(struct file_processes *s)
{
	unsigned int i;

	for (i = 0; i < FILESTAFF_ENDING; i++)
		if (s->ending[i] && waitpid(s->ending[i], NULL, WNOHANG))
			s->ending[i] = 0;
}

static void end(struct file_processes *s, struct file_processes_process *p)
{
	unsigned int i;

	if (!p->pid)
		return;
	kill(p->pid, SIGKILL);
	reap_ending(s);
	for (i = 0; i < FILESTAFF_ENDING; i++) {
		if (s->ending[i])
			continue;
		s->ending[i] = p->pid;
		break;
	}
	p->pid = 0;
	p->signal = SIGKILL;
}

/* The next one begins with empty sockets. */
void file_processes_end_opener(struct file_processes *s)
{
	char old;
	int i;

	end(s, &s->opener);
	for (i = 0; i < 2; i++)
		while (recv(s->opener_ends[i], &old, 1, MSG_DONTWAIT) > 0)
			;
}

void file_processes_end_parser(struct file_processes *s)
{
	end(s, &s->parser);
}

static void reap(struct file_processes_process *p)
{
	int status;

	if (!p->pid || waitpid(p->pid, &status, WNOHANG) != p->pid)
		return;
	p->pid = 0;
	p->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void file_processes_reap(struct file_processes *s)
{
	reap(&s->opener);
	reap(&s->parser);
	reap_ending(s);
}

__u64 file_processes_cpu(struct file_processes *s)
{
	clockid_t clock;
	__u64 now = 0;

	if (s->parser.pid && !clock_getcpuclockid(s->parser.pid, &clock))
		now = clock_ns(clock);
	if (now)
		s->cpu = now;
	return s->cpu;
}

void file_processes_wipe(struct file_processes *s, size_t size)
{
	const size_t page = 4096;

	if (size)
		madvise(s->memory, (size + page - 1) & ~(page - 1),
			MADV_REMOVE);
}

void file_processes_deinit(struct file_processes *s)
{
	const struct timespec wait = { .tv_nsec = 1000000 };
	int i, tries;
	bool left;

	file_processes_end_opener(s);
	file_processes_end_parser(s);
	/*
	 * they end nearly at once; one that is blocked in a file system is left
	 * to init
	 */
	for (tries = 0, left = true; left && tries < 200; tries++) {
		reap_ending(s);
		for (i = 0, left = false; i < FILESTAFF_ENDING; i++)
			left |= s->ending[i] != 0;
		if (left)
			nanosleep(&wait, NULL);
	}
	close_pair(s->opener_ends);
	close_pair(s->parser_ends);
	close_pair(s->between);
	munmap(s->memory, s->size);
}
