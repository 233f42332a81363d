// SPDX-License-Identifier: GPL-2.0-only
/* Call chains in panels: their sums, keys that fold them, any order of keys. */

#include "panels_shown.h"

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
			TEST_EQ(code_samples(&s->p), l.samples);
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

/*
 * With what functions called, of each VM and vCPU: functions' own time and the
 * rows of time sum to it; branches to their row, in which the time is that the
 * function did not run; *waited: what rows have of it.
 */
static int callees_add_up(struct shown *s, __u64 *waited)
{
	__u64 sum, own, left = 0;
	const struct pane_line *l;
	size_t i, k;

	key(s, TUI_KEY_HOME);
	key(s, 'E');
	for (i = 1; i < s->p.nr_rows; i++) {
		key(s, TUI_KEY_DOWN);
		TEST_OK(s->p.table.timed);
		for (sum = 0, k = 0; k < s->p.pane[1].nr; k++) {
			l = &s->p.lines[k];
			if (!l->depth) {
				TEST_EQ(left, 0);
				own = l->kind == LINE_ROW ?
					      s->p.trees.rows.self[l->row]
						      .ticks :
					      l->ticks;
				TEST_OK(own <= l->ticks);
				sum += own;
				left = l->open ? l->ticks : 0;
				*waited += l->kind == LINE_ROW && !own ?
						   l->ticks :
						   0;
			} else if (l->level == 1 && l->kind != LINE_FRAME) {
				left -= l->ticks;
			}
			if (l->depth && l->frame != VMMPROF_NONE)
				TEST_EQ(enter_any(s, k), 0);
		}
		TEST_EQ(left, 0);
		TEST_EQ(sum, s->p.rows[i].total);
	}
	return 0;
}

TEST(functions_have_the_time_that_they_led_to)
{
	__u64 all = 0, parts = 0;
	struct shown s;

	TEST_EQ(show_chains(&s, "off_cpu.txt", false, true), 0);
	TEST_EQ(callees_add_up(&s, &all), 0);
	s.p.last = VMMPROF_SLICES / 3;
	panels_refresh(&s.p);
	TEST_EQ(callees_add_up(&s, &parts), 0);
	TEST_OK(parts && parts < all);
	close_session(&s);
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
