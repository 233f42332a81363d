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
#include "cmd/cmd.h"
#include "cmd/confined.h"
#include "cmd/slice_pass.h"
#include "base/saturate.h"
#include "tui/panels.h"
#include "view/annotate.h"
#include "view/safe.h"
#include "view/unicode.h"

#define KEYS	 15
#define ARGS_MAX 8

enum shape { TEXT, JSON, BINARY };

static const struct view {
	int (*verb)(int argc, char **argv);
	enum shape shape;
	const char *args[ARGS_MAX]; /* A and B: the sessions; PAGE: a file */
} views[] = {
	{ vmmprof_cmd_report, TEXT, { "-i", "A" } },
	{ vmmprof_cmd_report, TEXT, { "-i", "A", "--classify=paper" } },
	{ vmmprof_cmd_report,
	  TEXT,
	  { "-i", "A", "-s", "vcpu,cpu,event,exit-reason,mode,pid,process" } },
	{ vmmprof_cmd_report,
	  TEXT,
	  { "-i", "A", "-n", "0", "-s", "container,srcline" } },
	{ vmmprof_cmd_report, JSON, { "-i", "A", "--json" } },
	{ vmmprof_cmd_report, TEXT, { "-i", "A", "--html", "PAGE" } },
	{ vmmprof_cmd_steal, TEXT, { "-i", "A" } },
	{ vmmprof_cmd_steal, JSON, { "-i", "A", "--json" } },
	{ vmmprof_cmd_steal, TEXT, { "-i", "A", "--csv", "--by", "culprit" } },
	{ vmmprof_cmd_steal, TEXT, { "-i", "A", "--method", "both" } },
	{ vmmprof_cmd_steal, JSON, { "-i", "A", "--method", "both", "--json" } },
	{ vmmprof_cmd_steal,
	  TEXT,
	  { "-i", "A", "--method", "samples", "--csv" } },
	{ vmmprof_cmd_timeline, TEXT, { "-i", "A" } },
	{ vmmprof_cmd_timeline, TEXT, { "-i", "A", "--svg" } },
	{ vmmprof_cmd_timeline, TEXT, { "-i", "A", "--csv" } },
	{ vmmprof_cmd_timeline, BINARY, { "-i", "A", "--perfetto" } },
	{ vmmprof_cmd_export, TEXT, { "-i", "A", "-f", "folded" } },
	{ vmmprof_cmd_export, TEXT, { "-i", "A", "-f", "csv" } },
	{ vmmprof_cmd_export, JSON, { "-i", "A", "-f", "json" } },
	{ vmmprof_cmd_export, JSON, { "-i", "A", "-f", "speedscope" } },
	{ vmmprof_cmd_export, JSON, { "-i", "A", "-f", "firefox" } },
	{ vmmprof_cmd_export, TEXT, { "-i", "A", "-f", "pprof", "-o", "PAGE" } },
	{ vmmprof_cmd_diff, TEXT, { "A", "B" } },
	{ vmmprof_cmd_diff, JSON, { "A", "B", "--json" } },
	{ vmmprof_cmd_diff, TEXT, { "A", "B", "-s", "pid,vcpu,mode,state" } },
	{ vmmprof_cmd_script, TEXT, { "-i", "A" } },
	{ vmmprof_cmd_script, TEXT, { "-i", "A", "--check" } },
	{ vmmprof_cmd_guests, TEXT, { "-i", "A" } },
	{ vmmprof_cmd_guests, JSON, { "-i", "A", "--json" } },
};

#define NR_VIEWS (sizeof(views) / sizeof(views[0]))

/* Beyond the verbs: what needs a function, or a terminal. */
enum { ANNOTATE_TEXT = NR_VIEWS, ANNOTATE_JSON, PANELS, NR_ALL };

static char a_dir[] = "/dev/shm/vmmprof-fuzza-XXXXXX";
static char b_dir[] = "/dev/shm/vmmprof-fuzzb-XXXXXX";
static char page[64];
static int a_fd = -1, b_fd;

/* In place of cmd/confined.c: here the fuzzer's process reads. */
bool vmmprof_confined_begin(const char *verb, const char *dir,
			    const struct vmmprof_bundle_option *options,
			    size_t nr_options)
{
	(void)verb;
	(void)dir;
	(void)options;
	(void)nr_options;
	return true;
}

bool vmmprof_confined_also(const char *verb, const char *dir,
			   const struct vmmprof_bundle_option *options,
			   size_t nr_options)
{
	return vmmprof_confined_begin(verb, dir, options, nr_options);
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
static void check_text(const char *s, size_t size)
{
	unsigned int code;
	size_t len;

	for (; size; s += len, size -= len) {
		len = vmmprof_utf8(s, size, &code);
		if (!len || (code != '\n' && !vmmprof_unicode_columns(code)))
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
	if (shape == TEXT)
		check_text(s, size);
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

static bool any(void *arg, const struct vmmprof_cell_key *key)
{
	(void)arg;
	(void)key;
	return true;
}

/* All functions, without any file of this machine. */
static void annotate(bool json)
{
	struct vmmprof_analysis a;
	struct vmmprof_report r = {
		.dir = a_dir,
		.a = &a,
		.guest = VMMPROF_ANY,
		.vcpu = VMMPROF_ANY,
		.pid = VMMPROF_ANY,
		.event = VMMPROF_ANY,
	};
	struct vmmprof_annotate an = { .report = &r, .function = "f" };
	FILE *out = fopen("/dev/null", "w");

	if (vmmprof_analysis_open(&a, a_dir, NULL, 0) ||
	    vmmprof_analysis_run(&a, VMMPROF_KEEP_ADDR, NULL, NULL))
		goto out;
	if (!vmmprof_names_init(&r.names, &a) &&
	    !vmmprof_hot_places_init(&an.places, &a, any, NULL) &&
	    an.places.nr) {
		if (json)
			vmmprof_annotate_json(&an, out);
		else
			vmmprof_annotate_text(&an, out);
	}
	vmmprof_hot_places_deinit(&an.places);
	vmmprof_names_deinit(&r.names);
out:
	vmmprof_analysis_close(&a);
	fclose(out);
}

static void press(struct vmmprof_panels *p, struct vmmprof_grid *g,
		  const uint8_t *bytes)
{
	static const __u32 keys[] = {
		VMMPROF_KEY_UP,
		VMMPROF_KEY_DOWN,
		VMMPROF_KEY_LEFT,
		VMMPROF_KEY_RIGHT,
		VMMPROF_KEY_PGUP,
		VMMPROF_KEY_PGDN,
		VMMPROF_KEY_HOME,
		VMMPROF_KEY_END,
		VMMPROF_KEY_ENTER,
		VMMPROF_KEY_TAB,
		VMMPROF_KEY_BACKSPACE,
		VMMPROF_KEY_ESC,
		VMMPROF_KEY_CLICK,
		VMMPROF_KEY_SCROLL_UP,
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
		'c',
		'p',
		'u',
	};
	char line[4 * VMMPROF_GRID_W];
	size_t i, y;

	for (i = 0; i < KEYS; i++) {
		struct vmmprof_tui_event ev = {
			.key = keys[bytes[i] % (sizeof(keys) / sizeof(*keys))],
			.x = bytes[i] * 7 % g->w,
			.y = bytes[i] % g->h,
		};

		if (!vmmprof_panels_key(p, &ev))
			return;
		vmmprof_panels_draw(p, g);
		for (y = 0; y < g->h; y++) {
			vmmprof_grid_line(g, y, line, sizeof(line));
			check_text(line, strlen(line));
		}
	}
}

static void panels(const uint8_t *keys)
{
	struct vmmprof_slices slices = { 0 };
	struct vmmprof_names names = { 0 };
	struct vmmprof_panels p = { 0 };
	struct vmmprof_timeline tl;
	struct vmmprof_analysis a;
	struct vmmprof_grid g;

	if (vmmprof_analysis_open(&a, a_dir, NULL, 0)) {
		vmmprof_analysis_close(&a);
		return;
	}
	if (!vmmprof_timeline_init(&tl, &a, false) &&
	    !vmmprof_slice_pass(&a, &tl, &slices, VMMPROF_KEEP_ADDR, 0) &&
	    !vmmprof_names_init(&names, &a) &&
	    !vmmprof_panels_init(&p, &tl, &slices, &names) &&
	    !vmmprof_grid_init(&g, 40 + keys[0] % 120, 10 + keys[1] % 40,
			       true)) {
		p.title = "fuzz";
		press(&p, &g, keys);
		vmmprof_grid_deinit(&g);
	}
	vmmprof_panels_deinit(&p);
	vmmprof_names_deinit(&names);
	vmmprof_slices_deinit(&slices);
	vmmprof_timeline_deinit(&tl);
	vmmprof_analysis_close(&a);
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
	vmmprof_saturated = false;
	half = size - 1 - KEYS;
	if (which < NR_VIEWS && views[which].verb == vmmprof_cmd_diff) {
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
