// SPDX-License-Identifier: GPL-2.0-only
/* Asks the opener and the parser, and handles their answers. */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "sandbox/fd_pass.h"
#include "os/file_broker.h"
#include "os/file_parser.h"
#include "os/file_processes.h"

#define OPEN_NS	  (5 * 1000000000ull) /* the opener may wait for a file */
#define HANGS_MAX 4		      /* that long; then a tenth of it */
#define JOBS_MAX  65536
#define PARSE_NS  (60 * 1000000000ull) /* the same of the parser */
#define ASK_MAX	  64		       /* at once: the socket holds more */
#define LOOK_MS	  20		       /* for what no socket reports */

enum state { QUEUED, ASKED, HELD, PARSING };

struct job {
	struct job *next;
	enum state state;
	__u32 seq, index;
	__u64 start, end, dev, ino;
	__u32 pid, generation;
	struct file_owner owner;
	char path[];
};

struct file_broker {
	const struct file_broker_config *cfg;
	struct file_processes staff;
	struct job *first, **last;
	struct job *parsing; /* one of them */
	unsigned int nr, asked, held, hangs;
	__u32 seq;
	__u64 heard_ns;	 /* the opener's last answer, or first question */
	__u64 parse_ns;	 /* when the parser began */
	__u64 parse_cpu; /* its CPU time then */
	bool hurry;	 /* somebody waits */
};

int file_broker_create(const struct file_broker_config *cfg,
		       struct file_broker **ret)
{
	struct file_broker *d = calloc(1, sizeof(*d));
	int err = d ? file_processes_init(&d->staff, cfg->memory) : -ENOMEM;

	if (err) {
		free(d);
		return err;
	}
	d->cfg = cfg;
	d->last = &d->first;
	*ret = d;
	return 0;
}

void file_broker_destroy(struct file_broker *d)
{
	struct job *j;

	if (!d)
		return;
	file_processes_deinit(&d->staff);
	while ((j = d->first)) {
		d->first = j->next;
		free(j);
	}
	free(d);
}

int file_broker_add(struct file_broker *d, const struct mmap_event *ev,
		    __u32 index)
{
	size_t len = strnlen(ev->path, FILE_PATH - 1);
	struct job *j;

	if (d->nr >= JOBS_MAX)
		return -ENOBUFS;
	j = calloc(1, sizeof(*j) + len + 1);
	if (!j)
		return -ENOMEM;
	j->seq = ++d->seq;
	j->index = index;
	j->start = ev->start;
	j->end = ev->end;
	j->dev = ev->dev;
	j->ino = ev->ino;
	j->generation = ev->generation;
	j->pid = ev->pid;
	memcpy(j->path, ev->path, len);
	*d->last = j;
	d->last = &j->next;
	d->nr++;
	return 0;
}

/* Removes the job; @say: the parser's answer, or NULL. */
static int finish(struct file_broker *d, struct job *j, int err,
		  const struct file_parsed *say)
{
	struct file_broker_answer a = {
		.index = j->index,
		.err = err,
		.opened = j->state == HELD || j->state == PARSING,
		.owner = j->owner,
		.memory = d->staff.memory,
	};
	struct job **p;
	int ret;

	d->asked -= j->state == ASKED;
	d->held -= j->state == HELD;
	if (j == d->parsing) {
		a.ns = file_processes_cpu(&d->staff) - d->parse_cpu;
		d->parsing = NULL;
	}
	if (say) {
		a.parsed = *say;
		a.err = say->err;
	}
	for (p = &d->first; *p != j; p = &(*p)->next)
		;
	*p = j->next;
	if (d->last == &j->next)
		d->last = p;
	d->nr--;
	free(j);
	ret = d->cfg->answer(d->cfg->arg, &a);
	if (say && !say->err && file_parser_size(say))
		file_processes_wipe(&d->staff, file_parser_size(say));
	return ret;
}

static struct job *find(struct file_broker *d, __u32 seq, enum state state)
{
	struct job *j;

	for (j = d->first; j; j = j->next)
		if (j->state == state && (!seq || j->seq == seq))
			return j;
	return NULL;
}

/* 1: sent; 0: not now. */
static int tell(struct file_broker *d, const struct job *j, __u32 what)
{
	struct file_ask ask = {
		.what = what,
		.seq = j->seq,
		.pid = j->pid,
		.generation = j->generation,
		.start = j->start,
		.end = j->end,
		.dev = j->dev,
		.ino = j->ino,
	};
	size_t size = FILE_ASK_HEAD;

	if (what == FILE_OPEN) {
		memcpy(ask.path, j->path, strlen(j->path) + 1);
		size += strlen(j->path) + 1;
	}
	return send(d->staff.ask, &ask, size, MSG_NOSIGNAL | MSG_DONTWAIT) ==
	       (ssize_t)size;
}

static int hear_opener(struct file_broker *d)
{
	struct file_opened say;
	int ret = 0;
	struct job *j;

	while (!ret && recv(d->staff.ask, &say, sizeof(say), MSG_DONTWAIT) ==
			       sizeof(say)) {
		j = find(d, say.seq, ASKED);
		if (!j)
			continue;
		d->heard_ns = clock_now();
		if (say.err < 0) {
			ret = finish(d, j, say.err, NULL);
			continue;
		}
		j->owner = say.owner;
		j->state = HELD;
		d->asked--;
		d->held++;
	}
	return ret;
}

static int hear_parser(struct file_broker *d)
{
	struct file_parsed say;
	int ret = 0;

	while (!ret && recv(d->staff.answer, &say, sizeof(say), MSG_DONTWAIT) ==
			       sizeof(say)) {
		if (!d->parsing || say.seq != d->parsing->seq)
			continue;
		if (file_parser_check(&say, d->staff.memory, d->staff.size)) {
			ret = finish(d, d->parsing, 0, &say);
		} else {
			ret = finish(d, d->parsing, -EBADE, NULL);
			file_processes_end_parser(&d->staff);
		}
	}
	return ret;
}

/*
 * The opener was replaced: the new one has no file open, and the parser may
 * wait for a file that the old one had not handed over.
 */
static void ask_again(struct file_broker *d)
{
	struct job *j;

	file_processes_end_opener(&d->staff);
	if (d->parsing)
		file_processes_end_parser(&d->staff);
	for (j = d->first; j; j = j->next)
		j->state = QUEUED;
	d->parsing = NULL;
	d->asked = 0;
	d->held = 0;
}

static __u64 may_open(const struct file_broker *d)
{
	return d->hangs < HANGS_MAX ? OPEN_NS : OPEN_NS / 10;
}

static int why_ended(const struct file_processes_process *p)
{
	/* it ends by itself only if it cannot be confined */
	if (!p->signal)
		return -EPERM;
	return p->signal == SIGKILL ? -ENOMEM : -EBADE;
}

/* Checks whether one of the two has ended or takes too long. */
static int look_after(struct file_broker *d)
{
	__u64 now = clock_now();
	struct job *j = find(d, 0, ASKED);
	bool late;
	int ret = 0;

	file_processes_reap(&d->staff);
	if (d->asked && !d->staff.opener.pid) {
		ask_again(d);
	} else if (d->asked && now - d->heard_ns > may_open(d)) {
		d->hangs++;
		ask_again(d);
		/* it opens files one after the other */
		ret = finish(d, j, -ETIMEDOUT, NULL);
	}
	if (ret || !d->parsing)
		return ret;
	if (!d->staff.parser.pid)
		return finish(d, d->parsing, why_ended(&d->staff.parser), NULL);
	late = now - d->parse_ns > PARSE_NS;
	if (!late &&
	    file_processes_cpu(&d->staff) - d->parse_cpu <= d->cfg->file_ns)
		return 0;
	ret = finish(d, d->parsing, -ETIMEDOUT, NULL);
	file_processes_end_parser(&d->staff);
	/* it may be waiting for the opener */
	if (late)
		ask_again(d);
	return ret;
}

/* Asks for as many files as may be open at a time. */
static int ask_opener(struct file_broker *d)
{
	struct job *j;
	int ret;

	while (d->asked < ASK_MAX && d->asked + d->held < FILE_HELD &&
	       (j = find(d, 0, QUEUED))) {
		ret = file_processes_opener(&d->staff);
		if (ret)
			return finish(d, j, ret, NULL);
		if (!tell(d, j, FILE_OPEN))
			break;
		if (!d->asked)
			d->heard_ns = clock_now();
		j->state = ASKED;
		d->asked++;
	}
	return 0;
}

static bool may_parse(const struct file_broker *d)
{
	return !d->parsing &&
	       (!d->cfg->sparing || d->hurry || d->held > FILE_HELD / 2);
}

/* Hands the next open file to the parser. */
static int ask_parser(struct file_broker *d)
{
	struct job *j;
	int ret = 0;

	while (!ret && may_parse(d) && (j = find(d, 0, HELD))) {
		ret = d->cfg->ask(d->cfg->arg, &j->owner);
		if (ret) {
			if (!tell(d, j, FILE_FORGET))
				return 0;
			ret = finish(d, j, ret, NULL);
			continue;
		}
		ret = file_processes_parser(&d->staff, j->seq, &d->cfg->have,
					    d->cfg->unwind);
		if (ret)
			return finish(d, j, ret, NULL);
		if (!tell(d, j, FILE_PARSE))
			return 0;
		j->state = PARSING;
		d->held--;
		d->parsing = j;
		d->parse_ns = clock_now();
		d->parse_cpu = file_processes_cpu(&d->staff);
	}
	return ret;
}

int file_broker_run(struct file_broker *d)
{
	int ret;

	if (!d->nr)
		return 0;
	ret = hear_opener(d);
	if (!ret)
		ret = hear_parser(d);
	if (!ret)
		ret = look_after(d);
	if (!ret)
		ret = ask_opener(d);
	return ret ? ret : ask_parser(d);
}

int file_broker_wait(struct file_broker *d, unsigned int ms)
{
	__u64 end = clock_now() + ms * 1000000ull;
	struct pollfd fds[2];
	int ret;

	d->hurry = true;
	ret = file_broker_run(d);
	file_broker_pollfds(d, fds, 2);
	while (!ret && d->nr && clock_now() < end) {
		poll(fds, 2, LOOK_MS);
		ret = file_broker_run(d);
	}
	d->hurry = false;
	return ret;
}

int file_broker_give_up(struct file_broker *d)
{
	int ret = 0;

	if (d->parsing)
		file_processes_end_parser(&d->staff);
	while (!ret && d->first)
		ret = finish(d, d->first, -ETIMEDOUT, NULL);
	return ret;
}

int file_broker_pollfds(const struct file_broker *d, struct pollfd *fds,
			int max)
{
	const int both[2] = { d->staff.ask, d->staff.answer };
	int i;

	for (i = 0; i < 2 && i < max; i++)
		fds[i] = (struct pollfd){ both[i], POLLIN, 0 };
	return 2;
}
