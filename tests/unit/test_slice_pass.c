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

/* Without its address, a bucket is the one of all its function's samples. */
static bool same_but_addr(const struct bucket *x, const struct bucket *y)
{
	struct bucket_key a = x->key, b = y->key;

	a.addr = 0;
	a.file = 0;
	b.addr = 0;
	b.file = 0;
	return !memcmp(&a, &b, sizeof(a));
}

static const char two_addresses[] =
	"file info\n  event index=0 name=x\n  end\n"
	"file host\n  kallsyms\n"
	"    ffffffff81000000 T f\n    ffffffff81000100 T g\n"
	"    ffffffff82000000 T _etext\n  .\n  end\n"
	"file cpu-0.rec\n"
	"  sample tsc=10 flags=N ip=0xffffffff81000008\n"
	"  sample tsc=11 flags=N ip=0xffffffff81000018\n"
	"  sample tsc=12 flags=N ip=0xffffffff81000108\n";

/* How many pairs of counts are of one function and differ by addresses. */
static size_t same_functions(bool no_addr, __u64 *samples)
{
	static struct analysis a;
	struct slices s = { 0 };
	struct timeline tl;
	char dir[] = "/tmp/vmmprof-test-XXXXXX", cmd[256];
	size_t i, k, same = 0;
	__u64 end;
	FILE *f;

	if (!mkdtemp(dir))
		abort();
	snprintf(cmd, sizeof(cmd), "%s/d", dir);
	f = fopen(cmd, "w");
	if (!f || fputs(two_addresses, f) < 0 || fclose(f))
		abort();
	snprintf(cmd, sizeof(cmd), "tests/gen/mksession.py %s/d %s/s", dir,
		 dir);
	if (system(cmd))
		abort();
	snprintf(cmd, sizeof(cmd), "%s/s", dir);
	if (analysis_open(&a, cmd, NULL, 0) ||
	    timeline_init(&tl, &a, GAPS_WITHOUT_SWITCHES) ||
	    slice_pass_begin(&a, &tl, &s, &end))
		abort();
	s.no_addr = no_addr;
	if (slice_pass_run(&a, &s, KEEP_ADDR, 0, end, NULL))
		abort();
	for (i = 0, *samples = 0; i < s.nr; i++) {
		struct slice_cell x = slices_cell(&s, i);

		if (x.kind != SLICE_SAMPLES)
			continue;
		*samples += x.n;
		for (k = 0; k < i; k++) {
			struct slice_cell y = slices_cell(&s, k);

			same += y.kind == SLICE_SAMPLES &&
				x.bucket != y.bucket &&
				same_but_addr(&a.profile.buckets[x.bucket],
					      &a.profile.buckets[y.bucket]);
		}
	}
	TEST_EQ(*samples, a.profile.samples);
	slices_deinit(&s);
	timeline_deinit(&tl);
	analysis_close(&a);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	if (system(cmd))
		abort();
	return same;
}

TEST(addresses_of_a_function_are_counted_together)
{
	__u64 all, plain;

	TEST_EQ(same_functions(false, &all), 1);
	TEST_EQ(same_functions(true, &plain), 0);
	TEST_EQ(all, plain);
	return 0;
}
