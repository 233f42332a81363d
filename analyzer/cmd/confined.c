// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process in which sessions are read.  Builds with AddressSanitizer, whose
 * leak checker is a process that traces another one, go without.
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cmd.h"
#include "confined.h"
#include "terminal.h"
#include "../data/preopen.h"
#include "../data/saturate.h"
#include "../host/confine.h"
#include "../host/limits.h"
#include "../sym/demangle.h"

#ifdef __SANITIZE_ADDRESS__
#define CONFINES 0
#else
#define CONFINES 1
#endif

struct verb_call {
	int (*run)(int argc, char **argv);
	int argc;
	char **argv;
};

static int call(void *arg)
{
	const struct verb_call *v = arg;
	int ret = v->run(v->argc, v->argv);

	if (vmmprof_saturated)
		fprintf(stderr, "%s: warning: %s\n", v->argv[0],
			VMMPROF_SATURATED_TEXT);
	return ret;
}

int vmmprof_confined(int (*run)(int argc, char **argv), int argc, char **argv)
{
	struct verb_call v = { run, argc, argv };
	int sig, ret;

	if (!CONFINES)
		return call(&v);
	ret = vmmprof_confine_run_served(call, &v, vmmprof_terminal_serve,
					 &sig);
	if (ret == -EINTR) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	if (ret == -EBADE)
		fprintf(stderr,
			"%s: the process that reads the session was stopped: %s\n"
			"This is a bug, or a guest's bundle is an attack that failed. Please report it with\n"
			"the session; without the folder guests/ the rest of it can be read.\n",
			argv[0], strsignal(sig));
	else if (ret < 0)
		fprintf(stderr, "%s: cannot start a process: %s\n", argv[0],
			strerror(-ret));
	return ret < 0 ? VMMPROF_EXIT_ERROR : ret;
}

/* One open file for each CPU, twice: hosts have more than the usual 1024. */
static void raise_file_limit(void)
{
	struct rlimit r;

	if (!getrlimit(RLIMIT_NOFILE, &r) && r.rlim_cur < r.rlim_max) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

static int open_all(const char *dir,
		    const struct vmmprof_bundle_option *options,
		    size_t nr_options)
{
	int ret;
	size_t i;

	raise_file_limit();
	ret = vmmprof_preopen_session(dir);
	for (i = 0; i < nr_options && !ret; i++)
		ret = vmmprof_preopen_file(options[i].file);
	return ret;
}

bool vmmprof_confined_also(const char *verb, const char *dir,
			   const struct vmmprof_bundle_option *options,
			   size_t nr_options)
{
	int ret = open_all(dir, options, nr_options);

	if (ret)
		fprintf(stderr, "vmmprof %s: %s\n", verb, strerror(-ret));
	return !ret;
}

bool vmmprof_confined_begin(const char *verb, const char *dir,
			    const struct vmmprof_bundle_option *options,
			    size_t nr_options)
{
	/* first: demanglers have these limits, too */
	int ret = vmmprof_limits_set(vmmprof_limits_memory(), 0);

	if (!ret)
		ret = open_all(dir, options, nr_options);
	if (!ret && CONFINES) {
		vmmprof_demangle_prepare(vmmprof_confine);
		ret = vmmprof_confine();
	}
	if (ret)
		fprintf(stderr,
			"vmmprof %s: cannot give up its rights before it reads what guests wrote: %s\n"
			"It needs seccomp (CONFIG_SECCOMP_FILTER); a session can be read on another machine.\n",
			verb, strerror(-ret));
	return !ret;
}
