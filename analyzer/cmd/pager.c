// SPDX-License-Identifier: GPL-2.0-only
/* The pager of the process that the user started. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/pager.h"
#include "cmd/std_pipes.h"
#include "view/color.h"

/* Outputs that are no text for a terminal. */
#define NO_TEXT "no-pager tui json csv html svg perfetto help"

static pid_t pager = -1;

bool pager_runs(void)
{
	return pager > 0;
}

/* May the shell's rules change a command of these characters? */
static bool is_plain(const char *command)
{
	return !strpbrk(command, "|&;<>()$`\\\"' \t\n*?[#~=%");
}

/* Is a program of that name in PATH? */
static bool is_there(const char *name)
{
	const char *path = getenv("PATH"), *end;
	char file[4096];
	int n;

	if (strchr(name, '/'))
		return !access(name, X_OK);
	for (; path && *path; path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		n = snprintf(file, sizeof(file), "%.*s/%s", (int)(end - path),
			     path, name);
		if (n < (int)sizeof(file) && *path == '/' &&
		    !access(file, X_OK))
			return true;
	}
	return false;
}

/* The command, NULL: none is wanted, or there is none. */
static const char *choose_pager(const char *verb)
{
	const char *command = getenv("VMMPROF_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		return is_there("less") ? "less" : NULL;
	if (!*command || !strcmp(command, "cat"))
		return NULL;
	if (!is_plain(command) || is_there(command))
		return command;
	fprintf(stderr, "%s: there is no pager '%s' in PATH\n", verb, command);
	return NULL;
}

/*
 * less leaves what fits on the screen there, shows our colours and does not
 * fold lines.  As root it runs no other programs and writes no files, unless
 * the user says LESSSECURE= something else.
 */
static void set_environment(void)
{
	setenv("LESS", "FRSX", 0);
	setenv("LV", "-c", 0);
	if (!geteuid())
		setenv("LESSSECURE", "1", 0);
}

/* Runs @command with @in as its input.  0 or -errno. */
static int run_pager(const char *command, int in)
{
	char *const argv[] = { "sh", "-c", (char *)command, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t defaults;
	int err;

	sigemptyset(&defaults);
	sigaddset(&defaults, SIGXFSZ);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	err = posix_spawn(&pager, "/bin/sh", &files, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	if (err)
		pager = -1;
	return -err;
}

bool pager_start(const struct options *o, int argc, char **argv)
{
	const char *command;
	int fds[2];

	if (!options_have(o, "no-pager") || !terminal_is(STDOUT_FILENO) ||
	    options_given(o, argc, argv, NO_TEXT))
		return false;
	command = choose_pager(argv[0]);
	if (!command)
		return false;
	/* numbers above 2: the standard ones are there, a terminal is one */
	if (pipe2(fds, O_CLOEXEC))
		return false;
	set_environment();
	if (!run_pager(command, fds[0])) {
		dup2(fds[1], STDOUT_FILENO);
		if (terminal_is(STDERR_FILENO))
			dup2(fds[1], STDERR_FILENO);
	}
	io_close(&fds[0]);
	io_close(&fds[1]);
	return pager_runs();
}

void pager_end(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, intr, quit;
	int null;

	if (!pager_runs())
		return;
	fflush(NULL);
	/* the pager takes Ctrl-C for itself */
	sigaction(SIGINT, &ignore, &intr);
	sigaction(SIGQUIT, &ignore, &quit);
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	dup2(null, STDOUT_FILENO);
	if (terminal_is(STDERR_FILENO))
		dup2(null, STDERR_FILENO);
	io_close(&null);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	pager = -1;
	sigaction(SIGINT, &intr, NULL);
	sigaction(SIGQUIT, &quit, NULL);
}

void page_colors(const struct page_options *o)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	color_use(o->color == COLOR_ALWAYS ||
		  (o->color == COLOR_AUTO && terminal_is(STDOUT_FILENO) &&
		   !(no && *no) && term && strcmp(term, "dumb")));
}

const struct option_spec page_options[] = {
	{ 0, "no-pager", NULL, "straight to the terminal", OPTION_FLAG,
	  .at = offsetof(struct page_options, no_pager) },
	{ 0, "color", "WHEN",
	  "colours: %s (default: auto, on a terminal without NO_COLOR)",
	  OPTION_WORD, .at = offsetof(struct page_options, color),
	  .words = "auto always never" },
	{ 0 },
};
