// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session that is read while it is written: intervals sum to the whole, also
 * where one CPU's ring was emptied later than another's; standing still, and
 * vCPUs that go.
 */

#include <fcntl.h>
#include <unistd.h>

#include "test.h"
#include "cmd/analysis_open.h"
#include "model/live.h"
#include "tui/listing.h"
#include "tui/panels.h"
#include "view/table.h"

#define NR_FILES 2
#define MS	 1000000ull

struct rec_file {
	char *data;
	size_t size, at;
	int fd;
};

struct recorded {
	struct live l;
	struct chain_pass chains;
	struct rec_file file[NR_FILES];
	char dir[64];
};

/*
 * The session of a file in tests/data without its end, and no records yet.
 * @from: its start.
 */
static int begin_with(struct recorded *s, const char *data, __u64 from)
{
	/* and the host's code has a name */
	static const char edit[] =
		"/^  stop/d; /when=stop/d; /^  cpu cpu=/d;"
		"s/flags=NVMO pid/ip=0xffffffff81000010 &/;"
		"/^file host/a\\  kallsyms\\n    ffffffff81000000 T work\\n"
		"    ffffffff81000100 T _etext\\n  .";
	char cmd[768], path[128];
	struct rec_file *f;
	int i;

	memset(s, 0, sizeof(*s));
	strcpy(s->dir, "/tmp/vmmprof-live-XXXXXX");
	if (!mkdtemp(s->dir))
		return -errno;
	snprintf(
		cmd, sizeof(cmd),
		"sed '%s' tests/data/%s > %s/d && tests/gen/mksession.py %s/d %s/s",
		edit, data, s->dir, s->dir, s->dir);
	if (system(cmd))
		return -EIO;
	for (i = 0; i < NR_FILES; i++) {
		f = &s->file[i];
		snprintf(path, sizeof(path), "%s/s/cpu-%d.rec", s->dir, i);
		f->fd = open(path, O_RDWR);
		f->size = lseek(f->fd, 0, SEEK_END);
		f->data = malloc(f->size);
		if (!f->data ||
		    pread(f->fd, f->data, f->size, 0) != (ssize_t)f->size)
			return -EIO;
		f->at = sizeof(struct vmmprof_file_hdr);
	}
	snprintf(path, sizeof(path), "%s/s", s->dir);
	return analysis_open(&s->l.a, path, NULL, 0) ?: live_init(&s->l, from);
}

static int begin(struct recorded *s)
{
	return begin_with(s, "steal.txt", 100 * MS);
}

static void end(struct recorded *s)
{
	char cmd[128];
	int i;

	live_deinit(&s->l);
	chain_pass_deinit(&s->chains);
	for (i = 0; i < NR_FILES; i++) {
		close(s->file[i].fd);
		free(s->file[i].data);
	}
	snprintf(cmd, sizeof(cmd), "rm -r %s", s->dir);
	if (system(cmd))
		abort();
}

/* What the ring has until then becomes the file. */
static int drain(struct rec_file *f, __u64 until)
{
	const size_t hdr = sizeof(struct vmmprof_file_hdr);
	struct vmmprof_rec_hdr rec;
	size_t from = f->at;

	while (f->at < f->size) {
		memcpy(&rec, f->data + f->at, sizeof(rec));
		if (rec.tsc > until)
			break;
		f->at += rec.size;
	}
	if (ftruncate(f->fd, hdr) || pwrite(f->fd, f->data + from, f->at - from,
					    hdr) != (ssize_t)(f->at - from))
		return -EIO;
	return 0;
}

/* The first ring is emptied some time after the interval's end. */
static int interval(struct recorded *s, __u64 until, __u64 late, bool pause)
{
	return drain(&s->file[0], until + late)	 ?:
		       drain(&s->file[1], until) ?:
						   live_feed(&s->l, until, pause);
}

static void add_up(const struct live *l, __u64 *ticks, __u64 *samples)
{
	size_t i, k;

	for (i = 0; i < l->tl.nr; i++)
		for (k = 0; k < NR_STATES; k++)
			ticks[i * NR_STATES + k] += l->tl.tracks[i]->ticks[k];
	*samples += l->a.profile.samples;
}

/* A vCPU's of the interval, in all states. */
static __u64 ticks_of(const struct live *l, size_t track)
{
	__u64 sum = 0;
	size_t k;

	for (k = 0; k < NR_STATES; k++)
		sum += l->tl.tracks[track]->ticks[k];
	return sum;
}

/* Ticks of a thread's state in a file's whole pass. */
static int whole(const char *data, __u64 *ticks, __u64 *samples)
{
	struct analysis a;
	struct timeline tl;
	char cmd[256], dir[] = "/tmp/vmmprof-live-XXXXXX", path[64];
	size_t i;
	int ret;

	if (!mkdtemp(dir))
		return -errno;
	snprintf(path, sizeof(path), "%s/s", dir);
	snprintf(cmd, sizeof(cmd), "tests/gen/mksession.py %s %s", data, path);
	ret = system(cmd) ? -EIO : analysis_open(&a, path, NULL, 0);
	ret = ret ?: timeline_init(&tl, &a, false) ?: timeline_run(&tl, 0);
	if (ret)
		return ret;
	for (i = 0; i < tl.nr; i++)
		memcpy(ticks + i * NR_STATES, tl.tracks[i]->ticks,
		       sizeof(tl.tracks[i]->ticks));
	*samples = a.profile.samples;
	timeline_deinit(&tl);
	analysis_close(&a);
	snprintf(cmd, sizeof(cmd), "rm -r %s", dir);
	return system(cmd);
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

/* The samples that the panel's lines have, of the first function there is. */
static bool enter_function(struct panels *p, struct grid *g, __u64 *samples)
{
	struct tui_event ev = { .key = TUI_KEY_ENTER };
	const struct bucket *c;
	size_t i;

	p->focus = FOCUS_LOWER;
	for (i = 0; i < p->pane[1].nr; i++) {
		c = &p->table.rows.buckets[p->lines[i].row];
		if (c->key.func == VMMPROF_NONE || c->key.guest)
			continue;
		p->pane[1].cur = i;
		*samples = c->samples;
		panels_key(p, &ev);
		panels_draw(p, g);
		return p->code.open;
	}
	return false;
}

/* Samples of all lines of the instructions that are shown. */
static __u64 code_samples(const struct panels *p)
{
	__u64 sum = 0, n;
	size_t i;

	for (i = 0; i < p->code.nr; i++)
		if (p->code.lines[i].sampled &&
		    sscanf(p->code.lines[i].text, "%llu", &n) == 1)
			sum += n;
	return sum;
}

/* The samples of that function, of the interval. */
static __u64 samples_now(const struct panels *p)
{
	const struct profile *profile = &p->tl->a->profile;
	__u64 sum = 0;
	size_t i;

	for (i = 0; i < profile->nr; i++)
		if (selected(p->names, &p->code.sel, &profile->buckets[i].key))
			sum += profile->buckets[i].samples;
	return sum;
}

TEST(instructions_have_the_samples_of_the_last_interval)
{
	struct names names;
	struct panels p;
	struct grid g;
	__u64 samples, now;
	struct recorded s;
	int times, renewed = 0;

	TEST_EQ(begin(&s), 0);
	s.l.keep = KEEP_ADDR;
	TEST_EQ(grid_init(&g, 80, 24, false), 0);
	TEST_EQ(names_init(&names, &s.l.a), 0);
	TEST_EQ(panels_init(&p, &s.l.tl, &s.l.slices, &names), 0);
	p.live = true;
	p.event = VMMPROF_ANY;
	TEST_EQ(interval(&s, 255 * MS, 0, false), 0);
	TEST_EQ(names_renew(&names), 0);
	panels_refresh(&p);
	TEST_OK(enter_function(&p, &g, &samples));
	for (times = 0; times < 6; times++) {
		TEST_EQ(code_samples(&p), samples);
		TEST_EQ(interval(&s, (265 + 20 * times) * MS, 0, false), 0);
		TEST_EQ(names_renew(&names), 0);
		panels_refresh(&p);
		/* until it is renewed it stands still */
		TEST_EQ(code_samples(&p), samples);
		TEST_EQ(panels_renew_code(&p), 0);
		now = samples_now(&p);
		TEST_EQ(p.code.old, !now);
		if (now && now != samples)
			renewed++;
		/* without any the last ones stay */
		samples = now ? now : samples;
		panels_draw(&p, &g);
	}
	TEST_OK(renewed);
	panels_deinit(&p);
	names_deinit(&names);
	grid_deinit(&g);
	end(&s);
	return 0;
}

/* What each vCPU's thread waited, as the check takes it. */
static int stolen_args(char *buf, size_t size)
{
	static const __u32 tids[] = { 501, 502, 601, 701 };
	__u64 want[8 * NR_STATES] = { 0 }, samples;
	size_t i, len = 0;
	int ret;

	ret = whole("tests/data/steal.txt", want, &samples);
	for (i = 0; i < 4; i++)
		len += snprintf(buf + len, size - len, " %u:%llu", tids[i],
				want[i * NR_STATES + STATE_PREEMPTED] +
					want[i * NR_STATES + STATE_WOKEN]);
	return ret;
}

TEST(each_interval_is_a_line_of_json)
{
	struct panels_interval now = { .host = "host \"1\"", .lost = 3 };
	char cmd[512], args[256];
	struct names names;
	struct panels p;
	struct recorded s;
	__u64 until;
	FILE *out;

	TEST_EQ(stolen_args(args, sizeof(args)), 0);
	TEST_EQ(begin(&s), 0);
	TEST_EQ(names_init(&names, &s.l.a), 0);
	TEST_EQ(panels_init(&p, &s.l.tl, &s.l.slices, &names), 0);
	p.live = true;
	snprintf(cmd, sizeof(cmd), "%s/json", s.dir);
	out = fopen(cmd, "w");
	TEST_OK(out);
	for (until = 150; until <= 1100; until += 50) {
		TEST_EQ(interval(&s, until * MS, 0, false), 0);
		TEST_EQ(names_renew(&names), 0);
		panels_refresh(&p);
		now.begin = (until - 150) * MS;
		now.span = s.l.slices.span;
		now.samples = s.l.samples;
		TEST_EQ(panels_list_json(&p, &now, 2, out), 0);
	}
	fclose(out);
	snprintf(cmd, sizeof(cmd), "python3 tests/unit/top_json.py %s/json 2%s",
		 s.dir, args);
	TEST_EQ(system(cmd), 0);
	panels_deinit(&p);
	names_deinit(&names);
	end(&s);
	return 0;
}

TEST(a_line_of_json_has_chains)
{
	struct panels_interval now = { .host = "host1" };
	struct trees how = { .percent = 0.5 };
	char cmd[512];
	struct names names;
	struct panels p;
	struct recorded s;
	__u64 until;
	FILE *out;

	TEST_EQ(begin_with(&s, "chains.txt", MS), 0);
	TEST_EQ(live_chains(&s.l, &s.chains), 0);
	TEST_EQ(names_init(&names, &s.l.a), 0);
	TEST_EQ(panels_init(&p, &s.l.tl, &s.l.slices, &names), 0);
	how.tree = &s.chains.tree;
	panels_chains(&p, &how);
	p.live = true;
	snprintf(cmd, sizeof(cmd), "%s/json", s.dir);
	out = fopen(cmd, "w");
	TEST_OK(out);
	for (until = 101; until <= 801; until += 100) {
		TEST_EQ(interval(&s, until * MS, 0, false), 0);
		TEST_EQ(names_renew(&names), 0);
		p.event = 0;
		panels_refresh(&p);
		now.begin = (until - 101) * MS;
		now.span = s.l.slices.span;
		now.samples = s.l.samples;
		TEST_EQ(panels_list_json(&p, &now, 10, out), 0);
	}
	fclose(out);
	snprintf(cmd, sizeof(cmd),
		 "python3 tests/unit/top_json.py %s/json 10 chains", s.dir);
	TEST_EQ(system(cmd), 0);
	panels_deinit(&p);
	names_deinit(&names);
	end(&s);
	return 0;
}

/* What is unfolded stays so when the next interval comes. */
TEST(trees_stay_unfolded_from_one_interval_to_the_next)
{
	static const __u32 keys[] = { TUI_KEY_DOWN, TUI_KEY_TAB, '+' };
	struct trees how = { .percent = 0.5 };
	struct tui_event ev = { 0 };
	struct names names;
	struct panels p;
	struct recorded s;
	size_t i;

	TEST_EQ(begin_with(&s, "chains.txt", MS), 0);
	TEST_EQ(live_chains(&s.l, &s.chains), 0);
	s.chains.tree.calls = true;
	TEST_EQ(names_init(&names, &s.l.a), 0);
	TEST_EQ(panels_init(&p, &s.l.tl, &s.l.slices, &names), 0);
	how.tree = &s.chains.tree;
	panels_chains(&p, &how);
	p.live = true;
	TEST_EQ(interval(&s, 100 * MS + MS / 100, 0, false), 0);
	TEST_EQ(names_renew(&names), 0);
	p.event = 0;
	panels_refresh(&p);
	for (i = 0; i < 3; i++) {
		ev.key = keys[i];
		panels_key(&p, &ev);
	}
	TEST_EQ(p.lines[0].kind, LINE_ROW);
	TEST_OK(p.lines[0].open);
	TEST_OK(p.pane[1].nr > p.table.rows.nr);
	for (i = 0; i < 3; i++) {
		TEST_EQ(interval(&s, 100 * MS + (2 + i) * MS / 100, 0, false),
			0);
		TEST_EQ(names_renew(&names), 0);
		panels_refresh(&p);
		TEST_OK(p.pane[1].nr > 1);
		TEST_OK(p.lines[0].open);
		TEST_EQ(p.lines[1].kind, LINE_BRANCH);
		TEST_EQ(p.lines[1].samples, p.lines[0].samples);
		TEST_EQ(p.pane[1].cur, 0);
	}
	panels_deinit(&p);
	names_deinit(&names);
	end(&s);
	return 0;
}

/* Any keys between intervals, at any size: the reader of `vmmprof top`. */
TEST(any_keys_while_it_goes_on)
{
	static const __u32 more[] = { 'a', 'b', 'c', 'e', 'h',	'i',
				      'm', 'n', 'N', 'p', 's',	'x',
				      '/', '.', ' ', '?', 0xe9, 12 };
	struct tui_event ev;
	struct names names;
	struct panels p;
	struct grid g;
	struct recorded s;
	__u32 w = 80, h = 24, r;
	int i, at = 200;

	TEST_EQ(begin(&s), 0);
	s.l.keep = KEEP_ADDR;
	srandom(1);
	TEST_EQ(grid_init(&g, w, h, true), 0);
	TEST_EQ(names_init(&names, &s.l.a), 0);
	TEST_EQ(panels_init(&p, &s.l.tl, &s.l.slices, &names), 0);
	p.live = true;
	p.title = "top";
	for (i = 0; i < 10000; i++) {
		r = random() % 40;
		memset(&ev, 0, sizeof(ev));
		ev.key = r < 22 ? TUI_KEY_FIRST + 1 + r :
				  more[r % (sizeof(more) / sizeof(*more))];
		ev.x = random() % w;
		ev.y = random() % h;
		if (ev.key < TUI_KEY_RESIZE || ev.key < TUI_KEY_FIRST)
			panels_key(&p, &ev);
		if (i % 500 == 250) {
			grid_deinit(&g);
			w = 1 + random() % 220;
			h = 1 + random() % 70;
			TEST_EQ(grid_init(&g, w, h, i % 1000 < 500), 0);
		}
		if (i % 100 == 50) {
			at += 7;
			TEST_EQ(interval(&s, at * MS, 0, p.paused), 0);
			TEST_EQ(names_renew(&names), 0);
			panels_refresh(&p);
			TEST_EQ(panels_renew_code(&p), 0);
		}
		panels_draw(&p, &g);
		TEST_EQ(p.err, 0);
	}
	TEST_OK(at > 800);
	panels_deinit(&p);
	names_deinit(&names);
	grid_deinit(&g);
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
