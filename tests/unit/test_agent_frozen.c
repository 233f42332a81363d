// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions that the agent makes by itself: their names, how many there are, and the
 * process that copies.
 */

#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "kept_records.h"
#include "cmd/agent/frozen.h"

#define S 1000000000ull

static const char *name_of(const char *vm)
{
	static char name[FROZEN_NAME];

	frozen_name(name, 1700000000, vm);
	return name;
}

TEST(a_session_is_called_by_its_time_and_nothing_unsafe)
{
	char many[300];

	TEST_STR(name_of(""), "20231114T221320Z");
	TEST_STR(name_of("web-1.b_C"), "20231114T221320Z-web-1.b_C");
	TEST_STR(name_of("../../etc/passwd"),
		 "20231114T221320Z-.._.._etc_passwd");
	TEST_STR(name_of("a b\n\033[1m\xc3\xa4%s"),
		 "20231114T221320Z-a_b___1m___s");
	memset(many, 'x', sizeof(many));
	many[299] = '\0';
	TEST_EQ(strlen(name_of(many)), FROZEN_NAME - 1);
	return 0;
}

struct made {
	struct tried k;
	struct frozen f;
	char dir[96];
};

static int begin_made(struct made *m)
{
	__u64 until;

	memset(m, 0, sizeof(*m));
	TEST_EQ(begin_tried(&m->k, 1 << 30, 10000 * MS), 0);
	for (until = 100 * MS; until <= 500 * MS; until += 10 * MS)
		TEST_EQ(tick(&m->k, until, 0), 0);
	snprintf(m->dir, sizeof(m->dir), "%s/sessions", m->k.s.dir);
	m->f.records = m->k.dir;
	m->f.dir = m->dir;
	m->f.keep = 2;
	m->f.turn.again_ns = 600 * S;
	TEST_EQ(frozen_open(m->dir), 0);
	return 0;
}

/* Runs it with %s for the directory; 0: it succeeds. */
static int shell(const struct made *m, const char *form)
{
	char cmd[400];

	snprintf(cmd, sizeof(cmd), form, m->dir);
	return system(cmd);
}

static int make(const struct made *m, const char *name)
{
	struct error e;
	int ret = frozen_make(m->k.dir, m->dir, name, m->f.keep, &e);

	if (ret)
		printf("# %s\n", e.text);
	return ret;
}

/* Is it a whole session? */
static int reads(const struct made *m, const char *name)
{
	struct analysis a;
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", m->dir, name);
	TEST_EQ(analysis_open(&a, path, NULL, 0), 0);
	TEST_EQ(a.session.problems.nr, 0);
	TEST_EQ(a.session.stop->stop_tsc, 500 * MS);
	analysis_close(&a);
	return 0;
}

/* A host that died: files are there whose content never came to the disk. */
TEST(what_a_dead_host_left_is_in_nobodys_way)
{
	static const char *const left[] = {
		": > info; : > host; : > cpu-0.rec",
		"head -c 100 /dev/zero > info; : > host; : > cpu-1.rec.part",
		": > host; : > cpu-0.rec", /* after a try to remove it */
		": > info; mkdir guests; : > guests/a.bundle; : > host",
		"mkdir guests",
	};
	char name[FROZEN_NAME], cmd[200];
	struct made m;
	size_t i;

	TEST_EQ(begin_made(&m), 0);
	for (i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		snprintf(cmd, sizeof(cmd),
			 "cd %%s && mkdir -m 700 .new && cd .new && { %s; }",
			 left[i]);
		TEST_EQ(shell(&m, cmd), 0);
		snprintf(name, sizeof(name), "20240101T00000%zuZ-a", i);
		TEST_EQ(make(&m, name), 0);
		TEST_EQ(reads(&m, name), 0);
	}
	/* what nobody of vmmprof wrote stays, and all with it */
	TEST_EQ(shell(&m,
		      "cd %s && mkdir -m 700 .new && cd .new && : > info && : > mine"),
		0);
	TEST_EQ(make(&m, "20240101T000009Z-a"), -ENOTEMPTY);
	TEST_EQ(shell(&m, "cd %s/.new && test -e mine && test -e info"), 0);
	end_tried(&m.k);
	return 0;
}

/* A copy that was killed, or had no room, when it had made its first file */
TEST(a_copy_that_only_began_is_in_nobodys_way)
{
	struct made m;

	TEST_EQ(begin_made(&m), 0);
	TEST_EQ(shell(&m, "cd %s && mkdir -m 700 .new && : > .new/info"), 0);
	TEST_EQ(make(&m, "20240101T000000Z-a"), 0);
	TEST_EQ(reads(&m, "20240101T000000Z-a"), 0);
	end_tried(&m.k);
	return 0;
}

TEST(no_more_sessions_are_kept)
{
	struct made m;

	TEST_EQ(begin_made(&m), 0);
	TEST_EQ(make(&m, "20240101T000000Z-a"), 0);
	TEST_EQ(make(&m, "20240101T000001Z"), 0);
	TEST_EQ(shell(&m,
		      "test \"$(cd %s && ls -A | xargs)\" = '20240101T000000Z-a 20240101T000001Z'"),
		0);
	TEST_EQ(reads(&m, "20240101T000001Z"), 0);
	TEST_EQ(make(&m, "20240101T000002Z-b"), 0);
	TEST_EQ(shell(&m,
		      "test \"$(cd %s && ls -A | xargs)\" = '20240101T000001Z 20240101T000002Z-b'"),
		0);
	m.f.keep = 1;
	TEST_EQ(make(&m, "20240101T000003Z-c"), 0);
	TEST_EQ(shell(&m, "test \"$(ls -A %s)\" = 20240101T000003Z-c"), 0);
	end_tried(&m.k);
	return 0;
}

/* ... and what a process that was killed left goes, whatever there is of it. */
TEST(what_is_not_a_session_of_the_agent_stays)
{
	struct made m;

	TEST_EQ(begin_made(&m), 0);
	m.f.keep = 1;
	TEST_EQ(make(&m, "20240101T000000Z-a"), 0);
	TEST_EQ(shell(&m,
		      "cd %s; cp -r *-a mine; cp -r *-a .new; cd *-a; touch x"),
		0);
	TEST_EQ(shell(&m, "cd %s; rm .new/host; ln -s mine 20240101T000009Z"),
		0);
	TEST_EQ(make(&m, "20240101T000001Z"), 0);
	TEST_EQ(make(&m, "20240101T000002Z"), 0);
	TEST_EQ(shell(&m,
		      "test \"$(ls -A %s | cut -c 15- | xargs)\" = '0Z-a 2Z 9Z'"),
		0);
	TEST_EQ(shell(&m, "test -e %s/mine/host"), 0);
	TEST_EQ(shell(&m, "test -e %s/20240101T000000Z-a/host"), 0);
	/* nothing had been written into it yet */
	TEST_EQ(shell(&m, "mkdir %s/.new"), 0);
	TEST_EQ(make(&m, "20240101T000003Z-b"), 0);
	TEST_EQ(shell(&m,
		      "cd %s && test -e 20240101T000003Z-b/host -a ! -e .new"),
		0);
	end_tried(&m.k);
	return 0;
}

TEST(sessions_are_only_where_nobody_else_may_write)
{
	char dir[] = "/tmp/vmmprof-frozen-XXXXXX", sub[64];
	struct stat st;

	TEST_OK(mkdtemp(dir));
	snprintf(sub, sizeof(sub), "%s/made", dir);
	TEST_EQ(frozen_open(sub), 0);
	TEST_EQ(stat(sub, &st), 0);
	TEST_EQ(st.st_mode & 0777, 0700);
	TEST_EQ(frozen_open(sub), 0);
	TEST_EQ(chmod(sub, 0770), 0);
	TEST_EQ(frozen_open(sub), -EPERM);
	TEST_EQ(rmdir(sub), 0);
	TEST_EQ(symlink("/tmp", sub), 0);
	TEST_EQ(frozen_open(sub), -ENOTDIR);
	TEST_EQ(unlink(sub), 0);
	strcat(sub, "/deeper");
	TEST_EQ(frozen_open(sub), -ENOENT);
	return rmdir(dir);
}

/* Looks until nothing is copied any more. */
static void wait_for_end(struct frozen *f, __u64 now)
{
	while (f->child) {
		usleep(1000);
		frozen_work(f, now);
	}
}

TEST(an_alarm_becomes_a_session)
{
	struct made m;

	TEST_EQ(begin_made(&m), 0);
	frozen_alarm(&m.f, NULL, 0, S);
	frozen_work(&m.f, S);
	TEST_EQ(m.f.child, 0);
	frozen_alarm(&m.f, "web/1", 433, 2 * S);
	frozen_work(&m.f, 2 * S);
	TEST_OK(m.f.child > 0);
	TEST_STR(m.f.lost, "web/1 lost 43.3 % of its time");
	wait_for_end(&m.f, 2 * S);
	TEST_EQ(m.f.made, 1);
	TEST_EQ(m.f.failed, 0);
	TEST_STR(m.f.name + strlen("20240101T000000Z"), "-web_1");
	TEST_EQ(reads(&m, m.f.name), 0);
	TEST_EQ(shell(&m, "test \"$(ls -A %s | wc -l)\" = 1"), 0);
	/* it lasts: none, until so much time has gone */
	frozen_alarm(&m.f, "web/1", 433, 601 * S);
	frozen_work(&m.f, 601 * S);
	TEST_EQ(m.f.child, 0);
	frozen_alarm(&m.f, "", 1000, 602 * S);
	frozen_work(&m.f, 602 * S);
	wait_for_end(&m.f, 602 * S);
	TEST_EQ(m.f.made, 2);
	TEST_STR(m.f.lost, "a VM lost 100.0 % of its time");
	frozen_end(&m.f);
	end_tried(&m.k);
	return 0;
}

TEST(a_session_that_cannot_be_made_is_counted)
{
	struct made m;

	TEST_EQ(begin_made(&m), 0);
	m.f.records = "/nonexistent";
	frozen_alarm(&m.f, "web", 433, S);
	frozen_work(&m.f, S);
	wait_for_end(&m.f, S);
	TEST_EQ(m.f.made, 0);
	TEST_EQ(m.f.failed, 1);
	TEST_EQ(shell(&m, "test -z \"$(ls -A %s)\""), 0);
	end_tried(&m.k);
	return 0;
}

/* The agent has the lock, so that nothing is copied: it is waited for, not stopped. */
TEST(one_session_at_a_time_and_not_for_ever)
{
	struct made m;
	pid_t child;

	TEST_EQ(begin_made(&m), 0);
	TEST_EQ(flock(m.k.kept.until, LOCK_EX), 0);
	frozen_alarm(&m.f, "web", 433, S);
	frozen_work(&m.f, S);
	child = m.f.child;
	TEST_OK(child > 0);
	frozen_alarm(&m.f, NULL, 0, 301 * S);
	frozen_alarm(&m.f, "other", 433, 302 * S);
	frozen_work(&m.f, 302 * S);
	TEST_EQ(m.f.child, child);
	TEST_STR(m.f.lost, "web lost 43.3 % of its time");
	wait_for_end(&m.f, 602 * S);
	TEST_EQ(m.f.failed, 1);
	/* then it is the other one's turn, until the agent ends */
	frozen_work(&m.f, 603 * S);
	child = m.f.child;
	TEST_OK(child > 0);
	TEST_STR(m.f.vm, "other");
	TEST_EQ(shell(&m, "mkdir %s/.new"), 0);
	frozen_end(&m.f);
	TEST_EQ(m.f.child, 0);
	TEST_EQ(kill(child, 0), -1);
	TEST_EQ(shell(&m, "test -z \"$(ls -A %s)\""), 0);
	end_tried(&m.k);
	return 0;
}
