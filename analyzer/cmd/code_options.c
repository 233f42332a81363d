// SPDX-License-Identifier: GPL-2.0-only
/* Files that only the user may read are opened while the process may. */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/code_options.h"
#include "cmd/confined.h"
#include "cmd/std_pipes.h"
#include "format/preopen.h"

bool vmmprof_code_from_add(struct vmmprof_code_from *f, const char *verb,
			   const char *arg)
{
	if (f->nr == VMMPROF_CODE_FROM_MAX) {
		fprintf(stderr, "vmmprof %s: more than %u --code-from\n", verb,
			VMMPROF_CODE_FROM_MAX);
		return false;
	}
	f->paths[f->nr++] = arg;
	return true;
}

/* Whose session it is decides: any other may name any address. */
static void open_kernel(struct vmmprof_code_from *f, const char *dir)
{
	if (!geteuid() && vmmprof_preopen_is_roots(dir))
		f->has_kernel = !vmmprof_kernel_text_start(&f->kernel, NULL);
}

bool vmmprof_code_from_open(struct vmmprof_code_from *f, const char *verb,
			    const char *dir)
{
	int fd, ret = 0;
	size_t i;

	if (!vmmprof_confined_also(verb, dir, NULL, 0))
		return false;
	open_kernel(f, dir);
	for (i = 0; i < f->nr && !ret; i++) {
		ret = vmmprof_preopen_file(f->paths[i]);
		if (!ret && vmmprof_preopen_find(AT_FDCWD, f->paths[i], &fd)) {
			ret = fd < 0 ? fd : 0;
			if (fd >= 0)
				close(fd);
		}
		if (ret)
			fprintf(stderr, "vmmprof %s: %s: %s\n", verb,
				f->paths[i], strerror(-ret));
	}
	return !ret;
}

/* In the process that asks. */
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

bool vmmprof_code_from_which(struct vmmprof_code_from *f, const char *verb,
			     const char *arg)
{
	f->no_server = !strcmp(arg, "no");
	f->server.guests = !strcmp(arg, "all");
	if (f->no_server || f->server.guests || !strcmp(arg, "host"))
		return true;
	fprintf(stderr,
		"vmmprof %s: --debuginfod wants host, all or no, not '%s'\n",
		verb, arg);
	return false;
}

void vmmprof_code_from_server(struct vmmprof_code_from *f, int seconds,
			      bool tells)
{
	if (f->no_server)
		return;
	tells = tells && vmmprof_terminal_is(STDERR_FILENO);
	f->server.none = vmmprof_debuginfod_start(&f->server.desk, seconds,
						  tells ? tell : NULL);
	f->asked = &f->server;
}

void vmmprof_code_from_end(struct vmmprof_code_from *f)
{
	if (f->asked)
		vmmprof_debuginfod_end(&f->server.desk);
	f->asked = NULL;
	if (f->has_kernel)
		vmmprof_kernel_text_end(&f->kernel);
	f->has_kernel = false;
}
