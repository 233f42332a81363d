// SPDX-License-Identifier: GPL-2.0-only
/* Files are opened before rights are given up: only the user may read some. */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/code_options.h"
#include "cmd/confined.h"
#include "cmd/std_pipes.h"
#include "format/preopen.h"

static bool add(void *to, const char *verb, char *arg)
{
	struct code_from *f = to;

	if (f->nr == CODE_FROM_MAX)
		return option_wrong(verb, "more than %u --code-from",
				    CODE_FROM_MAX);
	f->paths[f->nr++] = arg;
	return true;
}

const struct option_spec code_options[] = {
	{ 0, "code-from", "FILE",
	  "a program, library or vmlinux that ran, copied here, of a guest for example; known by its build-id",
	  OPTION_OTHER, .take = add, .value = VALUE_FILE, .repeats = true },
	{ 0, "debuginfod", "WHICH",
	  "ask the servers of $DEBUGINFOD_URLS for files that are not here: those of the host (default), all (those of guests, too), no",
	  OPTION_WORD, .at = offsetof(struct code_from, asks),
	  .words = "host all no" },
	{ 0 },
};

/* Only for root's own session, because another one may name any address. */
static void open_kernel(struct code_from *f, const char *dir)
{
	if (!geteuid() && preopen_is_roots(dir))
		f->has_kernel = !kernel_text_start(&f->kernel, NULL);
}

bool code_from_open(struct code_from *f, const char *verb, const char *dir)
{
	int fd, ret = 0;
	size_t i;

	if (!confined_also(verb, dir, NULL, 0))
		return false;
	open_kernel(f, dir);
	for (i = 0; i < f->nr && !ret; i++) {
		ret = preopen_file(f->paths[i]);
		if (!ret && preopen_find(AT_FDCWD, f->paths[i], &fd)) {
			ret = fd < 0 ? fd : 0;
			io_close(&fd);
		}
		if (ret)
			fprintf(stderr, "vmmprof %s: %s: %s\n", verb,
				f->paths[i], strerror(-ret));
	}
	return !ret;
}

/* Runs in the broker. */
static void tell(const char *what, long bytes, long of)
{
	if (!what)
		fputs("\r\033[K", stderr);
	else if (of)
		fprintf(stderr,
			"\rdebuginfod: %s, %ld of %ld MiB (Ctrl-C ends)\033[K",
			what, bytes >> 20, of >> 20);
	else
		fprintf(stderr,
			"\rdebuginfod: %s, waiting for a server (Ctrl-C ends)\033[K",
			what);
}

void code_from_server(struct code_from *f, int seconds, bool tells)
{
	if (f->asks == ASKS_NO)
		return;
	f->server.guests = f->asks == ASKS_ALL;
	tells = tells && terminal_is(STDERR_FILENO);
	f->server.none = debuginfod_start(&f->server.broker, seconds,
					  tells ? tell : NULL);
	f->asked = &f->server;
}

void code_from_end(struct code_from *f)
{
	if (f->asked)
		debuginfod_end(&f->server.broker);
	f->asked = NULL;
	if (f->has_kernel)
		kernel_text_end(&f->kernel);
	f->has_kernel = false;
}
