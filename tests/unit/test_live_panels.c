// SPDX-License-Identifier: GPL-2.0-only
/* Panels and lines of JSON of a session that is read while it is written. */

#include "live_session.h"
#include "panels_shown.h"

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

/* As `report -g folded` has them of the whole; most go on over intervals. */
#define MAIN "__libc_start_call_main;main;"
#define IN_QEMU                                                      \
	"[blocked];start_thread;kvm_vcpu_thread_fn;qemu_mutex_lock;" \
	"do_syscall_64;futex_wait;schedule;__schedule"
#define SLEPT                                                              \
	"'" MAIN "factor;recurse;[steal];bench=50000000' "                 \
	"'" MAIN "recurse;recurse;[steal];alpha vCPU 1=20000000' "         \
	"'start_secondary;do_idle;default_idle;[steal];wake-up=10000000' " \
	"'[broken: no unwind table];default_idle;[halt]=680000000' "       \
	"'" IN_QEMU "=40000000'"

TEST(time_hangs_below_what_was_left_an_interval_ago)
{
	struct panels_interval now = { .host = "host1" };
	struct trees how = { .percent = 0.5 };
	struct wait_slices waits = { 0 };
	char path[96], cmd[1024];
	struct recorded s;
	struct names names;
	struct panels p;
	__u64 until;
	FILE *out, *text;

	TEST_EQ(begin_with(&s, "off_cpu.txt", 1), 0);
	TEST_EQ(live_chains(&s.l, &s.chains), 0);
	TEST_EQ(names_init(&names, &s.l.a), 0);
	TEST_EQ(panels_init(&p, &s.l.tl, &s.l.slices, &names), 0);
	names.tl = &s.l.tl;
	waits.waits = &s.chains.waits;
	how.tree = &s.chains.tree;
	how.waits = &waits;
	panels_chains(&p, &how);
	p.live = true;
	snprintf(path, sizeof(path), "%s/json", s.dir);
	out = fopen(path, "w");
	TEST_OK(!!out);
	snprintf(path, sizeof(path), "%s/text", s.dir);
	text = fopen(path, "w");
	TEST_OK(!!text);
	now.begin = 0;
	for (until = 45; until <= 990; until += 45) {
		TEST_EQ(interval(&s, until * MS, 0, false), 0);
		TEST_EQ(names_renew(&names), 0);
		p.event = 0;
		panels_refresh(&p);
		now.span = s.l.slices.span;
		now.samples = s.l.samples;
		TEST_EQ(panels_list_json(&p, &now, 10, out), 0);
		TEST_EQ(panels_list(&p, 10, text), 0);
		now.begin += now.span;
		/* paths of the intervals before are gone */
		TEST_OK(s.chains.tree.nr_nodes < 80);
	}
	fclose(out);
	fclose(text);
	snprintf(cmd, sizeof(cmd),
		 "python3 tests/unit/top_json.py %s/json 10 chains " SLEPT,
		 s.dir);
	TEST_EQ(system(cmd), 0);
	snprintf(cmd, sizeof(cmd), "grep -q '  [-| ]*\\[steal\\]$' %s", path);
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
