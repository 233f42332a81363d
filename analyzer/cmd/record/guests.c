// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof record`: the guests, before sampling and after. */

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "symcache/evict.h"
#include "cmd/record/recording.h"
#include "cmd/record/messages.h"
#include "cmd/record/same.h"
#include "transport/ways.h"
#include "view/safe.h"

/* If the host dies, vmmprof-guest stops watching after this time. */
#define WATCH_SECONDS 86400
#define SLACK_SECONDS 60

/* vmmprof-guest where `make install` puts it, or beside this program. */
static const char *find_program(char *path, size_t size)
{
	static const char *const places[] = {
		"../libexec/vmmprof/vmmprof-guest", "vmmprof-guest"
	};
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

/* A line below a guest's. */
static void __attribute__((format(printf, 1, 2))) hint(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "  %-26s ", "");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/* Has the user given a bundle of this VM? */
static bool has_bundle(const struct recording *r, const struct vm *vm)
{
	unsigned int i;

	for (i = 0; i < r->opts->nr_bundles; i++)
		if (inventory_find_name(&r->inv, r->opts->bundles[i].name) ==
		    vm)
			return true;
	return false;
}

void record_add_guests(struct recording *r)
{
	const struct vm *vm;
	unsigned int i;

	/* claim all before the first fetch: two may have the same identity */
	for (i = 0; i < r->inv.nr && r->cache.dirfd >= 0; i++)
		if (!r->inv.vms[i].gone)
			symcache_claim(&r->cache, "", r->inv.vms[i].pid);
	for (i = 0; i < r->inv.nr; i++) {
		vm = &r->inv.vms[i];
		if (!vm->gone && !has_bundle(r, vm))
			collect_add(&r->guests, vm);
	}
	collect_look(&r->guests);
}

/* Opens the cache; without it the recording goes on. */
static void open_cache(struct recording *r, struct collect *c)
{
	char path[PATH_MAX];
	int ret;

	if (r->cache.dirfd >= 0)
		c->cache = &r->cache;
	if (r->opts->no_cache || c->cache)
		return;
	if (!symcache_path(path, sizeof(path)))
		return;
	ret = symcache_open(&r->cache, path, true);
	if (ret)
		record_say("warning: guests send all their symbols: %s: %s",
			   path, symcache_strerror(ret));
	else
		c->cache = &r->cache;
}

int record_guest_ways(struct recording *r, struct collect *c)
{
	const struct record_options *o = r->opts;
	static char path[PATH_MAX];
	int ret = 0;

	if (!o->transports && !o->nr_rules)
		return -ECANCELED;
	c->root = "";
	c->program = o->guest_program ? o->guest_program :
					find_program(path, sizeof(path));
	c->allow = o->transports;
	c->rules = o->rules;
	c->nr_rules = o->nr_rules;
	c->begin_ns = o->guest_timeout_ns;
	c->end_ns = 3 * o->guest_timeout_ns;
	if (!c->program)
		ret = -ENOENT;
	else if (access(c->program, R_OK))
		ret = -errno;
	if (ret)
		record_say(
			"warning: no guest is asked for its names: %s: %s; give it with --guest-program",
			o->guest_program ? o->guest_program : "vmmprof-guest",
			strerror(-ret));
	else
		open_cache(r, c);
	return ret;
}

/* Guests watch while others begin, too, which may take as long as is allowed. */
static uint32_t watch_seconds(const struct record_options *o)
{
	const uint64_t second = 1000000000;
	uint64_t ns = o->guest_timeout_ns + o->duration_ns;

	return (ns + second - 1) / second +
	       (o->duration_ns ? SLACK_SECONDS : WATCH_SECONDS);
}

/* Has one come that ends the recording?  It is read when that has begun. */
static bool is_signalled(void)
{
	sigset_t set;

	return !sigpending(&set) &&
	       (sigismember(&set, SIGINT) || sigismember(&set, SIGTERM) ||
		sigismember(&set, SIGHUP));
}

/*
 * Guests may take longer to begin than perf's rings have room for the processes of
 * the host.  Its errors come again when the recording goes on.
 */
static bool read_host(void *arg)
{
	struct recording *r = arg;
	bool started = false;

	if (r->host_open && !host_maps_tick(&r->host, &started) && started)
		vm_watch_poke(&r->watch, clock_now());
	return !is_signalled();
}

void record_begin_guests(struct recording *r)
{
	const struct record_options *o = r->opts;
	struct collect *c = &r->guests;
	int ret;

	if (record_guest_ways(r, c))
		return;
	c->watch_limit = watch_seconds(o);
	c->out = &r->out;
	c->code = !o->no_code;
	/* To unwind what was sampled; r->dev: what the module can do. */
	c->unwind = r->dev.chain_flags & VMMPROF_CHAIN_F_GUEST;
	ret = collect_open(c);
	if (ret) {
		record_say("warning: no guest is asked for its names: %s: %s",
			   c->program, strerror(-ret));
		return;
	}
	record_add_guests(r);
	c->meanwhile = read_host;
	c->arg = r;
	collect_begin(c);
	c->meanwhile = NULL;
}

void record_say_bundle(const char *name, uint32_t how,
		       const struct import_stat *got)
{
	const struct symcache_merge_count *of = got->cache.of;
	uint32_t lost = of[SYMCACHE_SYMBOLS].lost + of[SYMCACHE_UNWIND].lost;
	char text[4 * VM_NAME];

	safe_text(text, sizeof(text), name);
	fprintf(stderr,
		"  guest %-20s %-8s %u processes, symbols of %u of %u files%s\n",
		text, way_name(how), got->processes, got->with_symbols,
		got->files, got->kernel ? " and the kernel" : "");
	if (!got->kernel)
		hint("no kernel functions: `sysctl kernel.kptr_restrict=0` there");
	if (lost)
		hint("%u tables of files' symbols and frames are lost from the cache: record again",
		     lost);
	if (got->notes)
		hint("%u things are missing in its bundle: `vmmprof report` lists them",
		     got->notes);
}

/* What is missing of a guest. */
static void warn_guest(const struct recording *r, const struct collect_guest *g,
		       struct record_same *same)
{
	char what[CHANNEL_TEXT + 16];

	if (g->reach.error && record_memory_has(r, g->pid))
		return; /* it has names from its memory */
	if (g->reach.error) {
		snprintf(what, sizeof(what), "no names: %s", g->text);
		record_same_add(same, g->name, what);
	} else if (g->no_unwind) {
		record_same_add(
			same, g->name,
			"chains of its kernel, and of code without frame pointers, end early: its vmmprof-guest is older and sends no unwind tables: replace it by this host's");
	}
}

static void say_guest(const struct collect_guest *g)
{
	const struct symcache_merge_count *of = g->got.cache.of;

	record_say_bundle(g->name, g->reach.how, &g->got);
	hint("watching after %.2f s, fetched in %.2f s; %" PRIu64
	     " bytes sent, %" PRIu64 " received",
	     g->reach.begin_ns / 1e9, g->reach.end_ns / 1e9,
	     (uint64_t)g->reach.sent, (uint64_t)g->reach.received);
	if (of[SYMCACHE_UNWIND].cached)
		hint("symbols of %u files and unwind tables of %u (%" PRIu64
		     " bytes) from the cache",
		     of[SYMCACHE_SYMBOLS].cached, of[SYMCACHE_UNWIND].cached,
		     g->got.cache.bytes);
	else if (of[SYMCACHE_SYMBOLS].cached)
		hint("symbols of %u files (%" PRIu64 " bytes) from the cache",
		     of[SYMCACHE_SYMBOLS].cached, g->got.cache.bytes);
	if (g->got_code.ranges)
		hint("code of %u functions, %u bytes", g->got_code.ranges,
		     g->got_code.bytes);
	else if (g->code_error)
		hint("no code of functions: %s", g->code_text);
	if (!g->watching)
		hint("it did not watch in time: only processes that ran at the end have names");
}

static void say_total(const struct recording *r)
{
	const struct collect *c = &r->guests;
	uint64_t sent = 0, received = 0;
	unsigned int i;

	for (i = 0; i < c->nr; i++) {
		sent += c->guests[i].reach.sent;
		received += c->guests[i].reach.received;
	}
	record_say("guests done %.2f s after the end of sampling; %" PRIu64
		   " bytes sent, %" PRIu64 " received",
		   (clock_now() - r->stop_ns) / 1e9, sent, received);
}

void record_end_guests(struct recording *r)
{
	struct record_same same = { 0 };
	struct collect *c = &r->guests;
	bool failed = false;
	unsigned int i;

	if (!c->nr)
		return;
	collect_end(c);
	if (c->code)
		record_get_code(r);
	for (i = 0; i < c->nr; i++) {
		failed |= c->guests[i].reach.error &&
			  !record_memory_has(r, c->guests[i].pid);
		warn_guest(r, &c->guests[i], &same);
		if (!c->guests[i].reach.error && !r->opts->quiet)
			say_guest(&c->guests[i]);
	}
	if (record_same_say(&same))
		fprintf(stderr, "  `vmmprof guests -i %s` lists them all\n",
			r->opts->dir);
	if (failed)
		fputs("  QEMU's agent, `vmmprof-guest serve --vsock`, --ssh or --guest-bundle\n"
		      "  would name it: vmmprof-record(1), Guests\n",
		      stderr);
	if (r->cache.dirfd >= 0)
		symcache_evict_trim(&r->cache, SYMCACHE_GUEST_MAX,
				    SYMCACHE_MAX);
	if (!r->opts->quiet)
		say_total(r);
}
