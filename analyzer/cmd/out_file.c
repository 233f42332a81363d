// SPDX-License-Identifier: GPL-2.0-only
/* Opening, emptying and closing of an output file. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/cmd.h"
#include "cmd/out_file.h"
#include "cmd/std_pipes.h"
#include "base/path_walk.h"

static bool failed(const struct out_file *o, int err)
{
	fprintf(stderr, "vmmprof %s: %s: %s\n", o->verb,
		o->name ? o->name : "standard output", path_walk_strerror(err));
	if (err == -VMMPROF_ELINK)
		fputs("Name the file where it is (realpath(1) prints that).\n",
		      stderr);
	return false;
}

/*
 * The user may name a file, a link of the user's own, or /dev/stdout.  A link
 * that somebody else put there is refused, because it may lead to any file that
 * the user can write.
 */
static int open_own(const char *path)
{
	return path_open(path, step_own, O_WRONLY | O_CREAT, 0666);
}

bool out_file_open(struct out_file *o, bool binary)
{
	int fd;

	if (!o->name) {
		o->out = stdout;
		if (!binary || !terminal_is(STDOUT_FILENO))
			return true;
		fprintf(stderr,
			"vmmprof %s: this format is not for a terminal: name a file with -o\n",
			o->verb);
		return false;
	}
	fd = open_own(o->name);
	if (fd < 0)
		return failed(o, fd);
	o->out = fdopen(fd, "w");
	if (o->out)
		return true;
	close(fd);
	return failed(o, -ENOMEM);
}

int out_file_begin(struct out_file *o)
{
	struct stat st;

	if (!o->name || fstat(fileno(o->out), &st) || !S_ISREG(st.st_mode))
		return 0;
	return ftruncate(fileno(o->out), 0) ? -errno : 0;
}

int out_file_end(struct out_file *o, int err)
{
	if (!err)
		err = io_flush(o->out);
	if (o->name && fclose(o->out) && !err)
		err = -errno;
	o->out = NULL;
	if (!err)
		return EXIT_OK;
	failed(o, err);
	return EXIT_ERROR;
}
