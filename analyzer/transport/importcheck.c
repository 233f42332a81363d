// SPDX-License-Identifier: GPL-2.0-only
/* The reader of bundles, tried out where it can do no harm. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect.h"
#include "data/bundle.h"
#include "host/confine.h"
#include "importcheck.h"

#define MEMORY	(4 * VMMPROF_BUNDLE_MAX)
#define SECONDS 30

enum { IS_BUNDLE, IS_NONE, TOO_LARGE, NOT_CONFINED };

/* Sanitizers map terabytes. */
static void set_limits(void)
{
	const struct rlimit cpu = { SECONDS, SECONDS };
#ifndef __SANITIZE_ADDRESS__
	const struct rlimit memory = { MEMORY, MEMORY };

	setrlimit(RLIMIT_AS, &memory);
#endif
	setrlimit(RLIMIT_CPU, &cpu);
}

/*
 * A descriptor that only reads the file fd, and no other one: the recorder has
 * the session open for writing, and the device.
 */
static int only_reading(int fd)
{
	char path[32];
	int ret;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = open(path, O_RDONLY | O_CLOEXEC);
	if (ret < 0)
		return -errno;
	if ((ret && close_range(0, ret - 1, 0)) || close_range(ret + 1, ~0U, 0))
		return -errno;
	return ret;
}

static int check(void *arg)
{
	struct vmmprof_problems problems = { 0 };
	int fd = only_reading(*(int *)arg), ret;
	struct vmmprof_bundle b;

	set_limits();
	if (fd < 0 || vmmprof_confine())
		return NOT_CONFINED;
	ret = vmmprof_bundle_init(&b, fd, "bundle", &problems);
	if (ret == -ENOMEM)
		return TOO_LARGE;
	return ret ? IS_NONE : IS_BUNDLE;
}

int vmmprof_import_check(int fd)
{
	static const int errors[] = { [IS_BUNDLE] = 0,
				      [IS_NONE] = -ENOEXEC,
				      [TOO_LARGE] = -EFBIG,
				      [NOT_CONFINED] = -EPERM };
	int sig, ret = vmmprof_confine_run(check, &fd, &sig);

	if (ret == -EINTR)
		return sig == SIGXCPU || sig == SIGKILL ? -EFBIG : -EBADE;
	if (ret < 0)
		return ret;
	return ret < 4 ? errors[ret] : -EBADE;
}
