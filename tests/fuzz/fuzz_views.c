// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer entry: every view of a session.  The first byte says which, the
 * next fifteen are keys for the panels; of the rest files.h makes a session
 * (two for `diff`).  The verbs run as the program runs them, but for the
 * confinement: what they print must be text without controls, or JSON.
 */

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "files.h"
#include "cmd/analysis_open.h"
#include "cmd/cmd.h"
#include "cmd/confined.h"
#include "cmd/slice_pass.h"
#include "base/saturate.h"
#include "tui/panels.h"
#include "view/annotate.h"
#include "view/safe.h"
#include "view/unicode.h"
#include "model/pass.h"

#define KEYS	 15
#define ARGS_MAX 8

enum shape { TEXT, TABS, JSON, BINARY };

static const struct view {
	int (*verb)(int argc, char **argv);
	enum shape shape;
	const char *args[ARGS_MAX]; /* A and B: the sessions; PAGE: a file */
} views[] = {
	{ cmd_report, TEXT, { "-i", "A" } },
	{ cmd_report, TEXT, { "-i", "A", "--classify=paper" } },
	{ cmd_report,
	  TEXT,
	  { "-i", "A", "-s", "vcpu,cpu,event,exit-reason,mode,pid,process" } },
	{ cmd_report,
	  TEXT,
	  { "-i", "A", "-n", "0", "-s", "container,srcline" } },
	{ cmd_report, JSON, { "-i", "A", "--json" } },
	{ cmd_report, TEXT, { "-i", "A", "--csv", "-C", "0-3" } },
	{ cmd_report, TEXT, { "-i", "A", "--html", "PAGE" } },
	{ cmd_steal, TEXT, { "-i", "A" } },
	{ cmd_steal, JSON, { "-i", "A", "--json" } },
	{ cmd_steal, TEXT, { "-i", "A", "--csv", "--by", "thief" } },
	{ cmd_steal, TEXT, { "-i", "A", "--method", "both" } },
	{ cmd_steal, JSON, { "-i", "A", "--method", "both", "--json" } },
	{ cmd_steal, TEXT, { "-i", "A", "--method", "samples", "--csv" } },
	{ cmd_timeline, TEXT, { "-i", "A" } },
	{ cmd_timeline, TEXT, { "-i", "A", "--svg" } },
	{ cmd_timeline, TEXT, { "-i", "A", "--csv" } },
	{ cmd_timeline, JSON, { "-i", "A", "--json" } },
	{ cmd_timeline, BINARY, { "-i", "A", "--perfetto" } },
	{ cmd_export, TEXT, { "-i", "A", "-f", "folded" } },
	{ cmd_export, TEXT, { "-i", "A", "-f", "csv" } },
	{ cmd_export, JSON, { "-i", "A", "-f", "json" } },
	{ cmd_export, JSON, { "-i", "A", "-f", "speedscope" } },
	{ cmd_export, JSON, { "-i", "A", "-f", "firefox" } },
	{ cmd_export, TABS, { "-i", "A", "-f", "perf-script" } },
	{ cmd_export, TEXT, { "-i", "A", "-f", "pprof", "-o", "PAGE" } },
	{ cmd_export, TEXT, { "-i", "A", "-f", "prometheus" } },
	{ cmd_diff, TEXT, { "A", "B" } },
	{ cmd_diff, JSON, { "A", "B", "--json" } },
	{ cmd_diff, TEXT, { "A", "B", "-s", "pid,vcpu,mode,state" } },
	{ cmd_script, TEXT, { "-i", "A" } },
	{ cmd_script, TEXT, { "-i", "A", "--json" } },
	{ cmd_script, TEXT, { "-i", "A", "--check" } },
	{ cmd_guests, TEXT, { "-i", "A" } },
	{ cmd_guests, JSON, { "-i", "A", "--json" } },
	{ cmd_steal, JSON, { "-i", "A", "--json", "--by", "vcpu" } },
	{ cmd_steal, TEXT, { "-i", "A", "--csv", "--by", "process" } },
	{ cmd_exits, TEXT, { "-i", "A", "--by", "vcpu" } },
	{ cmd_exits, JSON, { "-i", "A", "--json" } },
	{ cmd_exits, TEXT, { "-i", "A", "--csv" } },
	{ cmd_report, TEXT, { "-i", "A", "-v" } },
	{ cmd_steal, TEXT, { "-i", "A", "-v" } },
	{ cmd_report, TEXT, { "-i", "A", "-g", "caller" } },
	{ cmd_report,
	  JSON,
	  { "-i", "A", "-g", "callee", "--children", "--json" } },
	{ cmd_report, TEXT, { "-i", "A", "-g", "folded", "-s", "srcline" } },
	{ cmd_export, TEXT, { "-i", "A", "-f", "folded", "-G" } },
	{ cmd_diff, TEXT, { "A", "B", "-g" } },
	{ cmd_report, TEXT, { "-i", "A", "-g", "--children", "--inline" } },
	{ cmd_export,
	  TEXT,
	  { "-i", "A", "-f", "pprof", "--inline", "-o", "PAGE" } },
	{ cmd_diff, JSON, { "A", "B", "-g", "--json" } },
	{ cmd_diff, TEXT, { "A", "B", "--html", "PAGE" } },
	{ cmd_report,
	  TEXT,
	  { "-i", "A", "-g", "-s", "vm,container,comm,tid", "--hierarchy" } },
	{ cmd_report,
	  JSON,
	  { "-i", "A", "--json", "-s", "parent,tid", "--hierarchy" } },
	{ cmd_export,
	  TEXT,
	  { "-i", "A", "-f", "folded", "--levels=vm,container,tid" } },
	{ cmd_export,
	  TEXT,
	  { "-i", "A", "-f", "pprof", "--per-vm", "-o", "PAGE" } },
};

#define NR_VIEWS (sizeof(views) / sizeof(views[0]))

/* Beyond the verbs: what needs a function, or a terminal. */
enum { ANNOTATE_TEXT = NR_VIEWS, ANNOTATE_JSON, PANELS, NR_ALL };

static char a_dir[] = "/dev/shm/vmmprof-fuzza-XXXXXX";
static char b_dir[] = "/dev/shm/vmmprof-fuzzb-XXXXXX";
static char page[64];
static int a_fd = -1, b_fd;

/* In place of cmd/confined.c: here the fuzzer's process reads. */
bool confined_begin(const char *verb, const char *dir,
		    const struct bundle_option *options, size_t nr_options)
{
	(void)verb;
	(void)dir;
	(void)options;
	(void)nr_options;
	return true;
}

void confined_endless(void)
{
}

bool confined_also(const char *verb, const char *dir,
		   const struct bundle_option *options, size_t nr_options)
{
	return confined_begin(verb, dir, options, nr_options);
}

static void cleanup(void)
{
	fuzz_no_dir(a_fd, a_dir);
	fuzz_no_dir(b_fd, b_dir);
	unlink(page);
}

static void setup(void)
{
	a_fd = fuzz_dir(a_dir);
	b_fd = fuzz_dir(b_dir);
	snprintf(page, sizeof(page), "/dev/shm/vmmprof-fuzz-%d", getpid());
	stderr = fopen("/dev/null", "w"); /* not the sanitizers' */
	atexit(cleanup);
}

/* Whatever names are in the files, text has what shows itself alone. */
static void check_text(const char *s, size_t size, bool tabs)
{
	unsigned int code;
	size_t len;

	for (; size; s += len, size -= len) {
		len = utf8_decode(s, size, &code);
		if (!len || (code != '\n' && !(tabs && code == '\t') &&
			     !unicode_columns(code)))
			abort();
	}
}

static void check_json(const char *s, size_t size)
{
	json_error_t error;
	json_t *json = json_loadb(s, size,
				  JSON_REJECT_DUPLICATES |
					  JSON_DECODE_INT_AS_REAL |
					  JSON_DISABLE_EOF_CHECK,
				  &error);

	if (!json)
		abort();
	json_decref(json);
}

static void check(enum shape shape, int status, const char *s, size_t size)
{
	if (shape == TEXT || shape == TABS)
		check_text(s, size, shape == TABS);
	else if (shape == JSON && !status)
		check_json(s, size);
}

static void run_verb(const struct view *v)
{
	static char verb[] = "vmmprof fuzz";
	char *argv[ARGS_MAX + 2] = { verb }, *text = NULL;
	FILE *terminal = stdout;
	size_t size = 0;
	int argc, status;

	for (argc = 1; argc <= ARGS_MAX && v->args[argc - 1]; argc++) {
		const char *arg = v->args[argc - 1];

		argv[argc] = (char *)(!strcmp(arg, "A")	   ? a_dir :
				      !strcmp(arg, "B")	   ? b_dir :
				      !strcmp(arg, "PAGE") ? page :
							     arg);
	}
	unlink(page);
	stdout = open_memstream(&text, &size);
	if (!stdout)
		abort();
	optind = 0;
	status = v->verb(argc, argv);
	fclose(stdout);
	stdout = terminal;
	check(v->shape, status, text, size);
	free(text);
}

static bool any(void *arg, const struct bucket_key *key)
{
	(void)arg;
	(void)key;
	return true;
}

/* All functions, without any file of this machine. */
static void annotate(bool json)
{
	struct analysis a;
	struct report r = {
		.dir = a_dir,
		.a = &a,
		.guest = VMMPROF_ANY,
		.vcpu = VMMPROF_ANY,
		.pid = VMMPROF_ANY,
		.event = VMMPROF_ANY,
	};
	struct annotate an = { .report = &r, .function = "f" };
	FILE *out = fopen("/dev/null", "w");

	if (analysis_open(&a, a_dir, NULL, 0) ||
	    analysis_run(&a, KEEP_ADDR, NULL, NULL))
		goto out;
	if (!names_init(&r.names, &a) &&
	    !hot_places_init(&an.places, &a, any, NULL) && an.places.nr) {
		if (json)
			annotate_json(&an, out);
		else
			annotate_text(&an, out);
	}
	hot_places_deinit(&an.places);
	names_deinit(&r.names);
out:
	analysis_close(&a);
	fclose(out);
}

static void press(struct panels *p, struct grid *g, const uint8_t *bytes)
{
	static const __u32 keys[] = {
		TUI_KEY_UP,
		TUI_KEY_DOWN,
		TUI_KEY_LEFT,
		TUI_KEY_RIGHT,
		TUI_KEY_PGUP,
		TUI_KEY_PGDN,
		TUI_KEY_HOME,
		TUI_KEY_END,
		TUI_KEY_ENTER,
		TUI_KEY_TAB,
		TUI_KEY_BACKSPACE,
		TUI_KEY_ESC,
		TUI_KEY_CLICK,
		TUI_KEY_SCROLL_UP,
		'a',
		's',
		'/',
		'm',
		'n',
		'N',
		'h',
		'x',
		'i',
		'e',
		' ',
		't',
		'p',
		'w',
		'+',
		'E',
		'C',
		'g',
		'v',
	};
	char line[4 * GRID_W];
	size_t i, y;

	for (i = 0; i < KEYS; i++) {
		struct tui_event ev = {
			.key = keys[bytes[i] % (sizeof(keys) / sizeof(*keys))],
			.x = bytes[i] * 7 % g->w,
			.y = bytes[i] % g->h,
		};

		if (!panels_key(p, &ev))
			return;
		panels_draw(p, g);
		for (y = 0; y < g->h; y++) {
			grid_line(g, y, line, sizeof(line));
			check_text(line, strlen(line), false);
		}
	}
}

static int begin_chains(struct chain_pass *chains, struct analysis *a,
			struct chain_slices *counts, const struct slices *s)
{
	int ret = chain_pass_init(chains, a, NULL, NULL);

	chains->tree.calls = true;
	chains->slices = counts;
	chain_slices_init(counts, s, SIZE_MAX);
	return ret;
}

static int begin_waits(struct chain_pass *chains, struct timeline *tl,
		       struct wait_slices *waits, const struct slices *s)
{
	if (timeline_exact(tl)) {
		chain_pass_time(chains, tl);
		wait_slices_init(waits, &chains->waits, s);
	}
	return 0;
}

static void panels(const uint8_t *keys)
{
	struct chain_slices chain_slices = { 0 };
	struct chain_pass chains = { 0 };
	struct wait_slices waits = { 0 };
	struct slices slices = { 0 };
	struct names names = { 0 };
	struct trees how = { .tree = &chains.tree, .slices = &chain_slices };
	struct panels p = { 0 };
	struct timeline tl;
	struct analysis a;
	struct grid g;
	__u64 end;

	how.callee = keys[0] & 1;
	how.children = keys[1] & 1;
	if (analysis_open(&a, a_dir, NULL, 0)) {
		analysis_close(&a);
		return;
	}
	if (!timeline_init(&tl, &a, false) &&
	    !slice_pass_begin(&a, &tl, &slices, &end) &&
	    !begin_chains(&chains, &a, &chain_slices, &slices) &&
	    !begin_waits(&chains, &tl, &waits, &slices) &&
	    !slice_pass_run(&slices, KEEP_ADDR, 0, end, &chains) &&
	    !names_init(&names, &a) && !panels_init(&p, &tl, &slices, &names) &&
	    !grid_init(&g, 40 + keys[0] % 120, 10 + keys[1] % 40, true)) {
		p.title = "fuzz";
		names.tl = &tl;
		if (chain_pass_timed(&chains))
			how.waits = &waits;
		panels_chains(&p, &how);
		press(&p, &g, keys);
		grid_deinit(&g);
	}
	panels_deinit(&p);
	names_deinit(&names);
	chain_pass_deinit(&chains);
	chain_slices_deinit(&chain_slices);
	wait_slices_deinit(&waits);
	slices_deinit(&slices);
	timeline_deinit(&tl);
	analysis_close(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int which;
	size_t half;

	if (a_fd < 0)
		setup();
	if (size < 1 + KEYS)
		return 0;
	which = data[0] % NR_ALL;
	saturated = false;
	half = size - 1 - KEYS;
	if (which < NR_VIEWS && views[which].verb == cmd_diff) {
		half /= 2;
		fuzz_write(b_fd, data + 1 + KEYS + half,
			   size - 1 - KEYS - half);
	}
	fuzz_write(a_fd, data + 1 + KEYS, half);
	if (which < NR_VIEWS)
		run_verb(&views[which]);
	else if (which == PANELS)
		panels(data + 1);
	else
		annotate(which == ANNOTATE_JSON);
	return 0;
}
