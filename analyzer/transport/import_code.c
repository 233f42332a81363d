// SPDX-License-Identifier: GPL-2.0-only
/* A process without rights appends code that a guest sent to its bundle. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "format/code_merge.h"
#include "sandbox/confine.h"
#include "transport/import.h"
#include "transport/import_internal.h"
#include "transport/transport.h"

#define SECONDS 30

struct import {
	int fd, code;
	uint64_t size;
	struct code_merge_stat *stat; /* in memory of both processes */
};

/* In the process without rights. */
static int merge(struct import *im, void *buf)
{
	int ret;

	if (pread(im->code, buf, im->size, 0) != (ssize_t)im->size)
		return IMPORT_NONE;
	ret = code_merge(im->fd, buf, im->size, im->stat);
	return !ret	       ? IMPORT_DONE :
	       ret == -ENOEXEC ? IMPORT_NONE :
				 IMPORT_TOO_LARGE;
}

static int run(void *arg)
{
	struct import *im = arg;
	void *buf;
	int ret;

	confine_files(0, (int[]){ im->fd, im->code }, 2);
	if (import_limits() || confine_self())
		return IMPORT_NOT_CONFINED;
	buf = malloc(im->size + 1);
	ret = buf ? merge(im, buf) : IMPORT_TOO_LARGE;
	free(buf);
	return ret;
}

int import_code(int fd, int code, uint64_t size, struct code_merge_stat *stat,
		struct error *e)
{
	struct import im = { .fd = fd, .code = code, .size = size };
	int ret;

	memset(stat, 0, sizeof(*stat));
	if (size > CODE_FILE_MAX)
		return error_set(e, -EFBIG, "the code is too large");
	im.stat = mmap(NULL, sizeof(*im.stat), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (im.stat == MAP_FAILED)
		return error_set(e, -ENOMEM, "no memory");
	ret = import_run(run, NULL, &im, clock_in(SECONDS), "code", e);
	/* only plausible results are taken */
	if (!ret && im.stat->ranges <= VMMPROF_CODE_RANGES &&
	    im.stat->bytes <= VMMPROF_CODE_TOTAL)
		*stat = *im.stat;
	munmap(im.stat, sizeof(*im.stat));
	return ret;
}
