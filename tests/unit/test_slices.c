// SPDX-License-Identifier: GPL-2.0-only
/* model/slices: parts of the time sum to the whole. */

#include "panels_shown.h"

/* Everything that slices_apply() makes, in one array. */
static __u64 *sums(struct timeline *tl, size_t *nr)
{
	struct profile *p = &tl->a->profile;
	__u64 *v, *at;
	size_t i;

	*nr = p->nr + tl->nr * (NR_STATES + NR_ON_CPU + 1) +
	      2 * tl->thieves.nr_stolen;
	v = calloc(*nr + 1, sizeof(*v));
	at = v;
	for (i = 0; i < p->nr; i++)
		*at++ = p->buckets[i].samples;
	for (i = 0; i < tl->nr; i++) {
		memcpy(at, tl->tracks[i]->ticks, sizeof(tl->tracks[i]->ticks));
		at += NR_STATES;
		memcpy(at, tl->tracks[i]->on_cpu,
		       sizeof(tl->tracks[i]->on_cpu));
		at += NR_ON_CPU;
		*at++ = tl->tracks[i]->idle;
	}
	for (i = 0; i < tl->thieves.nr_stolen; i++) {
		*at++ = tl->thieves.stolen[i].preempted;
		*at++ = tl->thieves.stolen[i].woken;
	}
	return v;
}

TEST(the_whole_time_has_the_sums_of_the_pass)
{
	struct shown s;
	__u64 *was, *is;
	size_t nr, i;

	TEST_EQ(open_session(&s, "steal.txt"), 0);
	TEST_EQ(pass(&s), 0);
	was = sums(&s.tl, &nr);
	TEST_OK(nr > 500);
	slices_apply(&s.slices, 0, VMMPROF_SLICES - 1);
	is = sums(&s.tl, &nr);
	for (i = 0; i < nr; i++)
		TEST_EQ(is[i], was[i]);
	free(was);
	free(is);
	close_session(&s);
	return 0;
}

TEST(parts_of_the_time_sum_to_the_whole)
{
	struct shown s;
	__u64 *whole, *part;
	size_t nr, i, k;

	TEST_EQ(open_session(&s, "steal.txt"), 0);
	TEST_EQ(pass(&s), 0);
	whole = sums(&s.tl, &nr);
	for (k = 0; k < VMMPROF_SLICES; k += 64) {
		slices_apply(&s.slices, k, k + 63);
		part = sums(&s.tl, &nr);
		for (i = 0; i < nr; i++)
			whole[i] -= part[i];
		free(part);
	}
	for (i = 0; i < nr; i++)
		TEST_EQ(whole[i], 0);
	free(whole);
	close_session(&s);
	return 0;
}

TEST(states_of_a_stretch_are_those_of_the_schedule)
{
	__u64 steal[VMMPROF_SLICES], all[VMMPROF_SLICES];
	struct shown s;
	size_t i;

	/* steal.txt: beta's vCPU waits from 0.3 s to 0.72 s at one go. */
	TEST_EQ(open_session(&s, "steal.txt"), 0);
	TEST_EQ(pass(&s), 0);
	slices_steal(&s.slices, 1, VMMPROF_NONE, steal, all);
	for (i = 160; i < 360; i++) {
		TEST_EQ(steal[i], all[i]);
		TEST_EQ(all[i], s.slices.width);
	}
	close_session(&s);
	return 0;
}
