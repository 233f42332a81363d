// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whatever the measurement is divided into, the sums over its parts are those
 * of the whole: every tick of every state, class, thief and CPU, every sample
 * of every bucket.
 */

#include <unistd.h>

#include "test.h"
#include "cmd/analysis_open.h"
#include "cmd/slice_pass.h"
#include "model/timeline.h"
#include "model/pass.h"

#define SUMS_MAX 20000
#define PARTS	 6

/* Sums by what they are of. */
struct sums {
	__u64 key[SUMS_MAX], n[SUMS_MAX];
	size_t nr;
	__u64 longest; /* wait of all */
};

enum {
	STATE,
	ON,
	OWN,
	IDLE,
	EVENTS,
	GAPS,
	EXITS,
	STOLEN,
	VIRTUAL,
	CPU,
	ON_CPU,
	BUCKET,
	COUNTS
};

static void add(struct sums *s, __u64 kind, __u64 a, __u64 b, __u64 c, __u64 n)
{
	__u64 key = kind << 56 | a << 40 | b << 8 | c;
	size_t i;

	if (!n)
		return;
	for (i = 0; i < s->nr && s->key[i] != key; i++)
		;
	if (i == SUMS_MAX)
		abort();
	if (i == s->nr) {
		s->key[s->nr++] = key;
		s->n[i] = 0;
	}
	s->n[i] += n;
}

static __u64 sum_of(const struct sums *s, __u64 key)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (s->key[i] == key)
			return s->n[i];
	return 0;
}

static void add_tracks(struct sums *s, const struct timeline *tl)
{
	const struct vcpu_gaps *g;
	const struct track *t;
	__u32 i, k;

	for (i = 0; i < tl->nr; i++) {
		t = tl->tracks[i];
		for (k = 0; k < NR_STATES; k++)
			add(s, STATE, i, k, 0, t->ticks[k]);
		for (k = 0; k < NR_ON_CPU; k++) {
			add(s, ON, i, k, 0, t->on_ticks[k]);
			add(s, OWN, i, k, 0, t->on_cpu[k]);
		}
		add(s, IDLE, i, 0, 0, t->idle);
		add(s, EVENTS, i, 0, 0, t->switches);
		add(s, EVENTS, i, 1, 0, t->latency.nr);
		add(s, EVENTS, i, 2, 0, t->own_samples);
		if (t->longest > s->longest)
			s->longest = t->longest;
		g = &tl->gaps.by_track[i];
		add(s, GAPS, i, 0, 0, g->own);
		add(s, GAPS, i, 1, 0, g->steal);
		add(s, GAPS, i, 2, 0, g->halt);
		add(s, GAPS, i, 3, 0, g->unknown);
		for (k = 0; k <= EXIT_REASONS; k++)
			add(s, EXITS, i, k, 0, g->exits[k]);
	}
}

static void add_stolen(struct sums *s, __u64 kind, const struct thieves *cs)
{
	const struct stolen_time *t;
	size_t i;

	for (i = 0; i < cs->nr_stolen; i++) {
		t = &cs->stolen[i];
		add(s, kind, t->track, t->thief, 0, t->preempted);
		add(s, kind, t->track, t->thief, 1, t->woken);
	}
}

static void add_rest(struct sums *s, const struct timeline *tl)
{
	const struct sample_counts *c = &tl->a->counts;
	const struct profile *p = &tl->a->profile;
	const struct pcpu *u;
	size_t i;

	for (i = 0; i < tl->nr_pcpus; i++) {
		u = &tl->pcpus[i];
		add(s, CPU, u->cpu, 0, 0, u->vcpus);
		add(s, CPU, u->cpu, 1, 0, u->unknown);
		add(s, CPU, u->cpu, 2, 0, u->lossy);
		add(s, CPU, u->cpu, 3, 0, u->samples);
		add(s, CPU, u->cpu, 4, 0, u->idle_samples);
	}
	for (i = 0; i < tl->nr_residency; i++)
		add(s, ON_CPU, tl->residency[i].track,
		    tl->pcpus[tl->residency[i].pcpu].cpu, 0,
		    tl->residency[i].ticks);
	for (i = 0; i < p->nr; i++)
		add(s, BUCKET, p->buckets[i].key.guest, p->buckets[i].key.func,
		    p->buckets[i].key.mode << 6 | p->buckets[i].key.cause,
		    p->buckets[i].samples);
	add(s, COUNTS, 0, 0, 0, c->samples);
	add(s, COUNTS, 1, 0, 0, c->lost);
	add(s, COUNTS, 2, 0, 0, c->lost_other);
	add(s, COUNTS, 3, 0, 0, c->throttled);
}

static char dir[80];

/* Adds the sums of the ranges; @by_slices: of what slices of time sum to. */
static int pass(const struct time_ranges *time, bool by_slices, struct sums *s)
{
	struct slices slices = { 0 };
	struct timeline tl;
	struct analysis a;
	int ret;

	memset(&a, 0, sizeof(a));
	memset(&tl, 0, sizeof(tl));
	ret = analysis_open(&a, dir, NULL, 0);
	a.time = time;
	if (!ret)
		ret = timeline_init(&tl, &a, GAPS_ALWAYS);
	if (!ret)
		ret = by_slices ? slice_pass(&a, &tl, &slices, 0, 0) :
				  timeline_run(&tl, 0);
	if (!ret && by_slices)
		slices_apply(&slices, 0, VMMPROF_SLICES - 1);
	if (!ret) {
		add_tracks(s, &tl);
		add_stolen(s, STOLEN, &tl.thieves);
		if (!by_slices)
			add_stolen(s, VIRTUAL, &tl.gaps.stolen);
		add_rest(s, &tl);
	}
	slices_deinit(&slices);
	timeline_deinit(&tl);
	analysis_close(&a);
	return ret;
}

static int bounds(__u64 *from, __u64 *to)
{
	struct analysis a;
	int ret;

	memset(&a, 0, sizeof(a));
	ret = analysis_open(&a, dir, NULL, 0) ?: analysis_bounds(&a, from, to);
	analysis_close(&a);
	return ret;
}

static __u64 state;

static __u64 draw(__u64 below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 20) % below;
}

static int cmp(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Cuts at random; each second part is in one half, with many ranges. */
static int check_cut(const struct sums *whole, __u64 from, __u64 to)
{
	static struct time_ranges part[PARTS];
	static struct sums sums;
	__u64 cut[4 * PARTS + 1];
	size_t i, nr = 4 * PARTS;

	memset(&sums, 0, sizeof(sums));
	for (i = 0; i <= nr; i++)
		cut[i] = from + draw(to - from);
	cut[0] = from;
	cut[nr] = to;
	qsort(cut, nr + 1, sizeof(*cut), cmp);
	for (i = 0; i < PARTS; i++)
		time_ranges_init(&part[i], from, to);
	for (i = 0; i < nr; i++)
		TEST_EQ(time_ranges_add(&part[i % PARTS], cut[i], cut[i + 1]),
			0);
	for (i = 0; i < PARTS; i++)
		if (part[i].nr)
			TEST_EQ(pass(&part[i], false, &sums), 0);
	TEST_EQ(sums.longest, whole->longest);
	for (i = 0; i < whole->nr || i < sums.nr; i++) {
		__u64 key = i < whole->nr ? whole->key[i] : sums.key[i];

		if (sum_of(&sums, key) == sum_of(whole, key) &&
		    (i >= sums.nr || sum_of(whole, sums.key[i]) == sums.n[i]))
			continue;
		printf("# kind %llu of %llu %llu %llu: %llu, not %llu\n",
		       key >> 56, key >> 40 & 0xffff, key >> 8 & 0xffffffff,
		       key & 0xff, sum_of(&sums, key), sum_of(whole, key));
		return 1;
	}
	return 0;
}

/* Slices of a part have the sums of the part. */
static int check_slices(__u64 from, __u64 to, bool exact)
{
	/* without switch records only samples are by time */
	static const __u8 same[] = { OWN, BUCKET, STATE, ON, IDLE, STOLEN };
	static struct sums all, slices;
	struct time_ranges part;
	size_t i;

	memset(&all, 0, sizeof(all));
	memset(&slices, 0, sizeof(slices));
	time_ranges_init(&part, from, to);
	time_ranges_add(&part, from + (to - from) / 3, to - (to - from) / 5);
	time_ranges_add(&part, from, from + (to - from) / 7);
	TEST_EQ(pass(&part, false, &all), 0);
	TEST_EQ(pass(&part, true, &slices), 0);
	for (i = 0; i < all.nr; i++)
		if (memchr(same, all.key[i] >> 56, exact ? sizeof(same) : 2))
			TEST_EQ(sum_of(&slices, all.key[i]), all.n[i]);
	return 0;
}

static int check(const char *make, unsigned int cuts, bool exact)
{
	static struct sums whole;
	char top[64], cmd[256];
	__u64 from, to;
	int ret = 0;

	strcpy(top, "/tmp/vmmprof-test-XXXXXX");
	if (!mkdtemp(top))
		abort();
	snprintf(dir, sizeof(dir), "%s/s", top);
	snprintf(cmd, sizeof(cmd), "%s %s > %s/out", make, dir, top);
	if (system(cmd))
		abort();
	memset(&whole, 0, sizeof(whole));
	TEST_EQ(pass(NULL, false, &whole), 0);
	TEST_EQ(bounds(&from, &to), 0);
	TEST_OK(whole.nr && to > from);
	for (state = 1; cuts && !ret; cuts--)
		ret = check_cut(&whole, from, to);
	if (!ret)
		ret = check_slices(from, to, exact);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", top);
	return system(cmd) ?: ret;
}

#define GOLDEN(name) "tests/gen/mksession.py tests/data/" name ".txt"

TEST(parts_of_small_recordings_sum_to_the_whole)
{
	return check(GOLDEN("steal"), 40, true)		   ?:
		       check(GOLDEN("unclear"), 10, false) ?:
		       check(GOLDEN("small"), 10, false)   ?:
		       check(GOLDEN("two-guests"), 20, false);
}

/* The folder is the last word of the command. */
static const char cut_off[] =
	"m() { sed /stop/d tests/data/steal.txt | tests/gen/mksession.py /dev/stdin $1; }; m";

TEST(parts_of_a_recording_cut_off_sum_to_the_whole)
{
	return check(cut_off, 20, true);
}

TEST(parts_of_many_vcpus_sum_to_the_whole)
{
	return check("build/gen/bigsession -n 5000 -c 3 -g 3 -v 2 -p 3 -f 20",
		     8, true);
}
