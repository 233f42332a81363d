// SPDX-License-Identifier: GPL-2.0-only
/* Where debug files are, by options and by the environment. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/names_options.h"
#include "sym/debug_path.h"

#define ENVIRONMENT "VMMPROF_DEBUG_DIR"

/* Of the option: directories that are none. */
static struct missing {
	const char *dir;
	int err;
} missing[DEBUG_PATH_DIRS];
static unsigned int nr_missing;

static bool take(void *to, const char *verb, char *arg)
{
	struct stat st;
	int err = stat(arg, &st) ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;

	(void)to;
	if (debug_path_add(arg)) {
		if (err)
			missing[nr_missing++] = (struct missing){ arg, err };
		return true;
	}
	return option_wrong(verb, "more than %u --debug-dir", DEBUG_PATH_DIRS);
}

const struct option_spec names_options[] = {
	{ 0, "debug-dir", "DIR",
	  "look for debug files below DIR/.build-id, too, before $" ENVIRONMENT
	  " and " DEBUG_PATH_SYSTEM,
	  OPTION_OTHER, .take = take, .value = VALUE_FILE, .repeats = true },
	{ 0 },
};

/* Of the verbs that ask for nothing but names. */
static struct code_from own = { .asks = ASKS_NO };
/* NULL: no server is asked */
static struct code_from *server;

static bool take_server(void *to, const char *verb, char *arg)
{
	int word = option_word(names_server_options, verb, "--debuginfod", arg,
			       strlen(arg));

	(void)to;
	if (word >= 0)
		own.asks = word;
	return word >= 0;
}

const struct option_spec names_server_options[] = {
	{ 0, "debuginfod", "WHICH",
	  "ask the servers of $DEBUGINFOD_URLS for the names of files that are not here: those of the host, all (those of guests, too), no (default)",
	  OPTION_OTHER, .take = take_server, .words = "host all no" },
	{ 0 },
};

void names_server(struct code_from *f)
{
	if (code_from_asks(f))
		server = f;
}

void names_server_begin(void)
{
	if (server || !code_from_asks(&own))
		return;
	code_from_server(&own, DEBUGINFOD_SECONDS, true);
	server = &own;
}

/* .fetch of struct debug_names. */
static int fetch(void *arg, const struct vmmprof_maps_file *item, bool guest,
		 char *name, size_t size)
{
	const struct code_from *f = arg;
	const struct code_id id = { f->asked, guest, item->build_id,
				    item->build_id_size };

	return code_server_get(&id, DEBUGINFOD_DEBUGINFO, name, size);
}

/* Directories with colons between, as of gdb's debug-file-directory. */
static void take_environment(void)
{
	const char *value = getenv(ENVIRONMENT);
	char *copy = value ? strdup(value) : NULL, *rest = copy, *dir;

	while (rest && (dir = strsep(&rest, ":")))
		if (*dir)
			debug_path_add(dir);
	/* the names stay in use */
}

static void tell_missing(struct problems *p)
{
	unsigned int i;

	for (i = 0; i < nr_missing; i++)
		problem(p, "--debug-dir: no names of '%s': %s", missing[i].dir,
			strerror(missing[i].err));
}

void names_begin(struct analysis *a)
{
	static bool begun;

	if (!begun) {
		take_environment();
		tell_missing(&a->session.problems);
	}
	begun = true;
	a->resolver.debug.on = true;
	a->resolver.debug.problems = &a->session.problems;
	if (!server)
		return;
	a->resolver.debug.fetch = fetch;
	a->resolver.debug.why = code_server_why;
	a->resolver.debug.fetch_arg = server;
}
