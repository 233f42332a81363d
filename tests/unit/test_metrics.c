// SPDX-License-Identifier: GPL-2.0-only
/*
 * Metrics of one window after the other: never less than before, in their sums
 * what the whole session has, and no more series than there may be.
 */

#include "live_session.h"
#include "view/metrics.h"
#include "model/pass.h"

static __u64 sum_of(const struct metrics_parts *p)
{
	__u64 sum = 0;
	size_t i;

	for (i = 0; i < p->nr; i++)
		sum += p->parts[i].ns;
	return sum;
}

static size_t bounded(const struct metrics_parts *p)
{
	size_t i, nr = 0;

	for (i = 0; i < p->nr; i++)
		nr += p->parts[i].bounded;
	return nr;
}

static const struct metrics_part *part_of(const struct metrics_parts *p,
					  const char *name)
{
	size_t i;

	for (i = 0; i < p->nr; i++)
		if (!strcmp(p->parts[i].name, name))
			return &p->parts[i];
	return NULL;
}

static __u64 time_of(const struct metrics_vm *vm)
{
	__u64 sum = 0;
	size_t i;

	for (i = 0; i < STEAL_COLUMNS; i++)
		sum += vm->state[i].ticks;
	return sum;
}

/* A finished pass over the whole session. */
static int whole_of(const char *data, struct analysis *a, struct timeline *tl)
{
	char cmd[256], dir[] = "/tmp/vmmprof-metrics-XXXXXX", path[64];
	int err;

	if (!mkdtemp(dir))
		return -errno;
	snprintf(path, sizeof(path), "%s/s", dir);
	snprintf(cmd, sizeof(cmd), "tests/gen/mksession.py tests/data/%s %s",
		 data, path);
	err = system(cmd) ? -EIO : analysis_open(a, path, NULL, 0);
	if (!err)
		err = timeline_init(tl, a, GAPS_WITHOUT_SWITCHES);
	if (!err)
		err = timeline_run(tl, 0);
	snprintf(cmd, sizeof(cmd), "rm -r %s", dir);
	return system(cmd) ? -EIO : err;
}

/* A window is read so far; the first ring is emptied some time later. */
static int look(struct recorded *s, __u64 until)
{
	return drain(&s->file[0], until + MS / 3) ?:
		       drain(&s->file[1], until)  ?:
						    live_more(&s->l, until);
}

/* Metrics of a TSC whose ticks are no whole nanoseconds. */
static int windows_of(__u64 khz, __u64 step, unsigned int looks)
{
	struct metrics m = { 0 }, all = { 0 };
	const struct metrics_vm *vm, *want;
	struct timeline tl;
	struct recorded s;
	struct analysis a;
	__u64 until, last[8] = { 0 };
	size_t i, k;

	TEST_EQ(begin(&s), 0);
	s.l.tl.khz = khz;
	for (until = 100 * MS + step; until <= 1100 * MS; until += step) {
		for (k = looks; k; k--)
			TEST_EQ(look(&s, until - k * MS), 0);
		TEST_EQ(interval(&s, until, 0, false), 0);
		TEST_EQ(metrics_add(&m, &s.l.tl), 0);
		m.samples += s.l.samples;
		TEST_EQ(s.l.samples, s.l.a.profile.samples);
		for (i = 0; i < m.nr; i++) {
			vm = &m.vms[i];
			TEST_EQ(sum_of(&vm->thieves),
				vm->state[COLUMN_STEAL].ns);
			TEST_EQ(sum_of(&vm->reasons), vm->state[COLUMN_VMM].ns);
			/* a window of a vCPU is as long as it is */
			TEST_EQ((time_of(vm) - last[i]) % step, 0);
			TEST_OK(time_of(vm) - last[i] <= 2 * step);
			last[i] = time_of(vm);
		}
	}
	TEST_EQ(whole_of("steal.txt", &a, &tl), 0);
	tl.khz = khz;
	TEST_EQ(metrics_add(&all, &tl), 0);
	TEST_EQ(m.samples, a.counts.samples);
	TEST_EQ(m.nr, all.nr);
	TEST_EQ(m.nr, 3);
	for (i = 0; i < m.nr; i++) {
		vm = &m.vms[i];
		for (k = 0; k < all.nr; k++)
			if (!strcmp(all.vms[k].name, vm->name))
				break;
		TEST_OK(k < all.nr);
		want = &all.vms[k];
		/* what interrupted an interval is of the same state */
		TEST_EQ(vm->state[COLUMN_STEAL].ns,
			want->state[COLUMN_STEAL].ns);
		TEST_EQ(vm->state[COLUMN_BLOCKED].ns,
			want->state[COLUMN_BLOCKED].ns);
		TEST_EQ(time_of(vm), time_of(want));
	}
	timeline_deinit(&tl);
	analysis_close(&a);
	metrics_deinit(&m);
	metrics_deinit(&all);
	end(&s);
	return 0;
}

TEST(windows_sum_to_the_whole)
{
	return windows_of(1000000, 50 * MS, 0);
}

TEST(windows_of_a_tsc_with_fractions_sum_to_the_whole)
{
	return windows_of(2894321, 8 * MS, 0);
}

TEST(windows_that_are_read_bit_by_bit_sum_to_the_whole)
{
	return windows_of(1000000, 50 * MS, 40);
}

TEST(many_bits_are_one_window)
{
	return windows_of(2894321, 1000 * MS, 900);
}

/* Has process @name take ticks of track 0, beside all that was taken before. */
static int take(struct timeline *tl, const char *name, __u64 ticks)
{
	struct thieves *cs = &tl->thieves;
	char comm[16] = "";
	__u32 owner, thief;

	snprintf(comm, sizeof(comm), "%s", name);
	tl->tracks[0]->ticks[STATE_PREEMPTED] += ticks;
	return owner_named(&cs->owners, OF_PROCESS, name, &owner)	      ?:
		       thief_named(cs, BY_PROCESS, owner, 4000, comm, &thief) ?:
		       thieves_add(cs, 0, thief, false, ticks);
}

static void forget(struct timeline *tl)
{
	size_t i;

	for (i = 0; i < tl->nr; i++)
		memset(tl->tracks[i]->ticks, 0, sizeof(tl->tracks[i]->ticks));
	for (i = 0; i < tl->thieves.nr_stolen; i++) {
		tl->thieves.stolen[i].preempted = 0;
		tl->thieves.stolen[i].woken = 0;
	}
}

/* A window in which t1 to t12 take as many milliseconds, @more takes some more. */
static int window(struct metrics *m, struct timeline *tl, const char *more,
		  __u64 ticks)
{
	char name[16];
	unsigned int i;
	int err = 0;

	forget(tl);
	for (i = 1; i <= 12 && !err; i++) {
		snprintf(name, sizeof(name), "t%u", i);
		err = take(tl, name, i * MS);
	}
	if (!err && more)
		err = take(tl, more, ticks);
	return err ? err : metrics_add(m, tl);
}

TEST(a_vm_has_a_bounded_number_of_thieves)
{
	const struct metrics_part *p;
	struct metrics m = { 0 };
	struct timeline tl;
	struct analysis a;
	unsigned int i;
	__u64 ended;

	TEST_EQ(whole_of("owners.txt", &a, &tl), 0);
	TEST_EQ(window(&m, &tl, NULL, 0), 0);
	TEST_EQ(m.nr, 1);
	TEST_EQ(bounded(&m.vms[0].thieves), METRICS_THIEVES);
	/* the largest have a series, t1 and t2 none */
	TEST_OK(part_of(&m.vms[0].thieves, "t3"));
	TEST_OK(!part_of(&m.vms[0].thieves, "t2"));
	TEST_EQ(part_of(&m.vms[0].thieves, "other")->ns, 3 * MS);
	for (i = 1; i < 20; i++)
		TEST_EQ(window(&m, &tl, "more", 5 * MS), 0);
	/* ... and keep it beside one that takes a little more than they do */
	TEST_OK(part_of(&m.vms[0].thieves, "t3"));
	TEST_OK(!part_of(&m.vms[0].thieves, "more"));
	TEST_EQ(part_of(&m.vms[0].thieves, "other")->ns,
		3 * MS * 20 + 5 * MS * 19);
	TEST_EQ(sum_of(&m.vms[0].thieves), m.vms[0].state[COLUMN_STEAL].ns);
	/* one that takes far more gets the series of the least */
	ended = part_of(&m.vms[0].thieves, "t3")->ns;
	TEST_EQ(window(&m, &tl, "far_more", 80 * MS), 0);
	TEST_OK(!part_of(&m.vms[0].thieves, "t3"));
	p = part_of(&m.vms[0].thieves, "far_more");
	TEST_OK(p);
	TEST_EQ(p->ns, 80 * MS);
	TEST_EQ(bounded(&m.vms[0].thieves), METRICS_THIEVES);
	TEST_EQ(sum_of(&m.vms[0].thieves) + ended,
		m.vms[0].state[COLUMN_STEAL].ns);
	timeline_deinit(&tl);
	analysis_close(&a);
	metrics_deinit(&m);
	return 0;
}

TEST(a_vm_that_is_gone_has_no_series_after_a_while)
{
	struct metrics m = { 0 };
	struct timeline tl;
	struct analysis a;
	unsigned int i;

	TEST_EQ(whole_of("owners.txt", &a, &tl), 0);
	TEST_EQ(metrics_add(&m, &tl), 0);
	TEST_EQ(m.nr, 3);
	forget(&tl);
	for (i = 0; i < METRICS_KEEP; i++)
		TEST_EQ(metrics_add(&m, &tl), 0);
	TEST_EQ(m.nr, 3);
	TEST_EQ(metrics_add(&m, &tl), 0);
	TEST_EQ(m.nr, 0);
	timeline_deinit(&tl);
	analysis_close(&a);
	metrics_deinit(&m);
	return 0;
}

TEST(the_oldest_maps_of_vms_of_one_name_count)
{
	static char text[65536];
	struct metrics m = { 0 };
	struct timeline tl;
	struct analysis a;
	FILE *out;

	TEST_EQ(whole_of("owners.txt", &a, &tl), 0);
	TEST_EQ(metrics_add(&m, &tl), 0);
	metrics_maps(&m, &tl, 0, 7 * 1000 * MS, "ssh");
	metrics_maps(&m, &tl, 0, 9 * 1000 * MS, "memory");
	metrics_maps(&m, &tl, 0, 8 * 1000 * MS, "ssh");
	out = fmemopen(text, sizeof(text), "w");
	metrics_put(&m, out);
	fclose(out);
	TEST_OK(strstr(text, "# TYPE vmmprof_guest_maps_age_seconds gauge\n"));
	TEST_OK(strstr(
		text, "_seconds{vm=\"web\",source=\"memory\"} 9.000000000\n#"));
	/* of the next window they are not known yet */
	TEST_EQ(metrics_add(&m, &tl), 0);
	out = fmemopen(text, sizeof(text), "w");
	metrics_put(&m, out);
	fclose(out);
	TEST_OK(!strstr(text, "maps_age"));
	timeline_deinit(&tl);
	analysis_close(&a);
	metrics_deinit(&m);
	return 0;
}
