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
		ret = timeline_init(&tl, &a, false);
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
