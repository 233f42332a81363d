// SPDX-License-Identifier: GPL-2.0-only
/*
 * collect ROOT PID PROGRAM DIR SECONDS [USER@HOST] [CACHE]: has the guest of one
 * VMM watch for that long (now: not at all) and fetches its bundle into the
 * session DIR; prints how it went.  CACHE: the directory of its symbol tables.  COLLECT_SECONDS of
 * the environment is the guest's time to begin and to end, else 60.
 * COLLECT_CODE: a command that prints a list of code for a bundle, its argument;
 * the guest is asked for that.  COLLECT_UNWIND: with unwind tables.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/session_writer.h"
#include "transport/collect.h"

static void get_code(struct collect *c, const char *command, const char *dir)
{
	static struct collect_list list;
	char line[512];
	FILE *f;

	snprintf(line, sizeof(line), "%s %s/guests/guest.bundle", command, dir);
	f = popen(line, "r");
	if (!f)
		exit(1);
	list.pid = c->guests[0].pid;
	list.size = fread(list.list, 1, sizeof(list.list), f);
	pclose(f);
	collect_code(c, &list, 1);
	printf("code=%d ranges=%u codebytes=%u codetext=%s\n",
	       c->guests[0].code_error, c->guests[0].got_code.ranges,
	       c->guests[0].got_code.bytes, c->guests[0].code_text);
}

/* How it went. */
static void say(const struct collect_guest *g)
{
	const struct symcache_merge_count *of;

	printf("error=%d watching=%d how=%u size=%llu\n", g->reach.error,
	       g->watching, g->reach.how, (unsigned long long)g->size);
	printf("sent=%llu received=%llu begin=%.3f end=%.3f text=%s\n",
	       (unsigned long long)g->reach.sent,
	       (unsigned long long)g->reach.received, g->reach.begin_ns / 1e9,
	       g->reach.end_ns / 1e9, g->text);
	printf("processes=%u files=%u with_symbols=%u kernel=%d notes=%u\n",
	       g->got.processes, g->got.files, g->got.with_symbols,
	       g->got.kernel, g->got.notes);
	of = &g->got.cache.of[SYMCACHE_SYMBOLS];
	printf("cached=%u stored=%u lost=%u\n", of->cached, of->stored,
	       of->lost);
	of = &g->got.cache.of[SYMCACHE_UNWIND];
	printf("unwind_cached=%u unwind_stored=%u unwind_lost=%u\n", of->cached,
	       of->stored, of->lost);
}

int main(int argc, char **argv)
{
	struct session_writer w;
	struct vm vm = { .name = "guest" };
	struct collect c = {
		.allow = ~0u,
		.watch_limit = 120,
		.out = &w,
	};
	struct collect_rule rule = { .name = "guest" };
	const char *seconds = getenv("COLLECT_SECONDS");
	const char *code = getenv("COLLECT_CODE");
	struct symcache cache;
	int i;

	if (argc < 6 || argc > 8)
		return 2;
	for (i = 6; i < argc; i++) {
		if (strchr(argv[i], '@')) {
			rule.ssh = argv[i];
			continue;
		}
		if (symcache_open(&cache, argv[i], true))
			return 1;
		c.cache = &cache;
	}
	c.begin_ns = (seconds ? atoi(seconds) : 60) * 1000000000ull;
	c.end_ns = c.begin_ns;
	c.rules = &rule;
	c.nr_rules = 1;
	c.root = argv[1];
	c.code = code;
	c.unwind = getenv("COLLECT_UNWIND");
	vm.pid = atoi(argv[2]);
	c.program = argv[3];
	if (session_writer_create(argv[4], false, &w, NULL) || collect_open(&c))
		return 1;
	c.at_once = !strcmp(argv[5], "now");
	collect_add(&c, &vm);
	if (c.at_once) {
		collect_at_once(&c);
	} else {
		collect_begin(&c);
		sleep(atoi(argv[5]));
		collect_end(&c);
	}
	if (code)
		get_code(&c, code, argv[4]);
	say(c.guests);
	collect_deinit(&c);
	if (c.cache)
		symcache_close(&cache);
	return session_writer_close(&w, true) ? 1 : 0;
}
