// SPDX-License-Identifier: GPL-2.0-only
/*
 * The panels without a terminal: sums by time are the whole's, keys lead where
 * they should, no order of keys and sizes harms, and nothing but characters
 * gets out.
 */

#include "panels_shown.h"

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
				TEST_EQ(code_samples(&s->p), c->samples);
				*sum += c->samples;
			} else {
				TEST_EQ(code_samples(&s->p), 0);
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
