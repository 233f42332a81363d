// SPDX-License-Identifier: GPL-2.0-only
/* Which files of a guest's bundle code is asked of: looked up without rights. */

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/confine.h"
#include "transport/import.h"
#include "transport/import_run.h"

#define SECONDS 30

struct import {
	int fd;
	const struct vmmprof_codewhat *what;
	size_t nr;
	struct said {
		uint32_t size;
		char list[VMMPROF_CODELIST_MAX];
	} * said; /* in memory of both processes */
};

/* In the process without rights. */
static int run(void *arg)
{
	struct vmmprof_problems problems = { 0 };
	struct import *im = arg;
	struct vmmprof_bundle b;
	int ret;

	vmmprof_confine_files(0, &im->fd, 1);
	if (vmmprof_import_limits() || lseek(im->fd, 0, SEEK_SET) ||
	    vmmprof_confine())
		return VMMPROF_IMPORT_NOT_CONFINED;
	ret = vmmprof_bundle_init(&b, im->fd, "bundle", &problems);
	if (ret)
		return ret == -ENOMEM ? VMMPROF_IMPORT_TOO_LARGE :
					VMMPROF_IMPORT_NONE;
	im->said->size = vmmprof_codewhat_list(&b, im->what, im->nr,
					       im->said->list);
	return VMMPROF_IMPORT_DONE;
}

int vmmprof_import_list(int fd, const struct vmmprof_codewhat *what, size_t nr,
			char *list)
{
	static struct vmmprof_code_want wants[VMMPROF_CODE_RANGES];
	struct import im = { .fd = fd, .what = what, .nr = nr };
	struct timespec t;
	uint32_t size;
	int ret;

	im.said = mmap(NULL, sizeof(*im.said), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (im.said == MAP_FAILED)
		return -ENOMEM;
	clock_gettime(CLOCK_MONOTONIC, &t);
	ret = vmmprof_import_run(run, NULL, &im,
				 (t.tv_sec + SECONDS) * 1000000000ull +
					 t.tv_nsec);
	/* taken if it is a list */
	if (!ret) {
		size = im.said->size;
		ret = size;
		if (size > VMMPROF_CODELIST_MAX)
			ret = -EBADE;
		else
			memcpy(list, im.said->list, size);
		if (ret > 0 && vmmprof_codelist_parse(list, size, wants) < 0)
			ret = -EBADE;
	}
	munmap(im.said, sizeof(*im.said));
	return ret;
}
