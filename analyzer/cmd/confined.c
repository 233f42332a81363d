// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process in which sessions are read.  Builds with AddressSanitizer do
 * without it, because the leak checker traces the program from another process.
 */

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/confined.h"
#include "cmd/pager.h"
#include "cmd/std_pipes.h"
#include "cmd/terminal.h"
#include "format/preopen.h"
#include "base/saturate.h"
#include "sandbox/confine.h"
#include "sandbox/limits.h"
#include "sandbox/opener.h"
#include "sym/demangle.h"

#ifdef __SANITIZE_ADDRESS__
#define CONFINES 0
#else
#define CONFINES 1
#endif

/*
 * Descriptors that this program inherited.  The command line may name one by a
 * path such as /dev/fd/9, so they stay open until all its files are opened.
 */
#define INHERITED_MAX 1024

#define KEPT_BLOCKS   (128 << 10) /* bytes: larger ones go when freed */

static struct {
	int fds[INHERITED_MAX];
	unsigned int nr;
} inherited;

static void find_inherited(void)
{
	int fd;

	for (fd = 3; fd < INHERITED_MAX; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			inherited.fds[inherited.nr++] = fd;
}

static void close_inherited(void)
{
	while (inherited.nr)
		close(inherited.fds[--inherited.nr]);
}

/*
 * CPU time of a reader, beside one second for each MiB: a hundred times of what
 * the slowest view of a session takes.
 */
#define READER_SECONDS 600

static bool endless;

void confined_endless(void)
{
	endless = true;
	/*
	 * A fixed bound: else the first large block that is freed makes the C
	 * library keep the next ones, so that what is read again and again (the
	 * host's maps) is kept twice.
	 */
	mallopt(M_MMAP_THRESHOLD, KEPT_BLOCKS);
}

static unsigned int reader_seconds(void)
{
	return READER_SECONDS + (preopen_bytes() >> 20);
}

struct verb_call {
	int (*run)(int argc, char **argv);
	int argc;
	char **argv;
	struct std_pipes pipes;
};

static int call(const struct verb_call *v)
{
	int ret = v->run(v->argc, v->argv);

	if (saturated)
		fprintf(stderr, "%s: warning: %s\n", v->argv[0],
			SATURATED_TEXT);
	return ret;
}

static int call_alone(void *arg)
{
	struct verb_call *v = arg;

	return std_pipes_use(&v->pipes) ? EXIT_ERROR : call(v);
}

/* Runs in the parent while the reader runs. */
static void serve(void *arg, int fd)
{
	struct verb_call *v = arg;

	std_pipes_copy(&v->pipes);
	terminal_serve(fd);
}

int confined_end_by(int sig)
{
	sigset_t set;

	pager_end();
	signal(sig, SIG_DFL);
	raise(sig);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return EXIT_ERROR;
}

/*
 * The output could not be written, which counts more than the reader's status.
 */
static int output_failed(const char *verb, int err)
{
	struct sigaction old;

	/* end as a program that writes to a closed pipe */
	if (err == -EPIPE && !sigaction(SIGPIPE, NULL, &old) &&
	    old.sa_handler != SIG_IGN)
		return confined_end_by(SIGPIPE);
	fprintf(stderr, "%s: %s\n", verb, strerror(-err));
	return EXIT_ERROR;
}

void confined_say_end(const char *verb, const char *what, int err, int sig,
		      const char *more)
{
	if (err == -EINTR && sig == SIGXCPU)
		fprintf(stderr,
			"%s: the process that reads %s was ended: more than %d s of CPU time, and one more for each MiB\n"
			"This is a bug, or it was made to take long. Please report it%s.\n",
			verb, what, READER_SECONDS, more);
	else if (err == -EINTR)
		fprintf(stderr,
			"%s: the process that reads %s was ended: %s\n"
			"If the machine had no memory left (dmesg tells), do it on a larger one.\n",
			verb, what, strsignal(sig));
	else if (err == -EBADE)
		fprintf(stderr,
			"%s: the process that reads %s was stopped: %s\n"
			"This is a bug, or a guest's bundle is an attack that failed. Please report it%s.\n",
			verb, what, strsignal(sig), more);
	else
		fprintf(stderr, "%s: cannot start a process: %s\n", verb,
			strerror(-err));
}

static int run_verb(int (*run)(int argc, char **argv), int argc, char **argv)
{
	/* threads that copy into its pipes may outlive this call */
	static struct verb_call v;
	int sig, ret, err = 0;

	v.run = run;
	v.argc = argc;
	v.argv = argv;
	if (!CONFINES)
		return call(&v);
	ret = std_pipes_open(&v.pipes);
	if (!ret) {
		ret = confine_run_served(call_alone, &v, serve, &sig);
		err = std_pipes_close(&v.pipes, ret != -EINTR);
	}
	/* the user has seen enough of it, and ended the pager */
	if (err == -EPIPE && pager_runs())
		return EXIT_OK;
	if (err && (err != -EPIPE || ret <= 0) &&
	    (ret != -EINTR || sig == SIGPIPE))
		return output_failed(argv[0], err);
	if (ret == -EINTR && sig != SIGKILL && sig != SIGXCPU)
		return confined_end_by(sig);
	if (ret >= 0)
		return ret;
	confined_say_end(
		argv[0], "the session", ret, sig,
		" with\nthe session; without the folder guests/ the rest of it can be read");
	return EXIT_ERROR;
}

int confined(int (*run)(int argc, char **argv), const struct options *options,
	     int argc, char **argv)
{
	int ret;

	if (CONFINES)
		find_inherited();
	terminal_look();
	if (options)
		pager_start(options, argc, argv);
	ret = run_verb(run, argc, argv);
	pager_end();
	return ret;
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

static int open_all(const char *dir, const struct bundle_option *options,
		    size_t nr_options)
{
	int ret;
	size_t i;

	raise_file_limit();
	ret = preopen_session(dir);
	for (i = 0; i < nr_options && !ret; i++)
		ret = preopen_file(options[i].file);
	return ret;
}

bool confined_also(const char *verb, const char *dir,
		   const struct bundle_option *options, size_t nr_options)
{
	int ret = open_all(dir, options, nr_options);

	if (ret)
		fprintf(stderr, "vmmprof %s: %s\n", verb, strerror(-ret));
	return !ret;
}

/* A demangler keeps only its socket. */
static int confine_demangler(int fd)
{
	int ret = confine_stdio();

	confine_files(3, &fd, 1);
	return ret ? ret : confine_self();
}

bool confined_begin(const char *verb, const char *dir,
		    const struct bundle_option *options, size_t nr_options)
{
	/* before other processes are started, which then have the limits, too */
	int ret = limits_set(limits_memory(), 0);

	if (!ret)
		ret = open_all(dir, options, nr_options);
	if (!ret && !endless)
		ret = limits_cpu(reader_seconds());
	close_inherited();
	if (!ret && CONFINES) {
		ret = opener_start();
		if (!ret) {
			demangle_prepare(confine_demangler);
			ret = confine_self();
		}
	}
	if (ret)
		fprintf(stderr,
			"vmmprof %s: cannot give up its rights before it reads what guests wrote: %s\n"
			"It needs seccomp (CONFIG_SECCOMP_FILTER); a session can be read on another machine.\n",
			verb, strerror(-ret));
	return !ret;
}
