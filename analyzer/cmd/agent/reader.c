// SPDX-License-Identifier: GPL-2.0-only
/* The reader of `vmmprof agent`: windows of records to sums and profiles. */

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/saturate.h"
#include "cmd/agent/alarm.h"
#include "cmd/agent/reader.h"
#include "cmd/analysis_open.h"
#include "cmd/cmd.h"
#include "cmd/confined.h"
#include "cmd/top/code.h"
#include "cmd/top/maps.h"
#include "cmd/top/changes.h"
#include "cmd/top/protocol.h"
#include "model/guest_time.h"
#include "model/live.h"
#include "sandbox/confine.h"
#include "transport/ways.h"
#include "tui/wire.h"
#include "view/export_per_vm.h"
#include "view/metrics.h"
#include "view/safe.h"

struct agent_reader {
	struct agent_options *o;
	struct agent_files files;
	struct live live;
	struct report report;
	struct metrics metrics;
	struct alarm alarm;
	struct top_maps maps;
	struct top_codes codes; /* none is asked for */
	bool exact;		/* there are switch records */
	struct top_host processes;
};

/* A stream to one of the files; the file stays open. */
static FILE *stream_to(int fd)
{
	int copy = dup(fd);
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");

	if (!out)
		io_close(&copy);
	return out;
}

/* How old the maps of each guest are. */
static void add_maps(struct agent_reader *t)
{
	const struct top_map *map;
	__u64 now = clock_now();
	__u32 i;

	for (i = 0; i < t->live.a.resolver.guests.nr; i++) {
		map = top_maps_of(&t->maps, i + 1);
		if (map && map->asked_ns)
			metrics_maps(&t->metrics, &t->live.tl, i,
				     now - map->asked_ns,
				     way_name(map->note.how));
	}
}

static int put_metrics(struct agent_reader *t)
{
	FILE *out = stream_to(t->files.metrics);
	int ret;

	if (!out)
		return -ENOMEM;
	metrics_put(&t->metrics, out);
	ret = ferror(out) ? -EIO : 0;
	return fclose(out) && !ret ? -EIO : ret;
}

static int put_profiles(struct agent_reader *t, __u64 real_ns,
			struct per_vm *made, FILE *out)
{
	struct entries entries = { 0 };
	struct export_data x;
	int ret = 0;

	t->report.tl = t->exact ? &t->live.tl : NULL;
	if (t->exact)
		ret = guest_time_spread(&t->live.tl);
	if (!ret)
		ret = entries_init_thieves(&entries, &t->report, false);
	if (!ret) {
		export_init(&x, &t->report, &entries, &t->live.tl);
		x.real_ns = real_ns;
		x.duration_ns = x.khz ? sat_scale(t->live.slices.span, 1000000,
						  x.khz) :
					0;
		ret = export_per_vm(&x, made, out);
	}
	entries_deinit(&entries);
	return ret;
}

/* The window's profiles; an error of their making is no end: there are none. */
static bool make_profiles(struct agent_reader *t, __u64 real_ns,
			  struct per_vm *made)
{
	FILE *out;
	int ret;

	if (!t->o->spool_dir)
		return false;
	out = stream_to(t->files.profile);
	if (!out)
		return false;
	ret = put_profiles(t, real_ns, made, out);
	return !fclose(out) && !ret;
}

static int end_window(struct agent_reader *t, const struct top_tick *tick,
		      int fd)
{
	struct agent_done done = { .window = 1 };
	const bool anew = !t->live.begun;
	struct per_vm made = { 0 };
	int ret;

	ret = live_feed(&t->live, tick->until, false);
	if (!ret)
		ret = alarm_look(&t->alarm, &t->live.tl, tick->until, anew,
				 &done.alarm);
	if (!ret)
		ret = names_renew(&t->report.names);
	t->exact = timeline_exact(&t->live.tl) && t->live.tl.khz;
	if (!ret && t->exact)
		ret = metrics_add(&t->metrics, &t->live.tl);
	if (!ret && t->exact)
		add_maps(t);
	sat_sum(&t->metrics.samples, t->live.samples);
	if (!ret)
		ret = put_metrics(t);
	if (ret)
		return ret;
	done.profile = make_profiles(t, tick->real_ns, &made);
	done.profiles = done.profile ? made.profiles : 0;
	done.folded = made.folded;
	done.switches = t->exact;
	done.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	ret = io_send(fd, &done, sizeof(done));
	if (!ret)
		ret = top_maps_wants(&t->maps, fd, false);
	return ret ? ret : top_codes_send(&t->codes, fd);
}

/* The window goes on. */
static int more(struct agent_reader *t, const struct top_tick *tick, int fd)
{
	struct agent_done done = { 0 };
	const bool anew = !t->live.begun;
	int ret;

	ret = live_more(&t->live, tick->until);
	if (!ret)
		ret = alarm_look(&t->alarm, &t->live.tl, tick->until, anew,
				 &done.alarm);
	return ret ? ret : io_send(fd, &done, sizeof(done));
}

static int on_tick(struct agent_reader *t, int fd)
{
	struct top_tick tick;
	int ret;

	ret = io_recv(fd, &tick, sizeof(tick));
	if (!ret)
		ret = top_read_changes(&t->live, &tick, fd);
	if (ret)
		return ret;
	t->processes.due |= tick.host;
	sat_sum(&t->metrics.lost, tick.lost);
	/* a window refers to the numbers that processes had */
	if (!t->live.begun)
		ret = top_read_host(&t->processes, &t->live.a);
	if (!ret)
		ret = top_maps_take(&t->maps, t->live.begun);
	if (ret)
		return ret;
	return tick.more ? more(t, &tick, fd) : end_window(t, &tick, fd);
}

/* Waits until the session exists, then gives up all rights and opens it. */
static int open_session(struct agent_reader *t, int fd)
{
	struct session_load *load = &t->o->top.load;
	struct analysis *a = &t->live.a;
	struct top_tick first;
	struct tui_event ev;
	char text[512];
	int ret;

	/* if there is none, the recorder has printed the reason */
	if (io_recv(fd, &ev, sizeof(ev)) || io_recv(fd, &first, sizeof(first)))
		return EXIT_ERROR;
	confined_endless();
	if (!confined_begin("agent", load->dir, load->bundles,
			    load->nr_bundles))
		return EXIT_ERROR;
	ret = top_open(&t->live, load, &first, fd);
	if (ret && a->session.problems.nr) {
		safe_text(text, sizeof(text),
			  a->session.problems.line[a->session.problems.nr - 1]);
		fprintf(stderr, "vmmprof agent: %s\n", text);
		return EXIT_ERROR;
	}
	t->report = report_of(load->dir, a);
	if (!ret)
		ret = names_init(&t->report.names, a);
	t->report.names.tl = &t->live.tl;
	if (ret)
		return load_failed("agent", ret);
	top_maps_init(&t->maps, a, &t->o->top);
	t->codes.maps = &t->maps;
	return 0;
}

static int loop(struct agent_reader *t, int fd)
{
	struct tui_event ev;
	int ret = 0;

	while (!ret) {
		ret = io_recv(fd, &ev, sizeof(ev));
		if (!ret && ev.key != TUI_KEY_DATA)
			ret = -EPROTO;
		if (!ret)
			ret = on_tick(t, fd);
	}
	return ret;
}

int agent_read(struct agent_options *o, const struct agent_files *files)
{
	static struct agent_reader t;
	const struct agent_done ready = { 0 };
	int fd = confine_channel(), ret;

	t.o = o;
	t.files = *files;
	t.alarm.limit = o->freeze;
	setlocale(LC_CTYPE, "C.UTF-8");
	ret = open_session(&t, fd);
	if (!ret) {
		ret = io_send(fd, &ready, sizeof(ready));
		if (!ret)
			ret = loop(&t, fd);
		ret = ret == -EPIPE ? EXIT_OK : load_failed("agent", ret);
	}
	metrics_deinit(&t.metrics);
	alarm_deinit(&t.alarm);
	top_maps_deinit(&t.maps);
	names_deinit(&t.report.names);
	live_deinit(&t.live);
	return ret;
}
