// SPDX-License-Identifier: GPL-2.0-only
/*
 * The agent's spool, in which each profile is there or counted as dropped, and its
 * file of options.
 */

#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "cmd/agent/conf.h"
#include "cmd/agent/push_book.h"
#include "cmd/agent/spool.h"
#include "cmd/agent/status.h"

#define S 1000000000ull

struct spooled {
	struct spool s;
	int from;
	char dir[64];
};

static int begin(struct spooled *p, __u64 max_bytes, __u64 max_age)
{
	char sub[80];

	strcpy(p->dir, "/tmp/vmmprof-spool-XXXXXX");
	if (!mkdtemp(p->dir))
		return -errno;
	snprintf(sub, sizeof(sub), "%s/made", p->dir);
	p->from = memfd_create("profile", 0);
	if (p->from < 0 || spool_open(&p->s, sub, -1))
		return -EIO;
	p->s.max_bytes = max_bytes;
	p->s.max_age_ns = max_age;
	return 0;
}

static void end(struct spooled *p)
{
	char cmd[128];

	spool_close(&p->s);
	close(p->from);
	snprintf(cmd, sizeof(cmd), "rm -r %s", p->dir);
	if (system(cmd))
		abort();
}

/* A profile in so many bytes, of a window that began so long ago. */
static int put(struct spooled *p, __u64 bytes, __u64 begin_s, __u64 now_s)
{
	if (ftruncate(p->from, 0) || ftruncate(p->from, bytes))
		return -errno;
	return spool_put(&p->s, p->from, 1, begin_s * S, now_s * S);
}

static __u64 dropped(const struct spool *s)
{
	__u64 sum = 0;
	size_t i;

	for (i = 0; i < NR_DROPS; i++)
		sum += s->book.count[i];
	return sum;
}

static bool has(const struct spooled *p, __u64 begin_s)
{
	char name[64];
	struct stat st;

	snprintf(name, sizeof(name), "%020llu-000001.tar", begin_s * S);
	return !fstatat(p->s.dirfd, name, &st, 0);
}

TEST(the_oldest_profiles_of_too_many_bytes_are_dropped)
{
	struct spooled p;
	__u64 i;

	TEST_EQ(begin(&p, 2500, 1000 * S), 0);
	for (i = 1; i <= 5; i++) {
		TEST_EQ(put(&p, 1000, 9 + i, 10 + i), 0);
		TEST_EQ(p.s.book.count[SPOOL_PRODUCED], i);
		TEST_EQ(p.s.book.count[SPOOL_PRODUCED],
			p.s.profiles + dropped(&p.s));
	}
	TEST_EQ(p.s.profiles, 2);
	TEST_EQ(p.s.bytes, 2000);
	TEST_EQ(p.s.book.count[DROP_SIZE], 3);
	TEST_OK(!has(&p, 12));
	TEST_OK(has(&p, 13));
	TEST_OK(has(&p, 14));
	/* one that alone is too much is not kept either */
	TEST_EQ(put(&p, 3000, 15, 16), 0);
	TEST_EQ(p.s.profiles, 0);
	TEST_EQ(p.s.book.count[SPOOL_PRODUCED], dropped(&p.s));
	end(&p);
	return 0;
}

TEST(old_profiles_are_dropped)
{
	struct spooled p;

	TEST_EQ(begin(&p, 1 << 20, 60 * S), 0);
	TEST_EQ(put(&p, 10, 1000, 1010), 0);
	TEST_EQ(put(&p, 10, 1040, 1050), 0);
	/* a clock that was set back makes none old */
	TEST_EQ(put(&p, 10, 900, 910), 0);
	TEST_EQ(p.s.profiles, 3);
	TEST_EQ(put(&p, 10, 1080, 1090), 0);
	TEST_EQ(p.s.profiles, 2);
	TEST_EQ(p.s.book.count[DROP_AGE], 2);
	TEST_OK(has(&p, 1040));
	TEST_OK(has(&p, 1080));
	end(&p);
	return 0;
}

TEST(a_profile_that_cannot_be_kept_is_counted)
{
	struct spooled p;
	int full;

	TEST_EQ(begin(&p, 1ull << 40, 60 * S), 0);
	TEST_EQ(spool_put(&p.s, -1, 0, 1000 * S, 1010 * S), -ENODATA);
	TEST_EQ(p.s.book.count[DROP_WRITE], 1);
	TEST_EQ(put(&p, SPOOL_FILE_MAX + 1, 1010, 1020), -EFBIG);
	TEST_EQ(p.s.book.count[DROP_LARGE], 1);
	/* a file where nothing can be read: an error, and nothing half written */
	full = open("/proc/self/mem", O_WRONLY);
	TEST_OK(full >= 0);
	close(p.s.dirfd);
	p.s.dirfd = full;
	TEST_OK(put(&p, 10, 1020, 1030) < 0);
	TEST_EQ(p.s.book.count[DROP_WRITE], 2);
	TEST_EQ(p.s.book.count[SPOOL_PRODUCED], dropped(&p.s));
	end(&p);
	return 0;
}

/* What an agent that was killed left is kept, or was not produced, or dropped. */
TEST(a_killed_agent_left_no_profile_uncounted)
{
	static const char *const names[] = {
		".00000000001000000000-000003.tar.new",
		".00000000002000000000-000004.tar.new",
		"00000000003000000000-000005.tar.drop",
		"00000000004000000000-000006.tar.drop",
		"00000000005000000000-000007.tar.push",
	};
	struct spooled p;
	char sub[80];
	size_t i;

	TEST_EQ(begin(&p, 1 << 20, 60 * S), 0);
	for (i = 0; i < 5; i++)
		close(openat(p.s.dirfd, names[i], O_CREAT | O_WRONLY, 0600));
	/* the second has been counted, and so has the third */
	p.s.book.count[SPOOL_PRODUCED] = 22;
	p.s.book.count[DROP_AGE] = 5;
	strcpy(p.s.book.name[SPOOL_NAME_NEW],
	       "00000000002000000000-000004.tar");
	strcpy(p.s.book.name[SPOOL_NAME_GONE],
	       "00000000003000000000-000005.tar");
	TEST_EQ(book_write(&p.s.book), 0);
	spool_close(&p.s);
	snprintf(sub, sizeof(sub), "%s/made", p.dir);
	TEST_EQ(spool_open(&p.s, sub, -1), 0);
	p.s.max_bytes = 1 << 20;
	p.s.max_age_ns = 60 * S;
	TEST_EQ(p.s.book.count[SPOOL_PRODUCED], 22);
	TEST_EQ(put(&p, 10, 6, 7), 0);
	TEST_EQ(p.s.book.count[SPOOL_PRODUCED], 23);
	/* 4 + 6 + 7 and the new one */
	TEST_EQ(p.s.profiles, 18);
	TEST_EQ(dropped(&p.s), 5);
	end(&p);
	return 0;
}

TEST(a_book_that_is_none_is_refused)
{
	static const char *const texts[] = { "produced x\n", "produced -1\n",
					     "new ../x\n" };
	struct book b;
	struct spooled p;
	char text[BOOK_BYTES];
	size_t i;
	int fd;

	TEST_EQ(begin(&p, 1, 1), 0);
	for (i = 0; i < 3; i++) {
		memset(text, ' ', sizeof(text));
		memcpy(text, texts[i], strlen(texts[i]));
		text[BOOK_BYTES - 1] = '\n';
		fd = openat(p.s.dirfd, "agent.book", O_WRONLY | O_TRUNC);
		TEST_EQ(write(fd, text, sizeof(text)), sizeof(text));
		close(fd);
		TEST_EQ(book_look(&b, p.s.book.form, p.s.dirfd), -EINVAL);
		book_close(&b);
	}
	/* cut off; and a link to elsewhere */
	TEST_EQ(ftruncate(p.s.book.fd, 100), 0);
	TEST_EQ(book_look(&b, p.s.book.form, p.s.dirfd), -EINVAL);
	book_close(&b);
	TEST_EQ(unlinkat(p.s.dirfd, "agent.book", 0), 0);
	TEST_EQ(symlinkat("/etc/passwd", p.s.dirfd, "agent.book"), 0);
	TEST_EQ(book_look(&b, p.s.book.form, p.s.dirfd), -ELOOP);
	book_close(&b);
	end(&p);
	return 0;
}

/* The metrics have both books; of push's, which is another user's, numbers alone. */
TEST(metrics_have_the_books)
{
	const struct agent_status a = { .windows = 3, .folded = 4 };
	char text[AGENT_STATUS_TEXT];
	struct spooled p;
	struct book b;

	TEST_EQ(begin(&p, 1 << 20, 60 * S), 0);
	TEST_EQ(put(&p, 10, 6, 7), 0);
	agent_status_text(&a, &p.s, text, sizeof(text));
	TEST_OK(strstr(text, "vmmprof_agent_profiles_produced_total 1\n"));
	TEST_OK(strstr(text, "vmmprof_agent_folded_stacks_total 4\n"));
	TEST_OK(strstr(text, "vmmprof_agent_spool_profiles 1\n"));
	TEST_OK(!strstr(text, "vmmprof_push_"));
	TEST_OK(!strstr(text, "vmmprof_agent_freezes_total"));
	TEST_EQ(book_open(&b, &push_book_form, p.s.dirfd), 0);
	b.count[PUSH_SENT] = 7;
	b.count[PUSH_REFUSED] = ~0ull;
	TEST_EQ(book_write(&b), 0);
	agent_status_text(&a, &p.s, text, sizeof(text));
	TEST_OK(strstr(text, "vmmprof_push_profiles_sent_total 7\n"));
	TEST_OK(strstr(
		text,
		"vmmprof_push_profiles_dropped_total{why=\"refused\"} 18446744073709551615\n"));
	TEST_OK(strlen(text) < sizeof(text) - 512);
	TEST_EQ(pwrite(b.fd, "sent no\n", 8, 0), 8);
	book_close(&b);
	agent_status_text(&a, &p.s, text, sizeof(text));
	TEST_OK(!strstr(text, "vmmprof_push_"));
	end(&p);
	return 0;
}

TEST(metrics_have_the_sessions_that_it_makes)
{
	const struct agent_status a = { .freezes = true,
					.made = 3,
					.failed = 4 };
	char text[AGENT_STATUS_TEXT];

	agent_status_text(&a, NULL, text, sizeof(text));
	TEST_OK(strstr(text, "# TYPE vmmprof_agent_freezes_total counter\n"));
	TEST_OK(strstr(text, "_freezes_total{result=\"ok\"} 3\n"));
	TEST_OK(strstr(text, "_freezes_total{result=\"failed\"} 4\n"));
	return 0;
}

TEST(what_others_put_into_the_spool_stays)
{
	struct spooled p;
	struct stat st;
	int fd;

	TEST_EQ(begin(&p, 1, 1 * S), 0);
	fd = openat(p.s.dirfd, "notes.tar", O_CREAT | O_WRONLY, 0600);
	TEST_OK(fd >= 0);
	close(fd);
	TEST_EQ(symlinkat("notes.tar", p.s.dirfd,
			  "00000000000000000001-000001.tar"),
		0);
	TEST_EQ(put(&p, 10, 1000, 1010), 0);
	TEST_EQ(p.s.profiles, 0);
	TEST_EQ(fstatat(p.s.dirfd, "notes.tar", &st, 0), 0);
	TEST_EQ(fstatat(p.s.dirfd, "00000000000000000001-000001.tar", &st,
			AT_SYMLINK_NOFOLLOW),
		0);
	TEST_EQ(unlinkat(p.s.dirfd, ".00000001000000000000-000001.tar.new", 0),
		-1);
	end(&p);
	return 0;
}

TEST(a_file_has_all_of_it_or_is_what_it_was)
{
	char text[64] = "", dir[] = "/tmp/vmmprof-spool-XXXXXX", cmd[64];
	int dirfd, from, fd;

	TEST_OK(mkdtemp(dir));
	dirfd = open(dir, O_RDONLY | O_DIRECTORY);
	from = memfd_create("metrics", 0);
	TEST_EQ(write(from, "one\n", 4), 4);
	/* left by a process that was killed, and a link by somebody else */
	TEST_EQ(symlinkat("/etc/passwd", dirfd, ".tmp"), 0);
	TEST_EQ(spool_write_file(dirfd, ".tmp", "is", from, 4, "two\n"), 0);
	/* shorter than was said: an error, and the file of before */
	TEST_EQ(spool_write_file(dirfd, ".tmp", "is", from, 5, ""), -ENODATA);
	TEST_EQ(faccessat(dirfd, ".tmp", F_OK, AT_SYMLINK_NOFOLLOW), -1);
	fd = openat(dirfd, "is", O_RDONLY);
	TEST_EQ(read(fd, text, sizeof(text)), 8);
	TEST_STR(text, "one\ntwo\n");
	close(fd);
	close(from);
	close(dirfd);
	snprintf(cmd, sizeof(cmd), "rm -r %s", dir);
	return system(cmd);
}

static int conf_of(struct conf *c, const char *text, size_t size,
		   struct error *e)
{
	char path[] = "/tmp/vmmprof-conf-XXXXXX", verb[] = "vmmprof agent";
	int fd = mkstemp(path), ret;

	if (fd < 0 || write(fd, text, size) != (ssize_t)size)
		return -EIO;
	close(fd);
	ret = conf_read(c, path, verb, e);
	unlink(path);
	if (!ret)
		c->args[0] = NULL; /* ours is gone */
	return ret;
}

TEST(lines_of_a_file_are_options)
{
	static const char text[] = "# comment\n\n  window = 5 \r\n"
				   "spool-dir=/var/a b\nno-switches\n"
				   "\tssh = web=root@web # x\nfreq =\n";
	struct error e;
	struct conf c;

	TEST_EQ(conf_of(&c, text, strlen(text), &e), 0);
	TEST_EQ(c.nr, 6);
	TEST_STR(c.args[1], "--window=5");
	TEST_STR(c.args[2], "--spool-dir=/var/a b");
	TEST_STR(c.args[3], "--no-switches");
	TEST_STR(c.args[4], "--ssh=web=root@web # x");
	TEST_STR(c.args[5], "--freq=");
	TEST_OK(!c.args[6]);
	conf_deinit(&c);
	return 0;
}

TEST(a_file_of_options_that_is_none_is_refused)
{
	static const char *const wrong[] = { "window 5\n",  "--window = 5\n",
					     "= 5\n",	    "conf = /etc/x\n",
					     "a\n\nhelp\n", "Window = 5\n" };
	char many[4 * CONF_LINES + 8], *at = many;
	static char large[70000];
	struct error e;
	struct conf c;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		TEST_EQ(conf_of(&c, wrong[i], strlen(wrong[i]), &e), -EINVAL);
		TEST_OK(strstr(e.text, i == 4 ? "line 3" : "line 1"));
		conf_deinit(&c);
	}
	TEST_EQ(conf_of(&c, "a\0b\n", 4, &e), -EINVAL);
	conf_deinit(&c);
	memset(large, '#', sizeof(large));
	TEST_EQ(conf_of(&c, large, sizeof(large), &e), -EFBIG);
	conf_deinit(&c);
	for (i = 0; i <= CONF_LINES; i++)
		at = stpcpy(at, "a=b\n");
	TEST_EQ(conf_of(&c, many, 4 * CONF_LINES, &e), 0);
	TEST_STR(c.args[CONF_LINES], "--a=b");
	conf_deinit(&c);
	TEST_EQ(conf_of(&c, many, at - many, &e), -EINVAL);
	conf_deinit(&c);
	/* as many bytes as there is room for */
	memset(large, 'a', sizeof(large));
	TEST_EQ(conf_of(&c, large, (64 << 10) - 1, &e), 0);
	TEST_EQ(strlen(c.args[1]), (64 << 10) - 1 + 2);
	conf_deinit(&c);
	TEST_EQ(conf_read(&c, "/nonexistent/conf", large, &e), -ENOENT);
	TEST_EQ(conf_read(&c, "/dev/null", large, &e), -EINVAL);
	return 0;
}
