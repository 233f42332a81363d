// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof record`: the guests, before sampling and after. */

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "host/symroom.h"
#include "recording.h"
#include "recordsay.h"
#include "transport/ways.h"
#include "view/safe.h"

/* A guest whose host died ends watching by itself after that. */
#define WATCH_SECONDS 86400
#define SLACK_SECONDS 60

/* vmmprof-guest beside this program, or where `make install` puts it. */
static const char *find_program(char *path, size_t size)
{
	static const char *const places[] = { "vmmprof-guest",
					      "../lib/vmmprof/vmmprof-guest" };
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	unsigned int i;
	char *slash;

	if (n <= 0)
		return NULL;
	self[n] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return NULL;
	slash[1] = '\0';
	for (i = 0; i < 2; i++) {
		if (snprintf(path, size, "%s%s", self, places[i]) < (int)size &&
		    !access(path, R_OK))
			return path;
	}
	return NULL;
}

/* Has the user given a bundle of this VM? */
static bool has_bundle(const struct recording *r, const struct vmmprof_vm *vm)
{
	unsigned int i;

	for (i = 0; i < r->opts->nr_bundles; i++)
		if (vmmprof_inventory_find_name(&r->inv,
						r->opts->bundles[i].name) == vm)
			return true;
	return false;
}

void record_add_guests(struct recording *r)
{
	unsigned int i;

	/* all of them first: two of one identity must not be mixed up */
	for (i = 0; i < r->inv.nr && r->cache.dirfd >= 0; i++)
		vmmprof_symcache_claim(&r->cache, "", r->inv.vms[i].pid);
	for (i = 0; i < r->inv.nr; i++)
		if (!has_bundle(r, &r->inv.vms[i]))
			vmmprof_collect_add(&r->guests, &r->inv.vms[i]);
}

/* Recording goes on without it. */
static void open_cache(struct recording *r)
{
	char path[PATH_MAX];
	int ret;

	if (r->opts->no_cache)
		return;
	if (!vmmprof_symcache_path(path, sizeof(path)))
		return;
	ret = vmmprof_symcache_open(&r->cache, path, true);
	if (ret)
		record_say("warning: guests send all their symbols: %s: %s",
			   path, vmmprof_symcache_strerror(ret));
	else
		r->guests.cache = &r->cache;
}

void record_begin_guests(struct recording *r)
{
	const struct record_options *o = r->opts;
	struct vmmprof_collect *c = &r->guests;
	char path[PATH_MAX];
	int ret;

	if (!o->transports && !o->nr_rules)
		return;
	c->root = "";
	c->program = o->guest_program ? o->guest_program :
					find_program(path, sizeof(path));
	c->allow = o->transports;
	c->rules = o->rules;
	c->nr_rules = o->nr_rules;
	c->watch_limit = o->duration_ns ?
				 o->duration_ns / 1000000000 + SLACK_SECONDS :
				 WATCH_SECONDS;
	c->begin_ns = o->guest_timeout_ns;
	c->end_ns = 3 * o->guest_timeout_ns;
	c->out = &r->out;
	ret = c->program ? vmmprof_collect_open(c) : -ENOENT;
	if (ret) {
		record_say(
			"warning: no guest is asked for its names: %s: %s; give it with --guest-program",
			o->guest_program ? o->guest_program : "vmmprof-guest",
			strerror(-ret));
		return;
	}
	open_cache(r);
	record_add_guests(r);
	vmmprof_collect_begin(c);
}

static void say_guest(const struct vmmprof_collect_guest *g)
{
	char name[4 * VMMPROF_VM_NAME];

	if (g->reach.error) {
		record_say("warning: guest %s: no names: %s", g->name, g->text);
		return;
	}
	vmmprof_safe(name, sizeof(name), g->name);
	fprintf(stderr,
		"  guest %-20s %-8s %10" PRIu64
		" bytes, watching after %.2f s, fetched in %.2f s%s\n",
		name, vmmprof_way_name(g->reach.how), g->size,
		g->reach.begin_ns / 1e9, g->reach.end_ns / 1e9,
		g->watching ? "" : " (only what still ran at the end)");
	if (g->symbols.cached + g->symbols.lost)
		fprintf(stderr,
			"  %-26s symbols of %u files (%" PRIu64
			" bytes) from the cache%s\n",
			"", g->symbols.cached, g->symbols.bytes,
			g->symbols.lost ? ", some lost: record again" : "");
}

void record_end_guests(struct recording *r)
{
	struct vmmprof_collect *c = &r->guests;
	bool failed = false;
	struct timespec t;
	unsigned int i;

	if (!c->nr)
		return;
	vmmprof_collect_end(c);
	for (i = 0; i < c->nr; i++) {
		failed |= c->guests[i].reach.error;
		if (!r->opts->quiet || c->guests[i].reach.error)
			say_guest(&c->guests[i]);
	}
	if (failed)
		fputs("  QEMU's agent, `vmmprof-guest serve --vsock`, --ssh or --guest-bundle\n"
		      "  would name it: vmmprof-record(1), Guests\n",
		      stderr);
	if (r->cache.dirfd >= 0)
		vmmprof_symroom_trim(&r->cache, VMMPROF_SYMCACHE_GUEST_MAX,
				     VMMPROF_SYMCACHE_MAX);
	clock_gettime(CLOCK_MONOTONIC, &t);
	if (!r->opts->quiet)
		record_say("guests done %.2f s after the end of sampling",
			   (t.tv_sec * 1000000000ll + t.tv_nsec - r->stop_ns) /
				   1e9);
}
