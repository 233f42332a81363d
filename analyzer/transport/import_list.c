// SPDX-License-Identifier: GPL-2.0-only
/* A process without rights looks up files in a guest's bundle by build-id. */

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "sandbox/confine.h"
#include "transport/import.h"
#include "transport/import_internal.h"

#define SECONDS 30

struct import {
	int fd;
	const struct code_identity *what;
	size_t nr;
	struct said {
		uint32_t size;
		char list[CODE_LIST_MAX];
	} * said; /* in memory of both processes */
};

/* In the process without rights. */
static int run(void *arg)
{
	struct problems problems = { 0 };
	struct import *im = arg;
	struct bundle b;
	int ret;

	confine_files(0, &im->fd, 1);
	if (import_limits() || lseek(im->fd, 0, SEEK_SET) || confine_self())
		return IMPORT_NOT_CONFINED;
	ret = bundle_init(&b, im->fd, "bundle", &problems);
	if (ret)
		return ret == -ENOMEM ? IMPORT_TOO_LARGE : IMPORT_NONE;
	im->said->size = code_identity_list(&b, im->what, im->nr,
					    im->said->list);
	return IMPORT_DONE;
}

int import_list(int fd, const struct code_identity *what, size_t nr, char *list,
		struct error *e)
{
	static struct code_want wants[VMMPROF_CODE_RANGES];
	struct import im = { .fd = fd, .what = what, .nr = nr };
	uint32_t size;
	int ret;

	im.said = mmap(NULL, sizeof(*im.said), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (im.said == MAP_FAILED)
		return error_set(e, -ENOMEM, "no memory");
	ret = import_run(run, NULL, &im, clock_in(SECONDS), "bundle", e);
	/* taken only if it can be parsed as a list */
	if (!ret) {
		size = im.said->size;
		if (size <= CODE_LIST_MAX)
			memcpy(list, im.said->list, size);
		if (size > CODE_LIST_MAX ||
		    (size && code_list_parse(list, size, wants) < 0))
			ret = error_set(e, -EBADE, "the bundle is an attack");
		else
			ret = size;
	}
	munmap(im.said, sizeof(*im.said));
	return ret;
}
