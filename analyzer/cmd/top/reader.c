// SPDX-License-Identifier: GPL-2.0-only
/* The reader of `vmmprof top`: reads records and makes screens. */

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "cmd/analysis_open.h"
#include "cmd/cmd.h"
#include "cmd/confined.h"
#include "cmd/terminal.h"
#include "cmd/top/options.h"
#include "cmd/top/protocol.h"
#include "cmd/top/reader.h"
#include "cmd/top/changes.h"
#include "cmd/top/code.h"
#include "cmd/top/maps.h"
#include "sandbox/confine.h"
#include "model/live.h"
#include "tui/listing.h"
#include "tui/wire.h"
#include "view/chain_text.h"
#include "view/safe.h"

struct top_reader {
	struct top_options *o;
	struct live live;
	struct chain_pass chains; /* with -g */
	struct wait_slices waits; /* of one slice: those of .chains */
	struct names names;
	struct panels p;
	struct top_maps maps;
	struct top_codes codes; /* of guests, to be fetched */
	__u64 cpu_ns;		/* of this process, until the last tick */
	__u64 own_ns;		/* of all processes, in the interval */
	__u64 first;		/* start of sampling, host TSC */
	struct top_host processes;
	__u64 code_next; /* next renewal of the instructions shown */
	char host[256];
	char title[512];
};

/* Makes the first line: length of the interval, own cost, lost samples. */
static void make_title(struct top_reader *t, const struct top_tick *tick)
{
	__u64 now = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	t->own_ns = tick->cpu_ns + now - t->cpu_ns;
	t->cpu_ns = now;
	snprintf(t->title, sizeof(t->title),
		 "vmmprof top  %.2f s, own %.1f%% of a CPU, %llu lost  %s",
		 t->live.tl.khz ? t->live.slices.span / 1e3 / t->live.tl.khz :
				  0,
		 tick->wall_ns ? t->own_ns * 100.0 / tick->wall_ns : 0,
		 (unsigned long long)tick->lost, t->host);
}

static int print_text(struct top_reader *t)
{
	int ret;

	printf("%s, %llu samples\n", t->title,
	       (unsigned long long)t->live.samples);
	ret = panels_list(&t->p, t->o->limit, stdout);
	putchar('\n');
	return ret;
}

static int print_json(struct top_reader *t, const struct top_tick *tick)
{
	const struct panels_interval now = {
		.host = t->host,
		.begin = tick->until - t->live.slices.span - t->first,
		.span = t->live.slices.span,
		.own_ns = t->own_ns,
		.lost = tick->lost,
		.samples = t->live.samples,
	};

	return panels_list_json(&t->p, &now, t->o->limit, stdout);
}

static int print(struct top_reader *t, const struct top_tick *tick)
{
	int ret = t->o->json ? print_json(t, tick) : print_text(t);

	if (!ret && (fflush(stdout) || ferror(stdout)))
		ret = -EIO;
	return ret;
}

/* Chooses the event, if no event had a sample when the panels were made. */
static void choose_event(struct top_reader *t)
{
	__u32 i;

	for (i = 0; i < VMMPROF_MAX_EVENTS && t->p.event == VMMPROF_ANY; i++)
		if (t->live.a.counts.per_event[i])
			t->p.event = i;
}

/* Renews the instructions on the screen, with a tenth of a CPU at most. */
static int renew_code(struct top_reader *t)
{
	__u64 begin = clock_now(), end;
	int ret;

	if (!t->p.code.open || t->p.paused || begin < t->code_next)
		return 0;
	ret = panels_renew_code(&t->p);
	end = clock_now();
	t->code_next = end + 10 * (end - begin);
	return ret;
}

static int on_tick(void *arg, int fd)
{
	struct top_reader *t = arg;
	struct top_tick tick;
	int ret;

	ret = io_recv(fd, &tick, sizeof(tick));
	if (!ret)
		ret = top_read_changes(&t->live, &tick, fd);
	t->processes.due |= tick.host;
	/* a screen that stands still refers to the current files */
	if (!ret && !t->p.paused)
		ret = top_read_host(&t->processes, &t->live.a);
	if (!ret)
		ret = top_maps_take(&t->maps, t->p.paused);
	if (!ret)
		ret = live_feed(&t->live, tick.until, t->p.paused);
	if (!ret)
		ret = names_renew(&t->names);
	if (ret)
		return ret;
	choose_event(t);
	make_title(t, &tick);
	panels_refresh(&t->p);
	ret = renew_code(t);
	if (ret)
		return ret;
	ret = top_maps_wants(&t->maps, fd, t->p.paused);
	if (!ret)
		ret = top_codes_send(&t->codes, fd);
	if (ret)
		return ret;
	return t->o->batch ? print(t, &tick) : t->p.err;
}

/* Call chains, if they are taken. */
static int begin_chains(struct top_reader *t)
{
	const struct trees how = {
		.tree = &t->chains.tree,
		.waits = &t->waits,
		.percent = CHAIN_LEAST_BRANCH,
	};
	int ret;

	if (!record_chain_flags(&t->o->record))
		return 0;
	ret = live_chains(&t->live, &t->chains);
	t->waits.waits = &t->chains.waits;
	/* instructions of frames are shown by panels alone */
	t->chains.tree.calls = !t->o->batch;
	if (t->o->inlines)
		chain_pass_inlines(&t->chains);
	if (!ret)
		panels_chains(&t->p, &how);
	return ret ? ret : t->p.err;
}

/* Waits until the session exists, then gives up all rights and opens it. */
static int open_session(struct top_reader *t, int fd)
{
	struct analysis *a = &t->live.a;
	struct tui_event ev;
	struct top_tick first;
	char name[256];
	int ret;

	/* if there is none, the recorder has printed the reason */
	if (io_recv(fd, &ev, sizeof(ev)) || io_recv(fd, &first, sizeof(first)))
		return EXIT_ERROR;
	if (!t->o->batch && !code_from_open(&t->o->code, "top", t->o->load.dir))
		return EXIT_ERROR;
	confined_endless();
	if (!confined_begin("top", t->o->load.dir, t->o->load.bundles,
			    t->o->load.nr_bundles))
		return EXIT_ERROR;
	ret = top_open(&t->live, &t->o->load, &first, fd);
	if (ret && a->session.problems.nr) {
		safe_text(t->title, sizeof(t->title),
			  a->session.problems.line[a->session.problems.nr - 1]);
		fprintf(stderr, "vmmprof top: %s\n", t->title);
		return EXIT_ERROR;
	}
	if (!ret)
		ret = names_init(&t->names, a);
	t->names.tl = &t->live.tl;
	if (!ret)
		ret = panels_init(&t->p, &t->live.tl, &t->live.slices,
				  &t->names);
	if (!ret)
		ret = begin_chains(t);
	if (ret)
		return load_failed("top", ret);
	*name = '\0';
	if (text_get(&a->session.text, "hostname", name, sizeof(name)) < 0)
		*name = '\0';
	safe_text(t->host, sizeof(t->host), name);
	snprintf(t->title, sizeof(t->title), "vmmprof top  sampling  %s",
		 t->host);
	top_maps_init(&t->maps, a, t->o);
	t->p.about = top_maps_about;
	t->p.about_arg = &t->maps;
	t->p.title = t->title;
	t->p.live = true;
	t->p.files = code_from_files(&t->o->code);
	t->codes.maps = &t->maps;
	t->p.files.fetch = top_codes_look;
	t->p.files.fetch_arg = &t->codes;
	if (!t->o->batch)
		t->live.keep = KEEP_ADDR;
	t->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	t->first = first.until;
	if (!timeline_exact(&t->live.tl))
		t->p.notice = "no switch records: steal and halt are not known";
	return 0;
}

int top_read(void *arg)
{
	static struct top_reader t;
	struct tui_head head = { .say = TUI_BEGIN };
	int fd = confine_channel(), ret;

	t.o = arg;
	setlocale(LC_CTYPE, "C.UTF-8");
	ret = open_session(&t, fd);
	if (!ret) {
		ret = io_send(fd, &head, sizeof(head));
		if (!ret)
			ret = terminal_loop(fd, &t.p, on_tick, &t);
		if (ret && ret != -EPIPE)
			ret = load_failed("top", ret);
		else
			ret = EXIT_OK;
	}
	panels_deinit(&t.p);
	top_maps_deinit(&t.maps);
	names_deinit(&t.names);
	live_deinit(&t.live);
	chain_pass_deinit(&t.chains);
	return ret;
}
