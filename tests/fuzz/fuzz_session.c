// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer entry: a whole session, through to report, JSON, script and steal.
 * Its files are made of the input by files.h, the corpus by corpus.py.
 */

#include <stdio.h>

#include "files.h"
#include "view/record_text.h"
#include "view/report.h"
#include "view/steal.h"

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

static void show(struct vmmprof_analysis *a)
{
	struct vmmprof_report r = {
		.dir = dir,
		.a = a,
		.guest = VMMPROF_ANY,
		.vcpu = VMMPROF_ANY,
		.pid = VMMPROF_ANY,
		.event = VMMPROF_ANY,
		.limit = 5,
	};

	if (!vmmprof_names_init(&r.names, a) &&
	    !vmmprof_account_init(&r.account, a)) {
		/* The account adds up whatever is in the files. */
		if (!r.account.adds_up)
			abort();
		vmmprof_report_text(&r, out);
		vmmprof_report_json(&r, out);
	}
	vmmprof_account_deinit(&r.account);
	vmmprof_names_deinit(&r.names);
}

/* Whatever is in the files, a vCPU's states sum to its time. */
static void steal(struct vmmprof_analysis *a)
{
	struct vmmprof_timeline tl;
	struct vmmprof_steal s = { 0 };
	size_t i;
	bool exact;

	if (vmmprof_timeline_init(&tl, a, false) ||
	    vmmprof_analysis_run(a, 0, vmmprof_timeline_record, &tl) ||
	    vmmprof_timeline_finish(&tl))
		goto out;
	exact = vmmprof_timeline_exact(&tl);
	if (vmmprof_steal_init(&s, &tl, exact, false))
		goto out;
	for (i = 0; exact && i < s.nr_rows; i++)
		if (s.rows[i].track != VMMPROF_NONE &&
		    s.rows[i].total !=
			    tl.tracks[s.rows[i].track]->end -
				    tl.tracks[s.rows[i].track]->begin)
			abort();
	vmmprof_steal_text(&s, out);
	vmmprof_steal_json(&s, out);
	vmmprof_steal_csv(&s, out);
out:
	vmmprof_steal_deinit(&s);
	vmmprof_timeline_deinit(&tl);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vmmprof_record_view view = { .tsc_khz = 1000000 };
	struct vmmprof_analysis a;

	if (dirfd < 0)
		setup();
	fuzz_write(dirfd, data, size);
	view.out = out;
	if (!vmmprof_analysis_open(&a, dir, NULL, 0) &&
	    !vmmprof_analysis_run(&a, VMMPROF_KEEP_CPU | VMMPROF_KEEP_EXIT,
				  vmmprof_record_put, &view))
		show(&a);
	vmmprof_analysis_close(&a);
	if (!vmmprof_analysis_open(&a, dir, NULL, 0))
		steal(&a);
	vmmprof_analysis_close(&a);
	return 0;
}
