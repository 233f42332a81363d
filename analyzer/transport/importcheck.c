// SPDX-License-Identifier: GPL-2.0-only
/* The reader of bundles, tried out where it can do no harm. */

#include <errno.h>
#include <signal.h>
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

static int check(void *arg)
{
	struct vmmprof_problems problems = { 0 };
	struct vmmprof_bundle b;
	int ret;

	set_limits();
	if (vmmprof_confine())
		return NOT_CONFINED;
	if (lseek(*(int *)arg, 0, SEEK_SET))
		return IS_NONE;
	ret = vmmprof_bundle_init(&b, *(int *)arg, "bundle", &problems);
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
