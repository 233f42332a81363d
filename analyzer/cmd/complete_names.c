// SPDX-License-Identifier: GPL-2.0-only
/* Names for completion: of files, and of what a session or this host has. */

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/complete.h"
#include "cmd/confined.h"
#include "cmd/load.h"
#include "host/discover.h"
#include "view/entries.h"
#include "base/sort.h"
#include "model/pass.h"

#define SECONDS_MAX   5 /* of CPU time */
#define FUNCTIONS_MAX 200

static void offer_file(const struct completion *c, int dir, const char *folder,
		       const char *name, bool sessions)
{
	char path[8192], info[512];
	struct stat st;
	bool is_dir;

	if (fstatat(dir, name, &st, 0))
		return;
	is_dir = S_ISDIR(st.st_mode);
	if (sessions && !is_dir)
		return;
	snprintf(path, sizeof(path), "%s%s", folder, name);
	snprintf(info, sizeof(info), "%s/info", name);
	if (is_dir && (!sessions || fstatat(dir, info, &st, 0)))
		complete_offer(c, path, "/", "");
	else
		complete_offer(c, path, "", sessions ? "session" : "");
}

void complete_files(const struct completion *c, bool sessions)
{
	const char *prefix = c->word + c->head, *slash = strrchr(prefix, '/');
	const char *base = slash ? slash + 1 : prefix, *home = getenv("HOME");
	bool at_home = home && !strncmp(prefix, "~/", 2);
	char folder[4096], path[4096];
	struct dirent *e;
	DIR *d;

	snprintf(folder, sizeof(folder), "%.*s", (int)(base - prefix), prefix);
	snprintf(path, sizeof(path), "%s%s", at_home ? home : "",
		 at_home ? folder + 1 :
		 *folder ? folder :
			   ".");
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, base, strlen(base)) &&
		    (*e->d_name != '.' || *base == '.') &&
		    strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			offer_file(c, dirfd(d), folder, e->d_name, sessions);
	if (d)
		closedir(d);
}

/* The names that the reader is to offer. */
static struct {
	const struct completion *c;
	enum option_value value;
	const char *after, *dir;
} wanted;

static int by_samples(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->samples > y->samples ? -1 : x->samples < y->samples;
}

static void offer_functions(struct analysis *a)
{
	struct report r = report_of(wanted.dir, a);
	struct entries es = { 0 };
	bool *told = NULL; /* by id of the name */
	size_t i;

	if (!names_init(&r.names, a) && !entries_init(&es, &r))
		told = calloc(es.names.nr + 1, sizeof(*told));
	if (told)
		sort_array(es.entries, es.nr, sizeof(*es.entries), by_samples);
	for (i = 0; told && i < es.nr && i < FUNCTIONS_MAX; i++) {
		__u32 name = es.entries[i].function;

		if (es.entries[i].cause || name >= es.names.nr || told[name])
			continue;
		complete_offer(wanted.c, strings_get(&es.names, name), "", "");
		told[name] = true;
	}
	free(told);
	entries_deinit(&es);
	names_deinit(&r.names);
}

static int read_functions(void)
{
	static struct session_load load = { .verb = "--complete" };
	struct analysis a;
	int ret;

	load.dir = wanted.dir;
	ret = session_load(&load, &a);
	if (!ret && !analysis_run(&a, 0, NULL, NULL))
		offer_functions(&a);
	analysis_close(&a);
	return ret;
}

static int read_names(void)
{
	struct session s;
	size_t i;

	if (!confined_begin("--complete", wanted.dir, NULL, 0))
		return EXIT_ERROR;
	if (!session_open(&s, wanted.dir)) {
		for (i = 0; i < s.nr_vms && wanted.value == VALUE_GUEST; i++)
			complete_offer(wanted.c, s.vms[i]->name, wanted.after,
				       "guest");
		for (i = 0; i < VMMPROF_MAX_EVENTS; i++)
			if (s.events[i] && wanted.value == VALUE_EVENT)
				complete_offer(wanted.c,
					       session_event_name(&s, i), "",
					       "event");
	}
	session_close(&s);
	return EXIT_OK;
}

static int read_session(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return wanted.value == VALUE_FUNCTION ? read_functions() : read_names();
}

static void offer_host_guests(const struct completion *c, const char *after)
{
	struct discover_result found;
	struct inventory inv;
	unsigned int i;

	inventory_init(&inv);
	if (!discover("", 0, &inv, &found))
		for (i = 0; i < inv.nr; i++)
			complete_offer(c, inv.vms[i].name, after, "guest");
	inventory_deinit(&inv);
}

void complete_names(const struct completion *c, enum option_value value,
		    const char *after)
{
	const struct rlimit time = { SECONDS_MAX, SECONDS_MAX };
	static char name[] = "vmmprof";
	char *argv[] = { name, NULL };

	wanted.c = c;
	wanted.value = value;
	wanted.after = after;
	wanted.dir = c->dir;
	if (!c->dir && c->of_session && !access(DEFAULT_SESSION "/info", F_OK))
		wanted.dir = DEFAULT_SESSION;
	if (!wanted.dir && value == VALUE_GUEST)
		offer_host_guests(c, after);
	/* while completing, errors are not shown */
	if (!wanted.dir || !freopen("/dev/null", "w", stderr))
		return;
	setrlimit(RLIMIT_CPU, &time);
	confined(read_session, NULL, 1, argv);
}
