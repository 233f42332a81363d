// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof guests --cache`: lists and clears the cache of guests' symbols. */

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/cmd.h"
#include "cmd/guests_cache.h"
#include "symcache/evict.h"
#include "view/json.h"
#include "view/safe.h"

static void format_time(int64_t seconds, char *buf, size_t size)
{
	time_t t = seconds;
	struct tm tm;

	if (!t || !localtime_r(&t, &tm) ||
	    !strftime(buf, size, "%Y-%m-%d %H:%M:%S", &tm))
		snprintf(buf, size, "-");
}

static void print_text(const struct symcache_evict_guest *list, size_t nr)
{
	size_t i;

	printf("%-24s %7s %12s  %-19s  %s\n", "GUEST", "FILES", "BYTES",
	       "LAST USE", "IDENTITY");
	for (i = 0; i < nr; i++) {
		char name[4 * SYMCACHE_LABEL], when[32];

		safe_text(name, sizeof(name), list[i].name);
		format_time(list[i].used, when, sizeof(when));
		printf("%-24s %7" PRIu64 " %12" PRIu64 "  %-19s  %s\n", name,
		       list[i].files, list[i].bytes, when, list[i].id);
	}
}

static void put_used(struct json_out *j, int64_t seconds)
{
	if (seconds > 0 && seconds < INT64_MAX / 1000000000)
		json_out_u64(j, "used_ns", seconds * UINT64_C(1000000000));
	else
		json_out_null(j, "used_ns");
}

static void print_json(const struct symcache_evict_guest *list, size_t nr)
{
	struct json_out j;
	size_t i;

	json_out_begin(&j, stdout, "vmmprof-guests-cache", 1);
	json_out_array(&j, "cache");
	for (i = 0; i < nr; i++) {
		json_out_object(&j, NULL);
		json_out_string(&j, "name", list[i].name);
		json_out_string(&j, "identity", list[i].id);
		json_out_u64(&j, "files", list[i].files);
		json_out_u64(&j, "bytes", list[i].bytes);
		put_used(&j, list[i].used);
		json_out_object_end(&j);
	}
	json_out_array_end(&j);
	json_out_object_end(&j);
}

static int show(const struct symcache *c, const char *path, bool json)
{
	struct symcache_evict_guest *list = NULL;
	size_t nr = 0;
	int ret = c ? symcache_evict_list(c, &list, &nr) : 0;

	if (ret) {
		fprintf(stderr, "vmmprof guests: %s: %s\n", path,
			strerror(-ret));
		return EXIT_ERROR;
	}
	if (json)
		print_json(list, nr);
	else if (nr)
		print_text(list, nr);
	else
		fprintf(stderr, "vmmprof guests: nothing is kept in %s\n",
			path);
	free(list);
	return EXIT_OK;
}

static int clear(const struct symcache *c, const char *path, const char *name)
{
	uint64_t files = 0, bytes = 0;
	int ret = c ? symcache_evict_clear(c, name, &files, &bytes) : 0;

	if (ret) {
		fprintf(stderr, "vmmprof guests: %s: cannot remove: %s\n", path,
			strerror(-ret));
		return EXIT_ERROR;
	}
	if (name && !files) {
		fprintf(stderr,
			"vmmprof guests: nothing is kept of a guest '%s': `vmmprof guests --cache` lists them\n",
			name);
		return EXIT_ERROR;
	}
	printf("removed %" PRIu64 " files, %" PRIu64 " bytes\n", files, bytes);
	return EXIT_OK;
}

int guests_cache(bool clearing, const char *name, bool json)
{
	struct symcache cache;
	char path[PATH_MAX];
	int ret;

	if (!symcache_path(path, sizeof(path))) {
		fputs("vmmprof guests: no place for the cache: set VMMPROF_SYMBOL_CACHE or HOME\n",
		      stderr);
		return EXIT_ERROR;
	}
	ret = symcache_open(&cache, path, false);
	if (ret && ret != -ENOENT) {
		fprintf(stderr, "vmmprof guests: %s: %s\n", path,
			symcache_strerror(ret));
		return EXIT_ERROR;
	}
	if (clearing)
		ret = clear(ret ? NULL : &cache, path, name);
	else
		ret = show(ret ? NULL : &cache, path, json);
	symcache_close(&cache);
	return ret;
}
