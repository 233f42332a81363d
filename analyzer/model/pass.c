// SPDX-License-Identifier: GPL-2.0-only
/* Runs over the records of a session once. */

#include "model/known_samples.h"
#include "model/pass.h"
#include "model/sample_runs.h"

/*
 * @runs: NULL, or told of samples that are counted before the others, in slices if
 * there are any.
 */
static int run(struct analysis *a, unsigned int keep,
	       const struct record_user *user, struct sample_runs *runs,
	       struct slices *slices)
{
	const bool each = user->fn && !runs; /* sample in its turn */
	struct known_samples known;
	struct merge m;
	int ret, err;

	ret = analysis_begin(a, keep);
	if (!ret)
		ret = session_merge(&a->session, &m);
	if (ret)
		return ret;
	if (runs)
		ret = sample_runs_init(runs, &m);
	if (!ret) {
		known_samples_begin(&known, a, each ? 0 : keep, &m, runs,
				    slices);
		ret = analysis_records(a, &m, user);
		err = known_samples_end(&known);
		ret = ret ? ret : err;
	}
	err = analysis_end(a, &m);
	merge_deinit(&m);
	return ret ? ret : err;
}

int analysis_run(struct analysis *a, unsigned int keep, record_fn *fn,
		 void *arg)
{
	const struct record_user user = { .fn = fn, .arg = arg };

	return run(a, fn ? keep : keep | KEEP_BARE, &user, NULL, NULL);
}

/* A timeline may be told of samples in runs. */
static int run_timeline(struct timeline *tl, unsigned int keep,
			struct record_user *user, struct slices *slices)
{
	struct sample_runs runs = { .tl = tl };
	int err;

	user->again = timeline_record;
	user->again_arg = tl;
	if (sample_runs_may(tl)) {
		tl->runs = &runs;
		user->before = sample_runs_record;
		user->before_arg = &runs;
	}
	err = run(tl->a, keep | KEEP_BARE, user, tl->runs, slices);
	tl->runs = NULL;
	sample_runs_deinit(&runs);
	return err;
}

int timeline_run(struct timeline *tl, unsigned int keep)
{
	struct record_user user = { .fn = timeline_record, .arg = tl };
	int err = run_timeline(tl, keep, &user, NULL);

	return err ? err : timeline_finish(tl);
}

int slices_run(struct slices *s, unsigned int keep, record_fn *fn, void *arg)
{
	struct record_user user = { .fn = fn, .arg = arg };

	return run_timeline(s->tl, keep, &user, s);
}
