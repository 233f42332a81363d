// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whom thieves belong to, and the matrix of victims by thieves: of
 * tests/data/owners.txt every cell, of all data the sums to the tick.
 */

#include <stdio.h>

#include "test.h"
#include "cmd/analysis_open.h"
#include "model/steal_matrix.h"
#include "model/timeline.h"
#include "model/pass.h"
#include "view/verdict.h"

#define MS 1000000ull

struct read {
	struct analysis a;
	struct timeline tl;
	char dir[64];
};

static int begin(struct read *r, const char *data)
{
	char cmd[256], path[128];
	int err;

	memset(r, 0, sizeof(*r));
	strcpy(r->dir, "/tmp/vmmprof-matrix-XXXXXX");
	if (!mkdtemp(r->dir))
		return -errno;
	snprintf(cmd, sizeof(cmd),
		 "tests/gen/mksession.py tests/data/%s.txt %s/s", data, r->dir);
	if (system(cmd))
		return -EIO;
	snprintf(path, sizeof(path), "%s/s", r->dir);
	err = analysis_open(&r->a, path, NULL, 0);
	if (!err)
		err = timeline_init(&r->tl, &r->a, GAPS_ALWAYS);
	return err ? err : timeline_run(&r->tl, 0);
}

static void end(struct read *r)
{
	char cmd[128];

	timeline_deinit(&r->tl);
	analysis_close(&r->a);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", r->dir);
	if (system(cmd))
		printf("# %s stays\n", r->dir);
}

/* "KIND NAME" of an owner. */
static const char *owner_text(const struct timeline *tl, __u32 owner)
{
	const struct owners *os = &tl->thieves.owners;
	const struct owner *o;
	const char *name;
	static char text[128];

	if (owner == VMMPROF_NONE)
		return "programs";
	o = &os->owners[owner];
	name = o->kind == OF_VM ? tl->a->resolver.guests.guests[o->id].name :
	       o->kind == OF_UNIT || o->kind == OF_CONTAINER ||
			       o->kind == OF_PROCESS ?
				  strings_get(&os->names, o->id) :
				  "";
	snprintf(text, sizeof(text), "%s %s", owner_key(o->kind), name);
	return text;
}

/* Milliseconds that an owner took from the guest number @guest. */
static long long took(const struct timeline *tl, const struct steal_matrix *m,
		      __u32 guest, const char *owner)
{
	__u64 sum = 0;
	size_t i;

	for (i = 0; i < m->nr_cells; i++)
		if (m->victims[m->cells[i].victim].guest == guest &&
		    !strcmp(owner_text(tl, m->thieves[m->cells[i].thief].owner),
			    owner))
			sum += m->cells[i].ticks;
	TEST_EQ(sum % MS, 0);
	return sum / MS;
}

TEST(every_thief_belongs_to_somebody)
{
	struct steal_matrix m;
	struct read r;

	TEST_EQ(begin(&r, "owners"), 0);
	TEST_EQ(steal_matrix_init(&m, &r.tl, true, MATRIX_UNIT), 0);
	/* vCPU 100, worker 20, vhost by name 20, by group 10, virtiofsd 30 */
	TEST_EQ(took(&r.tl, &m, 0, "vm noisy"), 180);
	TEST_EQ(took(&r.tl, &m, 0, "unit backup.service"), 60);
	TEST_EQ(took(&r.tl, &m, 0, "container docker:0123456789ab"), 40);
	TEST_EQ(took(&r.tl, &m, 0, "process make"), 20);
	TEST_EQ(took(&r.tl, &m, 0, "process sh"), 20);
	TEST_EQ(took(&r.tl, &m, 0, "kernel "), 10);
	TEST_EQ(took(&r.tl, &m, 0, "interrupts "), 10);
	TEST_EQ(took(&r.tl, &m, 0, "process vhost-600"), 20);
	TEST_EQ(took(&r.tl, &m, 0, "vm web"), 20);
	TEST_EQ(took(&r.tl, &m, 0, "nobody "), 10);
	TEST_EQ(took(&r.tl, &m, 1, "vm web"), 10);
	TEST_EQ(m.nr_thieves, 10);
	TEST_EQ(m.nr_victims, 3);
	TEST_EQ(m.victims[0].lost, 390 * MS);
	TEST_EQ(m.victims[0].time, 1000 * MS);
	TEST_EQ(m.lost, 400 * MS);
	TEST_EQ(m.time, 3000 * MS);
	/* in the order of what they took */
	TEST_STR(owner_text(&r.tl, m.thieves[0].owner), "vm noisy");
	TEST_EQ(m.cells[0].ticks, 180 * MS);
	TEST_EQ(m.cells[0].longest, 100 * MS);
	steal_matrix_deinit(&m);
	end(&r);
	return 0;
}

TEST(the_same_time_by_other_lines_and_columns)
{
	struct steal_matrix m;
	struct read r;

	TEST_EQ(begin(&r, "owners"), 0);
	TEST_EQ(steal_matrix_init(&m, &r.tl, true, MATRIX_VM), 0);
	TEST_EQ(took(&r.tl, &m, 0, "programs"), 160);
	TEST_EQ(took(&r.tl, &m, 0, "vm noisy"), 180);
	TEST_EQ(m.nr_thieves, 6);
	steal_matrix_deinit(&m);
	TEST_EQ(steal_matrix_init(&m, &r.tl, true, MATRIX_PROCESS), 0);
	/* tar and its thread, make, sh, python3, vhost-600, kworker, ksoftirqd */
	TEST_EQ(m.nr_thieves, 11);
	TEST_EQ(took(&r.tl, &m, 0, "unit backup.service"), 60);
	steal_matrix_deinit(&m);
	TEST_EQ(steal_matrix_init(&m, &r.tl, true, MATRIX_VCPU), 0);
	/* noisy's vCPU and its other threads */
	TEST_EQ(m.nr_thieves, 12);
	TEST_EQ(m.nr_victims, 3);
	TEST_EQ(m.victims[0].track, 0);
	TEST_EQ(took(&r.tl, &m, 0, "vm noisy"), 180);
	steal_matrix_deinit(&m);
	end(&r);
	return 0;
}

/* Both sides of a matrix against the accounts. */
static int sums(const struct timeline *tl, bool exact, enum matrix_by by)
{
	__u64 lost = 0, time = 0, took = 0, want = 0, line;
	struct steal_matrix m;
	struct track_sum sum;
	size_t i, k;

	TEST_EQ(steal_matrix_init(&m, tl, exact, by), 0);
	for (i = 0; i < m.nr_victims; i++) {
		line = 0;
		for (k = 0; k < m.victims[i].nr_cells; k++)
			line += m.cells[m.victims[i].cell + k].ticks;
		TEST_EQ(line, m.victims[i].lost);
		lost += line;
		time += m.victims[i].time;
	}
	for (i = 0; i < m.nr_thieves; i++)
		took += m.thieves[i].took;
	TEST_EQ(lost, m.lost);
	TEST_EQ(took, m.lost);
	TEST_EQ(time, m.time);
	for (i = 0; i < tl->nr; i++) {
		if (exact) {
			track_sum(tl->tracks[i], &sum);
			want += sum.steal;
		} else {
			want += tl->gaps.by_track[i].steal * tl->period;
		}
	}
	TEST_EQ(want, m.lost);
	TEST_OK(m.lost > 0);
	steal_matrix_deinit(&m);
	return 0;
}

TEST(sums_of_both_sides_are_the_accounts)
{
	static const char *const data[] = { "owners", "steal" };
	unsigned int by;
	struct read r;
	size_t i;

	for (i = 0; i < 2; i++) {
		TEST_EQ(begin(&r, data[i]), 0);
		for (by = MATRIX_VM; by <= MATRIX_PROCESS; by++) {
			TEST_EQ(sums(&r.tl, true, by), 0);
			TEST_EQ(sums(&r.tl, false, by), 0);
		}
		end(&r);
	}
	return 0;
}

/* Pairs of VM 1 and owner 2 in stretches of 1000 to 2000. */
static int stretch_of(const __u64 (*taken)[2], size_t nr, __u64 until,
		      __u64 got[2])
{
	struct steal_times st;
	__u16 pair;
	size_t i;
	bool is;

	steal_times_init(&st, 1000, until);
	TEST_EQ(steal_times_pair(&st, 1, 2, &pair), 0);
	for (i = 0; i < nr; i++)
		steal_times_add(&st, pair, taken[i][0], taken[i][1]);
	got[0] = 0;
	got[1] = 0;
	steal_times_end(&st, 1000 + 256 * 100);
	is = steal_times_stretch(&st, 1, 2, &got[0], &got[1]);
	TEST_OK(!steal_times_stretch(&st, 2, 1, &got[0], &got[1]));
	steal_times_deinit(&st);
	return is;
}

TEST(when_nearly_all_was_taken)
{
	/* 256 parts of 100 ticks */
	const __u64 end = 1000 + 256 * 100;
	const __u64 half[][2] = { { 13800, 14800 },
				  { 15000, 20000 },
				  { 21000, end } };
	const __u64 early[][2] = { { 1000, 1050 }, { 1500, 5000 } };
	const __u64 all[][2] = { { 1000, end } };
	const __u64 ends[][2] = { { 1000, 3000 }, { end - 2000, end } };
	const __u64 little[][2] = { { 1000, 1010 },
				    { 5000, 5500 },
				    { end - 10, end } };
	__u64 got[2], unit;

	/* known from the beginning how long it is, or not */
	for (unit = 0; unit < 2; unit++) {
		TEST_EQ(stretch_of(half, 3, unit * end, got), 1);
		TEST_OK(got[0] >= 13700 - 28 && got[0] <= 13800);
		TEST_EQ(got[1], end);
		TEST_EQ(stretch_of(early, 2, unit * end, got), 1);
		TEST_EQ(got[0], 1000);
		TEST_OK(got[1] >= 5000 && got[1] <= 5128);
		TEST_EQ(stretch_of(all, 1, unit * end, got), 0);
		TEST_EQ(stretch_of(ends, 2, unit * end, got), 0);
		TEST_EQ(stretch_of(little, 3, unit * end, got), 1);
		TEST_OK(got[0] > 4800 && got[0] <= 5000 && got[1] >= 5500);
	}
	return 0;
}

TEST(the_verdict_says_it)
{
	static const char *const want[] = {
		"web lost 39.0 % of its time (390.0 ms of 1.00 s): 46.2 % to noisy (from 0.10 to 0.28 s), 15.4 % to backup.service (from 0.28 to 0.34 s), 10.3 % to docker:0123456789ab (from 0.34 to 0.38 s); longest 390.0 ms",
		"noisy lost 1.0 % of its time (10.0 ms of 1.00 s): 100.0 % to web, at 0.09 s; longest 10.0 ms",
		"db lost nothing of its 1.00 s",
	};
	char text[VERDICT_TEXT];
	struct verdicts v;
	struct read r;
	size_t i;

	TEST_EQ(begin(&r, "owners"), 0);
	TEST_EQ(verdicts_init(&v, &r.tl, true), 0);
	TEST_EQ(v.nr, 3);
	for (i = 0; i < v.nr; i++) {
		verdict_text(&v, i, text, sizeof(text));
		TEST_STR(text, want[i]);
		TEST_EQ(v.by_guest[v.verdicts[i].guest], i);
	}
	/* what does not fit is cut, and ends */
	verdict_text(&v, 0, text, 20);
	TEST_EQ(strlen(text), 19);
	verdicts_deinit(&v);
	end(&r);
	return 0;
}

/* More names than are kept: the rest is one of its kind, and still a VM's. */
TEST(owners_are_bounded)
{
	struct owners os = { 0 };
	__u32 i, a, b;
	char name[16];

	for (i = 0; i < OWNERS_MAX + 100; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		TEST_EQ(owner_named(&os, OF_PROCESS, name, &a), 0);
	}
	TEST_EQ(os.nr, OWNERS_MAX + 1);
	TEST_EQ(os.owners[a].kind, OF_PROCESS);
	TEST_EQ(os.owners[a].id, VMMPROF_NONE);
	TEST_EQ(owner_get(&os, OF_VM, 7, &b), 0);
	TEST_EQ(os.owners[b].kind, OF_VM);
	TEST_EQ(os.nr, OWNERS_MAX + 2);
	TEST_EQ(owner_get(&os, OF_UNKNOWN, 0, &b), 0);
	TEST_EQ(b, 0);
	owners_deinit(&os);
	return 0;
}
