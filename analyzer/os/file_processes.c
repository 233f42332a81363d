// SPDX-License-Identifier: GPL-2.0-only
/* Begins, watches and ends the opener and the parser. */

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

#include "os/file_opener.h"
#include "os/file_parser.h"
#include "os/file_processes.h"
#include "sandbox/helper.h"

/* Beside what it shares with us: sections of the largest file that is read. */
#define PARSER_MEMORY (1536ull << 20)

__u64 vmmprof_filestaff_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void close_pair(int *pair)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (pair[i] >= 0)
			close(pair[i]);
		pair[i] = -1;
	}
}

int vmmprof_filestaff_init(struct vmmprof_filestaff *s, size_t size)
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

		vmmprof_filestaff_deinit(s);
		return err;
	}
	s->ask = s->opener_ends[0];
	s->answer = s->parser_ends[0];
	return 0;
}

static void run_opener(void *arg)
{
	const struct vmmprof_filestaff *s = arg;

	munmap(s->memory, s->size);
	vmmprof_fileopener_run(VMMPROF_HELPER_A, VMMPROF_HELPER_B);
}

static void run_parser(void *arg)
{
	const struct vmmprof_fileparser *p = arg;

	vmmprof_helper_confine(p->size + PARSER_MEMORY);
	vmmprof_fileparser_run(p);
}

int vmmprof_filestaff_opener(struct vmmprof_filestaff *s)
{
	pid_t pid;

	if (s->opener.pid)
		return 0;
	pid = vmmprof_helper_begin(s->opener_ends[1], s->between[0], run_opener,
				   s);
	s->opener.pid = pid > 0 ? pid : 0;
	return pid < 0 ? pid : 0;
}

int vmmprof_filestaff_parser(struct vmmprof_filestaff *s, __u32 first,
			     const void *have, size_t nr_have)
{
	struct vmmprof_fileparser p = {
		.recorder = VMMPROF_HELPER_A,
		.opener = VMMPROF_HELPER_B,
		.first = first,
		.memory = s->memory,
		.size = s->size,
		.have = have,
		.nr_have = nr_have,
	};
	pid_t pid;

	if (s->parser.pid)
		return 0;
	pid = vmmprof_helper_begin(s->parser_ends[1], s->between[1], run_parser,
				   &p);
	s->parser.pid = pid > 0 ? pid : 0;
	s->cpu = 0;
	return pid < 0 ? pid : 0;
}

/* Those that were killed: gone by now? */
static void reap_ending(struct vmmprof_filestaff *s)
{
	unsigned int i;

	for (i = 0; i < VMMPROF_FILESTAFF_ENDING; i++)
		if (s->ending[i] && waitpid(s->ending[i], NULL, WNOHANG))
			s->ending[i] = 0;
}

static void end(struct vmmprof_filestaff *s,
		struct vmmprof_filestaff_process *p)
{
	unsigned int i;

	if (!p->pid)
		return;
	kill(p->pid, SIGKILL);
	reap_ending(s);
	for (i = 0; i < VMMPROF_FILESTAFF_ENDING; i++) {
		if (s->ending[i])
			continue;
		s->ending[i] = p->pid;
		break;
	}
	p->pid = 0;
	p->signal = SIGKILL;
}

void vmmprof_filestaff_end_opener(struct vmmprof_filestaff *s)
{
	end(s, &s->opener);
}

void vmmprof_filestaff_end_parser(struct vmmprof_filestaff *s)
{
	end(s, &s->parser);
}

static void reap(struct vmmprof_filestaff_process *p)
{
	int status;

	if (!p->pid || waitpid(p->pid, &status, WNOHANG) != p->pid)
		return;
	p->pid = 0;
	p->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void vmmprof_filestaff_reap(struct vmmprof_filestaff *s)
{
	reap(&s->opener);
	reap(&s->parser);
	reap_ending(s);
}

__u64 vmmprof_filestaff_cpu(struct vmmprof_filestaff *s)
{
	struct timespec t;
	clockid_t clock;

	if (s->parser.pid && !clock_getcpuclockid(s->parser.pid, &clock) &&
	    !clock_gettime(clock, &t))
		s->cpu = t.tv_sec * 1000000000ull + t.tv_nsec;
	return s->cpu;
}

void vmmprof_filestaff_wipe(struct vmmprof_filestaff *s, size_t size)
{
	const size_t page = 4096;

	if (size)
		madvise(s->memory, (size + page - 1) & ~(page - 1),
			MADV_REMOVE);
}

void vmmprof_filestaff_deinit(struct vmmprof_filestaff *s)
{
	const struct timespec wait = { .tv_nsec = 1000000 };
	int i, tries;
	bool left;

	vmmprof_filestaff_end_opener(s);
	vmmprof_filestaff_end_parser(s);
	/* nearly at once; one that a file system keeps is left to init */
	for (tries = 0, left = true; left && tries < 200; tries++) {
		reap_ending(s);
		for (i = 0, left = false; i < VMMPROF_FILESTAFF_ENDING; i++)
			left |= s->ending[i] != 0;
		if (left)
			nanosleep(&wait, NULL);
	}
	close_pair(s->opener_ends);
	close_pair(s->parser_ends);
	close_pair(s->between);
	munmap(s->memory, s->size);
}
