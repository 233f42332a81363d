// SPDX-License-Identifier: GPL-2.0-only
/*
 * The panels without a terminal: sums by time are the whole's, keys lead where
 * they should, no order of keys and sizes harms, and nothing but characters
 * gets out.
 */

#include <locale.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "test.h"
#include "cmd/analysis_open.h"
#include "model/chain_pass.h"
#include "tui/panels.h"

struct shown {
	struct analysis a;
	struct timeline tl;
	struct slices slices;
	struct names names;
	struct chain_pass chains;
	struct chain_slices chain_slices;
	struct wait_slices waits;
	struct panels p;
	struct grid g;
	char dir[64];
};

/* The session of a file in tests/data, read. */
static int open_session(struct shown *s, const char *data)
{
	char cmd[256];

	memset(s, 0, sizeof(*s));
	setlocale(LC_CTYPE, "C.UTF-8");
	strcpy(s->dir, "/tmp/vmmprof-panels-XXXXXX");
	if (!mkdtemp(s->dir))
		return -errno;
	snprintf(cmd, sizeof(cmd),
		 "tests/gen/mksession.py tests/data/%s %s/s && cd %s", data,
		 s->dir, s->dir);
	if (system(cmd))
		return -EIO;
	strcat(s->dir, "/s");
	return analysis_open(&s->a, s->dir, NULL, 0) ?:
		       timeline_init(&s->tl, &s->a, false);
}

static int pass(struct shown *s)
{
	unsigned int keep = KEEP_ADDR | KEEP_LAST;
	int ret;

	slices_init(&s->slices, &s->tl, s->tl.begin, s->tl.end);
	ret = analysis_run(&s->a, keep, slices_record, &s->slices);
	return ret			       ?:
		       timeline_finish(&s->tl) ?:
		       slices_finish(&s->slices, s->tl.end);
}

static void close_session(struct shown *s)
{
	char cmd[128];

	grid_deinit(&s->g);
	panels_deinit(&s->p);
	names_deinit(&s->names);
	chain_pass_deinit(&s->chains);
	chain_slices_deinit(&s->chain_slices);
	wait_slices_deinit(&s->waits);
	slices_deinit(&s->slices);
	timeline_deinit(&s->tl);
	analysis_close(&s->a);
	snprintf(cmd, sizeof(cmd), "rm -r %.*s", (int)strlen(s->dir) - 2,
		 s->dir);
	if (system(cmd))
		abort();
}

static int show(struct shown *s, const char *data, __u32 w, __u32 h)
{
	return open_session(s, data)					 ?:
		       pass(s)						 ?:
		       names_init(&s->names, &s->a)			 ?:
		       panels_init(&s->p, &s->tl, &s->slices, &s->names) ?:
		       (s->p.title = "test", grid_init(&s->g, w, h, true));
}

/* The same with its call chains. */
static int show_chains(struct shown *s, const char *data, bool callee,
		       bool children)
{
	struct trees how = { &s->chains.tree, &s->chain_slices,
			     .callee = callee, .children = children,
			     .percent = 0.5 };
	int ret = open_session(s, data);

	if (ret)
		return ret;
	slices_init(&s->slices, &s->tl, s->tl.begin, s->tl.end);
	ret = chain_pass_init(&s->chains, &s->a, slices_record, &s->slices);
	s->chains.tree.calls = true;
	chain_slices_init(&s->chain_slices, &s->slices, SIZE_MAX);
	s->chains.slices = &s->chain_slices;
	if (!ret && timeline_exact(&s->tl)) {
		chain_pass_time(&s->chains, &s->tl);
		wait_slices_init(&s->waits, &s->chains.waits, &s->slices);
	}
	ret = ret					    ?:
		      chain_pass_run(&s->chains, KEEP_ADDR) ?:
		      timeline_finish(&s->tl)		    ?:
		      slices_finish(&s->slices, s->tl.end)  ?:
		      names_init(&s->names, &s->a)	    ?:
		      panels_init(&s->p, &s->tl, &s->slices, &s->names);
	if (chain_pass_timed(&s->chains))
		how.waits = &s->waits;
	s->names.tl = &s->tl;
	panels_chains(&s->p, &how);
	s->p.title = "test";
	return ret ?: s->p.err ?: grid_init(&s->g, 80, 24, true);
}

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

static bool key(struct shown *s, __u32 k)
{
	struct tui_event ev = { .key = k };
	bool go_on = panels_key(&s->p, &ev);

	panels_draw(&s->p, &s->g);
	return go_on;
}

static const char *line(struct shown *s, __u32 y)
{
	static char text[2048];

	grid_line(&s->g, y, text, sizeof(text));
	return text;
}

static bool has(struct shown *s, const char *text)
{
	__u32 y;

	for (y = 0; y < s->g.h; y++)
		if (strstr(line(s, y), text))
			return true;
	return false;
}

TEST(enter_leads_from_guest_to_function_and_escape_back)
{
	struct shown s;

	TEST_EQ(show(&s, "two-guests.txt", 80, 24), 0);
	panels_draw(&s.p, &s.g);
	TEST_STR(line(&s, 1), "VMs");
	TEST_OK(has(&s, "[alpha]"));
	key(&s, TUI_KEY_DOWN); /* alpha */
	TEST_OK(has(&s, "alpha_work") || has(&s, "schedule"));
	key(&s, TUI_KEY_ENTER);
	TEST_STR(line(&s, 1), "VMs > alpha");
	key(&s, TUI_KEY_DOWN);
	key(&s, TUI_KEY_ENTER);
	TEST_STR(line(&s, 1), "VMs > alpha > vCPU 0");
	key(&s, TUI_KEY_DOWN);
	key(&s, TUI_KEY_ENTER);
	TEST_EQ(s.p.level, LEVEL_FUNCTIONS);
	key(&s, TUI_KEY_DOWN);
	TEST_OK(has(&s, "vCPU"));
	key(&s, TUI_KEY_ENTER); /* below are instructions */
	TEST_EQ(s.p.level, LEVEL_FUNCTIONS);
	TEST_OK(s.p.code.open);
	key(&s, TUI_KEY_ESC);
	TEST_OK(!s.p.code.open);
	TEST_EQ(s.p.level, LEVEL_FUNCTIONS);
	key(&s, TUI_KEY_ESC);
	TEST_STR(line(&s, 1), "VMs > alpha > vCPU 0");
	TEST_EQ(s.p.pane[0].cur, 1);
	key(&s, 'q');
	key(&s, 'q');
	TEST_STR(line(&s, 1), "VMs");
	TEST_EQ(s.p.pane[0].cur, 1);
	TEST_OK(key(&s, TUI_KEY_ESC)); /* does not end it */
	TEST_OK(!key(&s, 'q'));
	close_session(&s);
	return 0;
}

TEST(thieves_are_listed_and_lead_to_what_they_ran)
{
	struct shown s;
	__u64 sum = 0;
	size_t i;

	TEST_EQ(show(&s, "steal.txt", 80, 24), 0);
	panels_draw(&s.p, &s.g);
	/* whose the thief is, where there is no room for more */
	TEST_OK(strstr(line(&s, 5), " 31.2% beta"));
	key(&s, TUI_KEY_DOWN); /* alpha */
	key(&s, 't');
	TEST_STR(line(&s, 1), "VMs > alpha > thieves");
	TEST_STR(
		line(&s, 3),
		"    0.390    100 \xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88  all thieves");
	for (i = 1; i < s.p.nr_rows; i++) {
		sum += s.p.rows[i].stolen;
		TEST_OK(i == 1 || s.p.rows[i].stolen <= s.p.rows[i - 1].stolen);
	}
	TEST_EQ(sum, s.p.rows[0].stolen);
	/* beta's vCPU: below are its samples, and Enter leads to its processes */
	for (i = 1; s.p.rows[i].machine != 2; i++)
		;
	while (s.p.pane[0].cur < i)
		key(&s, TUI_KEY_DOWN);
	TEST_OK(has(&s, "0.100   25.6"));
	TEST_EQ(s.p.table.total, 20);
	key(&s, TUI_KEY_ENTER);
	TEST_STR(line(&s, 1), "VMs > beta > vCPU 0");
	key(&s, TUI_KEY_ESC);
	TEST_STR(line(&s, 1), "VMs > alpha > thieves");
	key(&s, TUI_KEY_ESC);
	TEST_STR(line(&s, 1), "VMs");
	TEST_EQ(s.p.pane[0].cur, 1);
	/* of one vCPU, by itself less */
	key(&s, TUI_KEY_DOWN);
	key(&s, TUI_KEY_DOWN);
	key(&s, 't');
	TEST_STR(line(&s, 1), "VMs > alpha > vCPU 1 > thieves");
	TEST_EQ(s.p.nr_rows, 2);
	TEST_EQ(s.p.rows[1].stolen, 70000000);
	close_session(&s);
	return 0;
}

TEST(the_matrix_has_the_width_of_the_screen)
{
	struct shown s;

	TEST_EQ(show(&s, "owners.txt", 80, 24), 0);
	panels_draw(&s.p, &s.g);
	key(&s, 'w');
	TEST_OK(has(&s, "Who took whose time"));
	TEST_OK(has(&s, "noisy"));
	grid_deinit(&s.g);
	TEST_EQ(grid_init(&s.g, 200, 50, true), 0);
	panels_draw(&s.p, &s.g);
	TEST_EQ(s.p.code.w, 200);
	key(&s, 'q');
	TEST_STR(line(&s, 1), "VMs");
	close_session(&s);
	return 0;
}

TEST(a_filter_hides_rows_and_keeps_their_numbers)
{
	struct shown s;
	__u64 total;

	TEST_EQ(show(&s, "two-guests.txt", 80, 24), 0);
	total = s.p.table.total;
	TEST_OK(s.p.pane[1].nr > 2);
	key(&s, TUI_KEY_TAB);
	key(&s, '/');
	key(&s, 'B');
	key(&s, 'e');
	key(&s, 'T');
	key(&s, 'A');
	TEST_EQ(s.p.pane[1].nr, 1);
	TEST_OK(has(&s, "[beta]"));
	TEST_OK(!has(&s, "[alpha]"));
	TEST_EQ(s.p.table.total, total);
	key(&s, TUI_KEY_ENTER);
	TEST_OK(!s.p.editing);
	key(&s, '/');
	key(&s, TUI_KEY_ESC);
	TEST_OK(has(&s, "[alpha]"));
	close_session(&s);
	return 0;
}

TEST(a_marked_stretch_filters_everything)
{
	struct shown s;
	__u64 all, part;
	int i;

	TEST_EQ(show(&s, "steal.txt", 80, 24), 0);
	all = s.a.profile.samples;
	key(&s, TUI_KEY_RIGHT);
	key(&s, 'm');
	for (i = 0; i < 20; i++)
		key(&s, TUI_KEY_RIGHT);
	TEST_OK(has(&s, "from 0.016 s"));
	key(&s, 'm');
	part = s.a.profile.samples;
	TEST_OK(part && part < all);
	TEST_EQ(s.p.table.total, part);
	TEST_EQ(s.p.first, 8);
	TEST_EQ(s.p.last, 168);
	/* alpha has two vCPUs: each tick of the stretch is in one state */
	TEST_EQ(s.p.rows[1].total, 2 * 161 * s.slices.width);
	key(&s, 'x');
	TEST_EQ(s.a.profile.samples, all);
	close_session(&s);
	return 0;
}

/* Samples that the lines of instructions have together. */
static __u64 code_samples(const struct shown *s)
{
	__u64 n, sum = 0;
	size_t i;

	for (i = 0; i < s->p.code.nr; i++)
		if (s->p.code.lines[i].sampled &&
		    sscanf(s->p.code.lines[i].text, "%llu", &n) == 1)
			sum += n;
	return sum;
}

/* Enter on each function of each row; *sum: their samples. */
static int enter_all(struct shown *s, __u64 *sum)
{
	const struct bucket *c;
	size_t i, k;

	*sum = 0;
	key(s, TUI_KEY_HOME);
	for (i = 0; i < s->p.nr_rows; i++) {
		for (k = 0; k < s->p.pane[1].nr; k++) {
			c = &s->p.table.rows.buckets[s->p.lines[k].row];
			if (c->key.guest && !s->p.rows[i].machine)
				continue; /* a guest's row in the host's view */
			s->p.focus = FOCUS_LOWER;
			s->p.pane[1].cur = k;
			TEST_OK(key(s, TUI_KEY_ENTER));
			TEST_OK(s->p.code.open);
			if (c->key.func != VMMPROF_NONE) {
				TEST_EQ(code_samples(s), c->samples);
				*sum += c->samples;
			} else {
				TEST_EQ(code_samples(s), 0);
				TEST_OK(has(s, "no instructions"));
			}
			key(s, 'q');
			TEST_OK(!s->p.code.open);
		}
		s->p.focus = FOCUS_UPPER;
		key(s, TUI_KEY_DOWN);
	}
	return 0;
}

TEST(instructions_have_the_samples_of_each_function)
{
	struct shown s;
	__u64 all, part;

	TEST_EQ(show(&s, "two-guests.txt", 80, 24), 0);
	TEST_EQ(enter_all(&s, &all), 0);
	s.p.last = VMMPROF_SLICES / 2;
	panels_refresh(&s.p);
	TEST_EQ(enter_all(&s, &part), 0);
	TEST_OK(part && part < all);
	close_session(&s);
	return 0;
}

/* Instructions of a line's frame have the samples of its chains. */
static int enter_line(struct shown *s, size_t at)
{
	struct pane_line l = s->p.lines[at];

	s->p.focus = FOCUS_LOWER;
	s->p.pane[1].cur = at;
	if (l.kind != LINE_FEW &&
	    s->chains.tree.frames[l.frame].kind == FRAME_CODE) {
		key(s, TUI_KEY_ENTER);
		TEST_OK(s->p.code.open);
		if (s->p.code.of.func != VMMPROF_NONE)
			TEST_EQ(code_samples(s), l.samples);
		key(s, 'q');
	}
	s->p.focus = FOCUS_UPPER;
	return 0;
}

/* Of each row above: samples of branches are their rows'. */
static int trees_add_up(struct shown *s, bool enter, __u64 *all)
{
	const struct pane_line *l;
	__u64 left = 0;
	size_t i, k;

	key(s, TUI_KEY_HOME);
	key(s, 'E');
	for (i = 0; i < s->p.nr_rows; i++) {
		for (k = 0; k < s->p.pane[1].nr; k++) {
			l = &s->p.lines[k];
			if (l->kind == LINE_ROW) {
				TEST_EQ(left, 0);
				left = l->folds ? l->samples : 0;
				*all += left;
				TEST_EQ(l->folds,
					s->p.rows[i].machine ||
						!s->p.table.rows.buckets[l->row]
							 .key.guest);
			} else if (l->level == 1 && l->kind != LINE_FRAME) {
				left -= l->samples;
			}
			if (enter && l->kind != LINE_ROW)
				TEST_EQ(enter_line(s, k), 0);
		}
		TEST_EQ(left, 0);
		key(s, TUI_KEY_DOWN);
	}
	return 0;
}

TEST(branches_have_the_samples_of_their_rows_in_any_stretch)
{
	__u64 all, parts;
	struct shown s;
	int how;

	for (how = 0; how < 4; how++) {
		TEST_EQ(show_chains(&s, "chains.txt", how & 1, how & 2), 0);
		all = 0;
		TEST_EQ(trees_add_up(&s, true, &all), 0);
		TEST_OK(how & 2 ? all > 430 : all == 2 * 130 + 44);
		parts = 0;
		s.p.last = VMMPROF_SLICES / 7;
		panels_refresh(&s.p);
		TEST_EQ(trees_add_up(&s, true, &parts), 0);
		TEST_OK(parts && parts < all);
		s.p.first = s.p.last + 1;
		s.p.last = VMMPROF_SLICES - 1;
		panels_refresh(&s.p);
		TEST_EQ(trees_add_up(&s, false, &parts), 0);
		TEST_EQ(parts, all);
		close_session(&s);
	}
	return 0;
}

/* Enter on a frame shows its function, whatever it is below. */
static int enter_any(struct shown *s, size_t at)
{
	const struct chain_frame *f = &s->chains.tree
					       .frames[s->p.lines[at].frame];

	if (f->kind != FRAME_CODE)
		return 0;
	s->p.focus = FOCUS_LOWER;
	s->p.pane[1].cur = at;
	key(s, TUI_KEY_ENTER);
	TEST_OK(s->p.code.open);
	TEST_EQ(s->p.code.of.func, f->func);
	key(s, 'q');
	s->p.focus = FOCUS_UPPER;
	return 0;
}

/*
 * Of each VM and vCPU: rows sum to its time, and branches to their row of time;
 * *chains: ticks that are in chains.
 */
static int time_adds_up(struct shown *s, __u64 *chains)
{
	__u64 sum, left = 0;
	const struct pane_line *l;
	size_t i, k;

	key(s, TUI_KEY_HOME);
	key(s, 'E');
	for (i = 1; i < s->p.nr_rows; i++) {
		key(s, TUI_KEY_DOWN);
		TEST_OK(s->p.table.timed);
		TEST_EQ(s->p.whole, s->p.rows[i].total);
		for (sum = 0, k = 0; k < s->p.pane[1].nr; k++) {
			l = &s->p.lines[k];
			if (!l->depth) {
				TEST_EQ(left, 0);
				left = l->open && l->kind == LINE_TIME ?
					       l->ticks :
					       0;
				*chains += left;
				sum += l->ticks;
			} else if (left && l->level == 1 &&
				   l->kind != LINE_FRAME) {
				left -= l->ticks;
			}
			if (l->depth && l->frame != VMMPROF_NONE)
				TEST_EQ(enter_any(s, k), 0);
		}
		TEST_EQ(left, 0);
		TEST_EQ(sum, s->p.whole);
	}
	return 0;
}

TEST(time_without_guest_code_is_all_there_in_any_stretch)
{
	static const char *const data[] = { "off_cpu.txt", "owners.txt",
					    "steal.txt" };
	__u64 all, parts;
	struct shown s;
	size_t i;

	for (i = 0; i < 3; i++) {
		TEST_EQ(show_chains(&s, data[i], i & 1, false), 0);
		TEST_EQ(!!s.p.trees.waits, !i);
		all = 0;
		TEST_EQ(time_adds_up(&s, &all), 0);
		TEST_OK(all);
		parts = 0;
		s.p.last = VMMPROF_SLICES / 3;
		panels_refresh(&s.p);
		TEST_EQ(time_adds_up(&s, &parts), 0);
		TEST_OK(parts < all);
		s.p.first = s.p.last + 1;
		s.p.last = VMMPROF_SLICES - 1;
		panels_refresh(&s.p);
		TEST_EQ(time_adds_up(&s, &parts), 0);
		TEST_EQ(parts, all);
		close_session(&s);
	}
	return 0;
}

TEST(keys_fold_what_they_say)
{
	struct shown s;
	size_t rows, all;

	TEST_EQ(show_chains(&s, "chains.txt", false, false), 0);
	key(&s, TUI_KEY_DOWN);
	key(&s, TUI_KEY_TAB);
	rows = s.p.pane[1].nr;
	TEST_EQ(rows, s.p.table.rows.nr);
	TEST_OK(has(&s, "+ toffoli"));
	key(&s, '+');
	TEST_EQ(s.p.pane[1].nr, rows + 2);
	TEST_OK(has(&s, "- toffoli"));
	TEST_OK(has(&s, "61   46.9"));
	/* main: factor and the one without a frame pointer */
	key(&s, TUI_KEY_DOWN);
	key(&s, '+');
	TEST_EQ(s.p.pane[1].nr, rows + 4);
	TEST_EQ(s.p.pane[1].cur, 1);
	/* the same lines when the numbers are new, and in another order below */
	panels_refresh(&s.p);
	TEST_EQ(s.p.pane[1].nr, rows + 4);
	TEST_EQ(s.p.pane[1].cur, 1);
	key(&s, 'C');
	TEST_EQ(s.p.pane[1].nr, rows);
	key(&s, TUI_KEY_HOME);
	key(&s, 'e');
	TEST_OK(s.p.pane[1].nr > rows + 4);
	TEST_OK(has(&s, "recurse"));
	key(&s, 'e');
	TEST_EQ(s.p.pane[1].nr, rows);
	key(&s, 'E');
	all = s.p.pane[1].nr;
	TEST_OK(all > 2 * rows);
	key(&s, 'g');
	TEST_OK(s.p.trees.callee);
	key(&s, 'g');
	TEST_EQ(s.p.pane[1].nr, all);
	close_session(&s);
	return 0;
}

TEST(a_word_is_found_in_chains)
{
	static const char word[] = "/bench_ma";
	struct shown s;
	size_t i;

	TEST_EQ(show_chains(&s, "chains.txt", false, false), 0);
	key(&s, TUI_KEY_TAB);
	for (i = 0; word[i]; i++)
		key(&s, word[i]);
	key(&s, TUI_KEY_ENTER);
	/* no function that was hit has it; rows lead to it */
	TEST_EQ(s.p.lines[0].kind, LINE_ROW);
	TEST_OK(has(&s, "- schedule"));
	TEST_OK(has(&s, "- bench_read"));
	TEST_OK(!has(&s, "kvm_mmu_page_fault"));
	TEST_OK(s.p.lines[1].match);
	key(&s, 'C');
	TEST_EQ(s.p.lines[s.p.pane[1].nr - 1].row, s.p.lines[0].row + 1);
	close_session(&s);
	return 0;
}

TEST(no_order_of_keys_harms_trees)
{
	static const char letters[] = "qstxm+eECg+e/ af";
	struct tui_event ev = { 0 };
	struct shown s;
	int i, k;

	TEST_EQ(show_chains(&s, "chains.txt", false, true), 0);
	srandom(7);
	for (i = 0; i < 10000; i++) {
		k = random() % 36;
		ev.x = random() % 210;
		ev.y = random() % 70;
		ev.key = k < 16 ? (__u32)letters[k] :
				  (__u32)TUI_KEY_FIRST + 1 + k % 18;
		panels_key(&s.p, &ev);
		if (k == 35) {
			grid_deinit(&s.g);
			TEST_EQ(grid_init(&s.g, ev.x, ev.y, ev.x & 1), 0);
		}
		panels_draw(&s.p, &s.g);
		TEST_EQ(s.p.err, 0);
	}
	close_session(&s);
	return 0;
}

TEST(no_order_of_keys_and_sizes_harms)
{
	static const char letters[] = "q?/stwxpmhv in";
	struct tui_event ev = { 0 };
	struct shown s;
	int i, k;

	TEST_EQ(show(&s, "owners.txt", 80, 24), 0);
	srandom(7);
	for (i = 0; i < 20000; i++) {
		k = random() % 43;
		ev.x = random() % 210;
		ev.y = random() % 70;
		ev.key = k < 14 ? (__u32)letters[k] :
			 k < 32 ? TUI_KEY_FIRST + 1 + k - 14 :
			 k < 38 ? TUI_KEY_F + k - 31 :
				  (__u32)' ' + random() % 95;
		panels_key(&s.p, &ev);
		if (k == 42) {
			grid_deinit(&s.g);
			TEST_EQ(grid_init(&s.g, ev.x, ev.y, ev.x & 1), 0);
		}
		panels_draw(&s.p, &s.g);
		TEST_EQ(s.p.err, 0);
	}
	close_session(&s);
	return 0;
}

TEST(a_grid_holds_wide_and_foreign_characters)
{
	struct grid g;
	char text[64];

	setlocale(LC_CTYPE, "C.UTF-8");
	TEST_EQ(grid_init(&g, 8, 2, true), 0);
	grid_text(&g, 0, 0, 8, 0, "a\u4e2d\u00e9z");
	grid_line(&g, 0, text, sizeof(text));
	TEST_STR(text, "a\u4e2d\u00e9z");
	TEST_EQ(g.cells[2].code, 0);
	TEST_EQ(g.cells[3].code, 0xe9);
	grid_text(&g, 6, 1, 9, 0, "abc\u4e2d");
	grid_line(&g, 1, text, sizeof(text));
	TEST_STR(text, "      ab");
	grid_text(&g, 0, 1, 3, 0, "\x1b[\xff");
	grid_line(&g, 1, text, sizeof(text));
	TEST_STR(text, "?[?   ab");
	g.utf8 = false;
	grid_text(&g, 0, 1, 3, 0, "\u00e9\u4e2d.");
	grid_line(&g, 1, text, sizeof(text));
	TEST_STR(text, "??.   ab");
	grid_deinit(&g);
	return 0;
}

TEST(a_screen_from_a_reader_taken_over_has_no_control_characters)
{
	static const __u32 bad[] = { 0x1b,     0x9b,   0x202e, 0xe000,
				     0x110000, 0x0301, 0x4e2d, 0xffffffff };
	struct tui_head head;
	struct grid sent, got = { .utf8 = true };
	int pair[2];
	size_t i;

	setlocale(LC_CTYPE, "C.UTF-8");
	TEST_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	TEST_EQ(grid_init(&sent, 10, 2, true), 0);
	for (i = 0; i < 8; i++) {
		sent.cells[i].code = bad[i];
		sent.cells[i].style = 1000 + i;
	}
	grid_text(&sent, 0, 1, 10, 0, "ok\u4e2d\u00e9\u2588");
	TEST_EQ(tui_send(pair[0], &sent), 0);
	TEST_EQ(io_recv(pair[1], &head, sizeof(head)), 0);
	TEST_EQ(tui_receive(pair[1], &head, &got), 0);
	for (i = 0; i < 8; i++) {
		TEST_EQ(got.cells[i].code, '?');
		TEST_EQ(got.cells[i].style, 0);
	}
	TEST_EQ(memcmp(got.cells + 10, sent.cells + 10,
		       10 * sizeof(*got.cells)),
		0);
	head.w = 100000;
	TEST_EQ(tui_receive(pair[1], &head, &got), -EPROTO);
	head.say = 7;
	TEST_EQ(tui_receive(pair[1], &head, &got), -EPROTO);
	close(pair[0]);
	TEST_EQ(io_recv(pair[1], &head, sizeof(head)), -EPIPE);
	close(pair[1]);
	grid_deinit(&sent);
	grid_deinit(&got);
	return 0;
}
