// SPDX-License-Identifier: GPL-2.0-only
/* A thread for each pipe copies, with splice(2) if that is possible. */

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "sandbox/confine.h"
#include "cmd/std_pipes.h"

#define BUFFER	      (64 << 10)
#define PIPE_SIZE     (256 << 10)

#define COLUMNS	      80
#define LEAST_COLUMNS 40
#define MOST_COLUMNS  1000

static struct {
	bool looked, is[3], utf8;
	unsigned int columns;
} terminals;

void terminal_look(void)
{
	struct winsize size;
	int i;

	for (i = 0; i < 3; i++)
		terminals.is[i] = isatty(i);
	terminals.columns = COLUMNS;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		terminals.columns = size.ws_col;
	if (terminals.columns < LEAST_COLUMNS)
		terminals.columns = LEAST_COLUMNS;
	if (terminals.columns > MOST_COLUMNS)
		terminals.columns = MOST_COLUMNS;
	setlocale(LC_CTYPE, "");
	terminals.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	terminals.looked = true;
}

unsigned int terminal_columns(void)
{
	if (!terminals.looked)
		terminal_look();
	return terminals.columns;
}

bool terminal_utf8(void)
{
	if (!terminals.looked)
		terminal_look();
	return terminals.utf8;
}

bool terminal_is(int fd)
{
	return terminals.looked ? terminals.is[fd] : isatty(fd);
}

/* A pipe must not get a number from 0 to 2 that the caller had closed. */
static int fill_standard(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY);
		if (fd < 0)
			return -errno;
	} while (fd < 3);
	close(fd);
	return 0;
}

static bool is_one_file(void)
{
	struct stat a, b;

	return !fstat(STDOUT_FILENO, &a) && !fstat(STDERR_FILENO, &b) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int std_pipes_open(struct std_pipes *p)
{
	int i, fds[2], ret = fill_standard();

	memset(p, 0, sizeof(*p));
	p->one = is_one_file();
	for (i = 0; i < 2; i++) {
		p->pipe[i] = (struct stdpipe){ .from = -1,
					       .to = -1,
					       .out = 1 + i,
					       .filtered = terminal_is(1 + i) };
		if (ret || (i && p->one))
			continue;
		if (pipe2(fds, O_CLOEXEC)) {
			ret = -errno;
			continue;
		}
		p->pipe[i].from = fds[0];
		p->pipe[i].to = fds[1];
		fcntl(fds[1], F_SETPIPE_SZ, PIPE_SIZE);
	}
	if (ret)
		std_pipes_close(p, false);
	return ret;
}

int std_pipes_use(struct std_pipes *p)
{
	int i, ret = confine_stdio();

	for (i = 0; i < 2 && !ret; i++)
		if (dup2(p->pipe[p->one ? 0 : i].to, 1 + i) < 0)
			ret = -errno;
	for (i = 0; i < 2; i++) {
		io_close(&p->pipe[i].from);
		io_close(&p->pipe[i].to);
	}
	setvbuf(stdout, NULL, terminal_is(STDOUT_FILENO) ? _IOLBF : _IOFBF,
		BUFFER);
	return ret;
}

/* Copies one piece.  Its size; 0: the end; or -errno. */
static ssize_t copy_bytes(struct stdpipe *p)
{
	char buf[BUFFER], filtered[FILTERED_MAX(BUFFER)];
	ssize_t n = read(p->from, buf, sizeof(buf));
	int err;

	if (n < 0)
		return -errno;
	if (p->filtered)
		err = io_write(p->out, filtered,
			       terminal_filter(&p->filter, buf, n, filtered));
	else
		err = io_write(p->out, buf, n);
	return err ? err : n;
}

static void *copy(void *arg)
{
	struct stdpipe *p = arg;
	bool splices = !p->filtered;
	ssize_t n;

	do {
		n = -EINVAL;
		if (splices) {
			n = splice(p->from, NULL, p->out, NULL, PIPE_SIZE,
				   SPLICE_F_MOVE);
			if (n < 0)
				n = -errno;
		}
		/* splice() cannot write to terminals and append-only files */
		if (n == -EINVAL) {
			splices = false;
			n = copy_bytes(p);
		}
	} while (n > 0 || n == -EINTR);
	if (n < 0)
		p->error = -n;
	/* further writes into the pipe then fail */
	io_close(&p->from);
	return NULL;
}

int std_pipes_copy(struct std_pipes *p)
{
	sigset_t all, old;
	int i, ret = 0;

	/* the main thread takes signals; SIGPIPE is not wanted */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	for (i = 0; i < 2; i++) {
		io_close(&p->pipe[i].to);
		if (p->pipe[i].from < 0)
			continue;
		if (!ret)
			ret = -pthread_create(&p->pipe[i].thread, NULL, copy,
					      &p->pipe[i]);
		p->pipe[i].runs = !ret;
		if (!ret)
			continue;
		/* the writer gets EPIPE, because nobody reads */
		p->pipe[i].error = -ret;
		io_close(&p->pipe[i].from);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return ret;
}

int std_pipes_close(struct std_pipes *p, bool wait)
{
	int i;

	for (i = 0; i < 2; i++) {
		io_close(&p->pipe[i].to);
		if (p->pipe[i].runs && wait)
			pthread_join(p->pipe[i].thread, NULL);
		else if (!p->pipe[i].runs)
			io_close(&p->pipe[i].from);
		p->pipe[i].runs = false;
	}
	return -p->pipe[0].error;
}
