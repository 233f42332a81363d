// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer entry: a whole session, through to report, JSON, script and steal.
 * Its files are made of the input by files.h, the corpus by corpus.py.
 */

#include <stdio.h>

#include "files.h"
#include "cmd/analysis_open.h"
#include "view/record_text.h"
#include "view/report.h"
#include "view/steal_matrix_json.h"
#include "model/pass.h"

static char dir[] = "/dev/shm/vmmprof-fuzz-XXXXXX";
static int dirfd = -1;
static FILE *out;

static void cleanup(void)
{
	fuzz_no_dir(dirfd, dir);
}

static void setup(void)
{
	dirfd = fuzz_dir(dir);
	out = fopen("/dev/null", "w");
	atexit(cleanup);
}

static void show(struct analysis *a)
{
	struct report r = {
		.dir = dir,
		.a = a,
		.guest = VMMPROF_ANY,
		.vcpu = VMMPROF_ANY,
		.pid = VMMPROF_ANY,
		.event = VMMPROF_ANY,
		.limit = 5,
	};

	if (!names_init(&r.names, a) && !account_init(&r.account, a)) {
		/* The account adds up whatever is in the files. */
		if (!r.account.adds_up)
			abort();
		report_text(&r, out);
		report_json(&r, out);
	}
	account_deinit(&r.account);
	names_deinit(&r.names);
}

/* Whatever is in the files, a vCPU's states sum to its time. */
static void steal(struct analysis *a)
{
	struct timeline tl;
	struct steal_matrix m = { 0 };
	struct verdicts v = { 0 };
	struct steal s = { 0 };
	size_t i;
	bool exact;

	if (timeline_init(&tl, a, GAPS_ALWAYS) ||
	    analysis_run(a, 0, timeline_record, &tl) || timeline_finish(&tl))
		goto out;
	exact = timeline_exact(&tl);
	if (steal_init(&s, &tl, exact, false))
		goto out;
	for (i = 0; exact && i < s.nr_rows; i++)
		if (s.rows[i].track != VMMPROF_NONE &&
		    s.rows[i].total !=
			    tl.tracks[s.rows[i].track]->end -
				    tl.tracks[s.rows[i].track]->begin)
			abort();
	if (!verdicts_init(&v, &tl, exact) &&
	    !steal_matrix_init(&m, &tl, exact, MATRIX_PROCESS)) {
		steal_text(&s, &v, &m, 80, true, out);
		steal_json(&s, &v, &m, MATRIX_PROCESS, out);
		steal_matrix_csv(&s, &m, out);
	}
	steal_matrix_deinit(&m);
	verdicts_deinit(&v);
	steal_csv(&s, out);
out:
	steal_deinit(&s);
	timeline_deinit(&tl);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct record_view view = { .tsc_khz = 1000000 };
	struct analysis a;

	if (dirfd < 0)
		setup();
	fuzz_write(dirfd, data, size);
	view.out = out;
	if (!analysis_open(&a, dir, NULL, 0) &&
	    !analysis_run(&a, KEEP_CPU | KEEP_EXIT, record_put, &view))
		show(&a);
	analysis_close(&a);
	if (!analysis_open(&a, dir, NULL, 0))
		steal(&a);
	analysis_close(&a);
	return 0;
}
