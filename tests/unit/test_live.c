// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session that is read while it is written: intervals sum to the whole, also
 * where one CPU's ring was emptied later than another's; standing still, and
 * vCPUs that go.
 */

#include "live_session.h"

/*
 * A vCPU's states of an interval, which are of one that idles in its guest without
 * exits, too: what it idled is told by a later interval's sample.
 */
static __u64 shown(const struct live *l, size_t track)
{
	struct track_sum s;

	track_sum(l->tl.tracks[track], &s);
	return s.guest + s.vmm + s.steal + s.halt + s.blocked + s.unknown;
}

static int sums_are_the_wholes(__u64 late)
{
	__u64 want[8 * NR_STATES] = { 0 }, samples, got_samples = 0;
	__u64 got[8 * NR_STATES] = { 0 };
	struct recorded s;
	__u64 until;
	size_t i;

	TEST_EQ(whole("tests/data/steal.txt", want, &samples), 0);
	TEST_EQ(samples, 94);
	TEST_EQ(begin(&s), 0);
	for (until = 150; until <= 1100; until += 50) {
		TEST_EQ(interval(&s, until * MS, late, false), 0);
		TEST_EQ(s.l.slices.span, 50 * MS);
		TEST_EQ(s.l.samples, s.l.a.profile.samples);
		add_up(&s.l, got, &got_samples);
		for (i = 0; i < s.l.tl.nr; i++)
			TEST_EQ(ticks_of(&s.l, i), 50 * MS);
		for (i = 0; i < s.l.tl.nr; i++)
			TEST_EQ(shown(&s.l, i), 50 * MS);
	}
	TEST_EQ(s.l.tl.nr, 4);
	TEST_EQ(got_samples, samples);
	for (i = 0; i < 4 * NR_STATES; i++)
		TEST_EQ(got[i], want[i]);
	end(&s);
	return 0;
}

/* What became of the chains of a whole session. */
static int whole_chains(const char *data, struct chain_counts *ret)
{
	struct chain_pass pass;
	struct analysis a;
	char cmd[256], dir[] = "/tmp/vmmprof-live-XXXXXX", path[64];
	int err;

	if (!mkdtemp(dir))
		return -errno;
	snprintf(path, sizeof(path), "%s/s", dir);
	snprintf(cmd, sizeof(cmd), "tests/gen/mksession.py %s %s", data, path);
	err = system(cmd) ? -EIO : analysis_open(&a, path, NULL, 0);
	err = err					     ?:
		      chain_pass_init(&pass, &a, NULL, NULL) ?:
		      chain_pass_run(&pass, 0);
	if (err)
		return err;
	*ret = pass.tree.counts;
	chain_pass_deinit(&pass);
	analysis_close(&a);
	snprintf(cmd, sizeof(cmd), "rm -r %s", dir);
	return system(cmd);
}

/* A chain that is referred to later is not forgotten with its interval. */
static int chains_are_the_wholes(__u64 late, __u64 paused)
{
	struct chain_counts want, got = { 0 };
	__u64 until, samples, is = 0, shown = 0;
	struct recorded s;
	size_t i;

	TEST_EQ(whole_chains("tests/data/chains.txt", &want), 0);
	TEST_EQ(want.samples, 174);
	TEST_EQ(begin_with(&s, "chains.txt", MS), 0);
	TEST_EQ(live_chains(&s.l, &s.chains), 0);
	/* in the midst of samples that follow one another */
	for (until = 25; until <= 800; until += 25) {
		TEST_EQ(interval(&s, until * MS + MS / 50, late,
				 until == paused),
			0);
		is += s.l.samples;
		if (until == paused) {
			/* what was shown stays */
			TEST_EQ(s.chains.tree.counts.samples, shown);
			continue;
		}
		shown = s.chains.tree.counts.samples;
		TEST_EQ(shown, s.l.samples);
		for (samples = 0, i = 0; i < s.chains.tree.nr_leaves; i++)
			samples += s.chains.tree.leaves[i].samples;
		TEST_EQ(samples, s.l.samples);
		got.samples += shown;
		got.unchecked += s.chains.tree.counts.unchecked;
		for (i = 0; i < NR_CHAIN_ENDS; i++)
			got.end[i] += s.chains.tree.counts.end[i];
	}
	TEST_EQ(is, want.samples);
	if (paused) {
		TEST_OK(got.samples < want.samples);
	} else {
		TEST_EQ(got.samples, want.samples);
		TEST_EQ(got.unchecked, want.unchecked);
		for (i = 0; i < NR_CHAIN_ENDS; i++)
			TEST_EQ(got.end[i], want.end[i]);
	}
	/* what refers to the data of an interval that nobody saw has it */
	TEST_OK(got.end[CHAIN_ID] <= want.end[CHAIN_ID]);
	end(&s);
	return 0;
}

TEST(chains_of_intervals_are_those_of_the_whole)
{
	return chains_are_the_wholes(0, 0);
}

TEST(chains_of_a_ring_that_is_emptied_later_are_the_same)
{
	return chains_are_the_wholes(11 * MS, 0);
}

TEST(chains_stand_still_and_lose_no_data)
{
	return chains_are_the_wholes(0, 200);
}

TEST(intervals_sum_to_the_whole)
{
	return sums_are_the_wholes(0);
}

TEST(a_ring_that_is_emptied_later_changes_nothing)
{
	return sums_are_the_wholes(7 * MS);
}

TEST(an_interval_knows_who_took_what)
{
	const struct thieves *cs;
	struct recorded s;
	__u64 stolen = 0;
	size_t i;

	/* beta waits from 0.2 s to 0.3 s, for alpha's vCPU 0 */
	TEST_EQ(begin(&s), 0);
	TEST_EQ(interval(&s, 200 * MS, 0, false), 0);
	TEST_EQ(interval(&s, 400 * MS, 0, false), 0);
	cs = &s.l.tl.thieves;
	for (i = 0; i < cs->nr_stolen; i++)
		if (s.l.tl.tracks[cs->stolen[i].track]->pid == 600)
			stolen += cs->stolen[i].woken;
	TEST_EQ(stolen, 100 * MS);
	TEST_EQ(interval(&s, 401 * MS, 0, false), 0);
	for (stolen = 0, i = 0; i < cs->nr_stolen; i++)
		stolen += cs->stolen[i].woken;
	TEST_EQ(stolen, 0);
	end(&s);
	return 0;
}

/* What alpha's vCPU 0 waits for somebody who is known. */
static __u64 stolen_by_known(const struct live *l)
{
	const struct thieves *cs = &l->tl.thieves;
	const struct stolen_time *s;
	__u64 sum = 0;
	size_t i;

	for (i = 0; i < cs->nr_stolen; i++) {
		s = &cs->stolen[i];
		if (!s->track && cs->thieves[s->thief].kind != BY_UNKNOWN)
			sum += s->woken + s->preempted;
	}
	return sum;
}

TEST(a_wait_of_many_intervals_has_its_thief_in_each)
{
	struct recorded s;
	__u64 until;

	/* `make` has the CPU from 0.5 s to 0.6 s, without a switch */
	TEST_EQ(begin(&s), 0);
	TEST_EQ(interval(&s, 490 * MS, 0, false), 0);
	for (until = 510; until <= 630; until += 20) {
		TEST_EQ(interval(&s, until * MS, 0, false), 0);
		TEST_EQ(stolen_by_known(&s.l), until > 620 ? 10 * MS : 20 * MS);
	}
	end(&s);
	return 0;
}

/* Its samples are 2 s apart: most intervals have none. */
TEST(a_vcpu_that_idles_in_its_guest_idles_in_each_interval)
{
	struct recorded s;
	struct track_sum sum;
	__u64 until, guest = 0;

	TEST_EQ(begin_with(&s, "idle.txt", 100 * MS), 0);
	for (until = 350; until <= 5100; until += 250) {
		TEST_EQ(interval(&s, until * MS, 0, false), 0);
		track_sum(s.l.tl.tracks[0], &sum);
		TEST_EQ(sum.guest + sum.idle + sum.unknown, 250 * MS);
		guest += sum.guest;
		if (until > 350)
			TEST_OK(sum.guest <= 10 * MS);
	}
	TEST_EQ(guest, 35 * MS);
	end(&s);
	return 0;
}

TEST(standing_still_shows_the_same_and_loses_no_state)
{
	__u64 was[8 * NR_STATES] = { 0 }, was_samples = 0, samples = 0;
	__u64 is[8 * NR_STATES] = { 0 };
	struct recorded s;

	TEST_EQ(begin(&s), 0);
	TEST_EQ(interval(&s, 200 * MS, 0, false), 0);
	add_up(&s.l, was, &was_samples);
	TEST_OK(was_samples > 5);
	TEST_EQ(interval(&s, 350 * MS, 0, true), 0);
	TEST_EQ(interval(&s, 620 * MS, 0, true), 0);
	add_up(&s.l, is, &samples);
	TEST_EQ(samples, was_samples);
	TEST_EQ(memcmp(was, is, sizeof(was)), 0);
	/* from 0.62 s on alpha's vCPU 0 runs */
	TEST_EQ(interval(&s, 640 * MS, 0, false), 0);
	TEST_EQ(s.l.tl.tracks[0]->tid, 501);
	TEST_EQ(s.l.tl.tracks[0]->ticks[STATE_ON_CPU], 20 * MS);
	end(&s);
	return 0;
}

TEST(a_vcpu_that_is_gone_has_no_time)
{
	struct recorded s;

	TEST_EQ(begin(&s), 0);
	TEST_EQ(interval(&s, 200 * MS, 0, false), 0);
	TEST_EQ(s.l.tl.tracks[1]->tid, 502);
	TEST_EQ(s.l.tl.tracks[1]->ticks[STATE_HALT], 100 * MS);
	timeline_gone(&s.l.tl, 500, 502);
	TEST_EQ(interval(&s, 300 * MS, 0, false), 0);
	TEST_EQ(ticks_of(&s.l, 1), 0);
	/* another one of that number: woken at 0.65 s */
	TEST_EQ(interval(&s, 640 * MS, 0, false), 0);
	TEST_EQ(interval(&s, 660 * MS, 0, false), 0);
	TEST_EQ(s.l.tl.tracks[1]->ticks[STATE_WOKEN], 10 * MS);
	end(&s);
	return 0;
}

/* Switch records were lost since the record before, as the CPU says at @tsc. */
static int put_lost(struct rec_file *f, __u64 tsc)
{
	const struct vmmprof_rec_lost lost = {
		.hdr = { .type = VMMPROF_REC_LOST,
			 .size = sizeof(lost),
			 .tsc = tsc },
		.lost_other = 3,
	};
	struct vmmprof_rec_hdr rec;
	size_t at = f->at;
	char *data = realloc(f->data, f->size + sizeof(lost));

	if (!data)
		return -ENOMEM;
	f->data = data;
	for (; at < f->size; at += rec.size) {
		memcpy(&rec, data + at, sizeof(rec));
		if (rec.tsc > tsc)
			break;
	}
	memmove(data + at + sizeof(lost), data + at, f->size - at);
	memcpy(data + at, &lost, sizeof(lost));
	f->size += sizeof(lost);
	return 0;
}

/* Of gamma, which runs on CPU 1 all the time. */
static __u64 unknown_of_gamma(const struct live *l)
{
	return l->tl.tracks[3]->ticks[STATE_UNKNOWN];
}

TEST(a_loss_behind_an_intervals_end_is_the_next_ones)
{
	struct recorded s;

	/* between its samples at 605 and 615 ms, which come with those of before */
	TEST_EQ(begin(&s), 0);
	TEST_EQ(put_lost(&s.file[1], 612 * MS), 0);
	TEST_EQ(interval(&s, 200 * MS, 0, false), 0);
	TEST_EQ(drain(&s.file[0], 600 * MS), 0);
	TEST_EQ(drain(&s.file[1], 620 * MS), 0);
	TEST_EQ(live_feed(&s.l, 600 * MS, false), 0);
	TEST_EQ(s.l.tl.tracks[3]->pid, 700);
	TEST_EQ(unknown_of_gamma(&s.l), 0);
	TEST_EQ(interval(&s, 700 * MS, 0, false), 0);
	TEST_EQ(unknown_of_gamma(&s.l), 10 * MS);
	TEST_EQ(interval(&s, 800 * MS, 0, false), 0);
	TEST_EQ(unknown_of_gamma(&s.l), 0);
	end(&s);
	return 0;
}

/* Where another CPU lost nothing since, what a vCPU does there stays known. */
TEST(a_loss_at_the_beginning_of_a_file_is_none_of_before)
{
	struct recorded s;

	/* alpha's vCPU 0 has CPU 0, where nothing is lost after 0.112 s */
	TEST_EQ(begin(&s), 0);
	TEST_EQ(put_lost(&s.file[0], 112 * MS), 0);
	TEST_EQ(put_lost(&s.file[1], 250 * MS), 0);
	TEST_EQ(interval(&s, 150 * MS, 0, false), 0);
	TEST_EQ(s.l.tl.tracks[0]->ticks[STATE_UNKNOWN], 10 * MS);
	TEST_EQ(interval(&s, 202 * MS, 0, false), 0);
	TEST_EQ(s.l.tl.tracks[0]->ticks[STATE_ON_CPU], 52 * MS);
	TEST_EQ(interval(&s, 280 * MS, 0, false), 0);
	TEST_EQ(s.l.tl.tracks[0]->ticks[STATE_ON_CPU], 78 * MS);
	/* gamma, on CPU 1, is not known to be there */
	TEST_EQ(unknown_of_gamma(&s.l), 78 * MS);
	end(&s);
	return 0;
}

TEST(a_name_that_comes_later_is_taken)
{
	struct names names;
	struct recorded s;
	char name[64];

	TEST_EQ(begin(&s), 0);
	TEST_EQ(names_init(&names, &s.l.a), 0);
	TEST_EQ(interval(&s, 200 * MS, 0, false), 0);
	TEST_EQ(guests_name(&s.l.a.resolver.guests, 9999, "new"), 0);
	TEST_EQ(guests_name(&s.l.a.resolver.guests, 500, "alef"), 0);
	TEST_EQ(analysis_host(&s.l.a), 0); /* again */
	TEST_EQ(interval(&s, 300 * MS, 0, false), 0);
	TEST_EQ(names_renew(&names), 0);
	name_machine(&names, 1, name, sizeof(name));
	TEST_STR(name, "alef");
	name_machine(&names, 4, name, sizeof(name));
	TEST_STR(name, "new");
	names_deinit(&names);
	end(&s);
	return 0;
}
