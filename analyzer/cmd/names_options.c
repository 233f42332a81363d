// SPDX-License-Identifier: GPL-2.0-only
/* Where debug files are, by options and by the environment. */

#include <stdlib.h>
#include <string.h>

#include "cmd/names_options.h"
#include "sym/debug_path.h"

#define ENVIRONMENT "VMMPROF_DEBUG_DIR"

static bool take(void *to, const char *verb, char *arg)
{
	(void)to;
	if (debug_path_add(arg))
		return true;
	return option_wrong(verb, "more than %u --debug-dir", DEBUG_PATH_DIRS);
}

const struct option_spec names_options[] = {
	{ 0, "debug-dir", "DIR",
	  "look for debug files below DIR/.build-id, too, before $" ENVIRONMENT
	  " and " DEBUG_PATH_SYSTEM,
	  OPTION_OTHER, .take = take, .value = VALUE_FILE, .repeats = true },
	{ 0 },
};

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

void names_begin(struct analysis *a)
{
	static bool begun;

	if (!begun)
		take_environment();
	begun = true;
	a->resolver.debug.on = true;
	a->resolver.debug.problems = &a->session.problems;
}
