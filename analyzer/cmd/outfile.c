// SPDX-License-Identifier: GPL-2.0-only
/* Opening, emptying and closing of an output file. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "outfile.h"

static bool failed(const struct vmmprof_outfile *o, int err)
{
	fprintf(stderr, "vmmprof %s: %s: %s\n", o->verb,
		o->name ? o->name : "standard output", strerror(err));
	return false;
}

bool vmmprof_outfile_open(struct vmmprof_outfile *o, bool binary)
{
	int fd;

	if (!o->name) {
		o->out = stdout;
		if (!binary || !isatty(STDOUT_FILENO))
			return true;
		fprintf(stderr,
			"vmmprof %s: this format is not for a terminal: name a file with -o\n",
			o->verb);
		return false;
	}
	fd = open(o->name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return failed(o, errno);
	o->out = fdopen(fd, "w");
	if (o->out)
		return true;
	close(fd);
	return failed(o, ENOMEM);
}

int vmmprof_outfile_begin(struct vmmprof_outfile *o)
{
	struct stat st;

	if (!o->name || fstat(fileno(o->out), &st) || !S_ISREG(st.st_mode))
		return 0;
	return ftruncate(fileno(o->out), 0) ? -errno : 0;
}

int vmmprof_outfile_end(struct vmmprof_outfile *o, int err)
{
	if (!err && (fflush(o->out) || ferror(o->out)))
		err = errno ? -errno : -EIO;
	if (o->name && fclose(o->out) && !err)
		err = -errno;
	o->out = NULL;
	if (!err)
		return VMMPROF_EXIT_OK;
	failed(o, -err);
	return VMMPROF_EXIT_ERROR;
}
