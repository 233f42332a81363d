// SPDX-License-Identifier: GPL-2.0-only
/* Slices that become wider to keep their bound have the same sums. */

#include <stdlib.h>
#include <unistd.h>

#include "test.h"
#include "cmd/analysis_open.h"
#include "cmd/slice_pass.h"

struct sums {
	struct slices s;
	__u64 samples, half;
	__u64 ticks[NR_STATES], on_cpu, idle;
};

static void add(struct sums *x, const struct timeline *tl)
{
	size_t i, k;

	for (i = 0; i < tl->nr; i++) {
		for (k = 0; k < NR_STATES; k++)
			x->ticks[k] += tl->tracks[i]->ticks[k];
		for (k = 0; k < NR_ON_CPU; k++)
			x->on_cpu += tl->tracks[i]->on_cpu[k];
		x->idle += tl->tracks[i]->idle;
	}
}

/* Of tests/data/steal.txt. */
static int pass(size_t max, struct sums *x)
{
	static struct analysis a;
	struct timeline tl;
	char top[64], dir[80], cmd[256];
	int ret;

	memset(x, 0, sizeof(*x));
	strcpy(top, "/tmp/vmmprof-test-XXXXXX");
	if (!mkdtemp(top))
		abort();
	snprintf(dir, sizeof(dir), "%s/s", top);
	snprintf(cmd, sizeof(cmd),
		 "tests/gen/mksession.py tests/data/steal.txt %s", dir);
	if (system(cmd))
		abort();
	ret = analysis_open(&a, dir, NULL, 0);
	if (!ret)
		ret = timeline_init(&tl, &a, GAPS_WITHOUT_SWITCHES);
	if (!ret)
		ret = slice_pass(&a, &tl, &x->s, 0, max);
	if (!ret) {
		slices_apply(&x->s, 0, VMMPROF_SLICES / 2 - 1);
		x->half = a.profile.samples;
		slices_apply(&x->s, 0, VMMPROF_SLICES - 1);
		x->samples = a.profile.samples;
		add(x, &tl);
	}
	slices_deinit(&x->s);
	timeline_deinit(&tl);
	analysis_close(&a);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", top);
	return ret ? ret : system(cmd);
}

TEST(wider_slices_have_the_same_sums)
{
	struct sums all, few, one;

	TEST_EQ(pass(0, &all), 0);
	TEST_OK(all.samples > all.half && all.half);
	TEST_EQ(pass(100, &few), 0);
	/* all is in the lower half then */
	TEST_EQ(few.half, few.samples);
	TEST_EQ(few.samples, all.samples);
	TEST_EQ(few.on_cpu, all.on_cpu);
	TEST_EQ(few.idle, all.idle);
	TEST_OK(!memcmp(few.ticks, all.ticks, sizeof(all.ticks)));
	/* fewer than there are in one slice cannot be had */
	TEST_EQ(pass(1, &one), 0);
	TEST_EQ(one.samples, all.samples);
	TEST_OK(!memcmp(one.ticks, all.ticks, sizeof(all.ticks)));
	return 0;
}

/* A sample of the time @tsc, as a pass has it, in bucket @bucket. */
static int add_sample(struct slices *s, struct analysis *a, __u64 tsc,
		      size_t bucket)
{
	union rec rec = { .sample.hdr.type = VMMPROF_REC_SAMPLE };
	struct resolved w = { 0 };

	rec.sample.hdr.tsc = tsc;
	rec.sample.event = VMMPROF_MAX_EVENTS; /* of no vCPU's time */
	a->profile.last = bucket;
	return slices_record(a, s, &rec, &w);
}

/* What bucket @bucket has in slice @slice. */
static __u64 in_slice(const struct slices *s, size_t slice, __u32 bucket)
{
	struct slice_cell c;
	__u64 n = 0;
	size_t i;

	for (i = 0; i < s->nr; i++) {
		c = slices_cell(s, i);
		if (c.kind == SLICE_SAMPLES && c.slice == slice &&
		    c.bucket == bucket)
			n += c.n;
	}
	return n;
}

#define BACK_AND_FORTH 100000

TEST(time_that_goes_back_and_forth_takes_no_more_memory)
{
	static struct analysis a;
	struct timeline tl;
	struct slices s;
	__u64 i;

	memset(&a, 0, sizeof(a));
	TEST_EQ(timeline_init(&tl, &a, GAPS_WITHOUT_SWITCHES), 0);
	slices_init(&s, &tl, 0, VMMPROF_SLICES * 100ull);
	for (i = 0; i < BACK_AND_FORTH; i++) {
		TEST_EQ(add_sample(&s, &a, 150, 3), 0);
		TEST_EQ(add_sample(&s, &a, 50, i % 2), 0);
	}
	TEST_OK(s.nr < BACK_AND_FORTH);
	TEST_EQ(slices_finish(&s, 200), 0);
	TEST_EQ(slices_trim(&s), 0);
	TEST_EQ(s.nr, 3);
	TEST_EQ(in_slice(&s, 1, 3), BACK_AND_FORTH);
	TEST_EQ(in_slice(&s, 0, 0), BACK_AND_FORTH / 2);
	TEST_EQ(in_slice(&s, 0, 1), BACK_AND_FORTH / 2);
	/* another stretch begins with nothing */
	slices_clear(&s, 0);
	TEST_EQ(add_sample(&s, &a, 50, 1), 0);
	slices_clear(&s, 0);
	TEST_EQ(add_sample(&s, &a, 50, 2), 0);
	TEST_EQ(slices_finish(&s, 200), 0);
	TEST_EQ(s.nr, 1);
	TEST_EQ(in_slice(&s, 0, 2), 1);
	slices_deinit(&s);
	timeline_deinit(&tl);
	analysis_close(&a);
	return 0;
}
