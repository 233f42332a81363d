// SPDX-License-Identifier: GPL-2.0-only
/* Names below a directory of somebody else's: by openat2() and name by name. */

#include <fcntl.h>
#include <stdbool.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "test.h"
#include "tree.h"
#include "format/items.h"
#include "format/open_beneath.h"
#include "format/preopen.h"
#include "format/session_open.h"
#include "base/path_walk.h"

static char base[64];
static int dir;

static const char *at(const char *name)
{
	static char path[4][PATH_MAX];
	static int n;

	n = (n + 1) % 4;
	snprintf(path[n], sizeof(path[n]), "%s/%s", base, name);
	return path[n];
}

static void begin(void)
{
	strcpy(base, "/tmp/vmmprof-test-XXXXXX");
	if (!mkdtemp(base) || chmod(base, 0755))
		abort();
	tree_put(base, "in/info", "x");
	tree_put(base, "in/guests/a.bundle", "y");
	tree_put(base, "out/secret", "z");
	dir = open(at("in"), O_RDONLY | O_DIRECTORY);
	if (dir < 0 || symlink("../out", at("in/link")) ||
	    symlink("info", at("in/alias")) ||
	    symlink(at("out/secret"), at("in/guests/b.bundle")) ||
	    symlink("/proc/self/fd", at("in/magic")) ||
	    mkfifo(at("in/pipe"), 0600))
		abort();
}

static int end(void)
{
	char command[128];

	close(dir);
	snprintf(command, sizeof(command), "rm -rf %s", base);
	return system(command);
}

static int nothing_outside(void)
{
	static const struct {
		const char *path;
		int err;
	} refused[] = {
		{ "link/secret", -ELOOP },    { "link", -ELOOP },
		{ "alias", -ELOOP },	      { "guests/b.bundle", -ELOOP },
		{ "magic/0", -ELOOP },	      { "../out/secret", -EXDEV },
		{ "guests/../info", -EXDEV }, { "..", -EXDEV },
		{ "/etc/passwd", -EXDEV },    { "pipe", -EINVAL },
		{ "guests", -EINVAL },	      { ".", -EINVAL },
		{ "none", -ENOENT },	      { "none/x", -ENOENT },
		{ "info/x", -ENOTDIR },	      { "", -ENOENT },
	};
	size_t i;
	char c;
	int fd;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (open_beneath(dir, refused[i].path) != refused[i].err) {
			printf("# %s\n", refused[i].path);
			return 1;
		}
	fd = open_beneath(dir, "guests/a.bundle");
	TEST_OK(fd >= 0 && read(fd, &c, 1) == 1 && c == 'y');
	TEST_EQ(fcntl(fd, F_GETFL) & (O_PATH | O_ACCMODE), O_RDONLY);
	close(fd);
	fd = open_beneath(dir, "guests//a.bundle");
	TEST_OK(fd >= 0);
	close(fd);
	fd = open_dir_beneath(dir, "guests/");
	TEST_OK(fd >= 0);
	close(fd);
	TEST_EQ(open_dir_beneath(dir, "link"), -ELOOP);
	TEST_EQ(open_dir_beneath(dir, "link/"), -ELOOP);
	TEST_EQ(open_dir_beneath(dir, "info"), -ENOTDIR);
	return 0;
}

TEST(openat2_leads_nowhere_else)
{
	int ret;

	begin();
	ret = nothing_outside();
	return end() || ret;
}

TEST(names_one_by_one_do_the_same)
{
	int ret;

	begin();
	open_beneath_by_names = true;
	ret = nothing_outside();
	return end() || ret;
}

/* Does the kernel tell of an open file? */
static bool was_opened(int watch)
{
	char buf[4096];

	return read(watch, buf, sizeof(buf)) > 0;
}

TEST(a_fifo_is_never_opened)
{
	int watch = inotify_init1(IN_NONBLOCK), way, fd;

	begin();
	TEST_OK(inotify_add_watch(watch, at("in/pipe"), IN_OPEN) >= 0);
	for (way = 0; way < 2; way++) {
		open_beneath_by_names = way;
		TEST_EQ(open_beneath(dir, "pipe"), -EINVAL);
	}
	TEST_EQ(open_named(AT_FDCWD, at("in/pipe"), 0), -EINVAL);
	TEST_EQ(open_regular(AT_FDCWD, at("in/pipe"), 0), -EINVAL);
	TEST_EQ(open_regular(dir, "pipe", O_NOFOLLOW), -EINVAL);
	TEST_EQ(preopen_file(at("in/pipe")), 0);
	TEST_OK(rename(at("in/pipe"), at("in/host")) == 0);
	TEST_EQ(preopen_session(at("in")), 0);
	TEST_OK(preopen_find(dir, "host", &fd));
	TEST_EQ(fd, -EINVAL);
	TEST_OK(!was_opened(watch));
	/* that it would have been seen */
	fd = open(at("in/host"), O_RDONLY | O_NONBLOCK);
	TEST_OK(fd >= 0 && was_opened(watch));
	close(fd);
	close(watch);
	return end();
}

TEST(of_a_session_nothing_else_is_there)
{
	int fd;

	begin();
	tree_put(base, "in/key", "private");
	tree_put(base, "in/guests/key", "private");
	TEST_EQ(preopen_session(at("in")), 0);
	TEST_OK(preopen_find(dir, "info", &fd) && fd >= 0);
	close(fd);
	TEST_OK(preopen_find(dir, "guests/a.bundle", &fd) && fd >= 0);
	close(fd);
	TEST_EQ(open_regular(dir, "guests/b.bundle", 0), -ELOOP);
	TEST_EQ(open_regular(dir, "key", 0), -ENOENT);
	TEST_EQ(open_regular(dir, "guests/key", 0), -ENOENT);
	TEST_EQ(open_regular(dir, "cpu-0.rec", 0), -ENOENT);
	TEST_OK(!rename(at("in/guests"), at("gone")) &&
		!symlink(at("gone"), at("in/guests")));
	TEST_EQ(open_regular(dir, "guests/c.bundle", 0), -ENOENT);
	return end();
}

TEST(linked_bundles_are_told)
{
	begin();
	TEST_OK(!rename(at("in/guests"), at("gone")) &&
		!symlink(at("gone"), at("in/guests")));
	TEST_EQ(preopen_session(at("in")), 0);
	TEST_EQ(open_regular(dir, "guests/a.bundle", 0), -ELOOP);
	TEST_EQ(open_regular(dir, "cpu-0.rec", 0), -ENOENT);
	return end();
}

TEST(only_roots_own_session_is_roots)
{
	begin();
	if (geteuid()) /* the rest is about other users' files */
		return end();
	TEST_EQ(preopen_session(at("in")), 0);
	TEST_OK(preopen_is_roots(at("in")));
	TEST_OK(!chmod(at("in"), 0775));
	TEST_OK(!preopen_is_roots(at("in")));
	TEST_OK(!chmod(at("in"), 0755) && !chmod(at("in/info"), 0666));
	TEST_OK(!preopen_is_roots(at("in")));
	TEST_OK(!chmod(at("in/info"), 0644) && !chown(at("in/info"), 1234, 0));
	TEST_OK(!preopen_is_roots(at("in")));
	TEST_OK(!chown(at("in/info"), 0, 0) && !chown(at("in"), 1234, 0));
	TEST_OK(!preopen_is_roots(at("in")));
	TEST_OK(!chown(at("in"), 0, 0));
	TEST_OK(preopen_is_roots(at("in")));
	TEST_OK(!preopen_is_roots(at("out")));
	return end();
}

TEST(root_opens_with_the_owners_rights)
{
	struct stat st = { 0 };

	begin();
	TEST_OK(!chmod(at("out/secret"), 0600));
	st.st_uid = 1234;
	st.st_gid = 1234;
	st.st_mode = S_IFDIR | 0755;
	TEST_EQ(owner_rights_begin(&st), 0);
	if (!geteuid())
		TEST_EQ(open_named(AT_FDCWD, at("out/secret"), 0), -EACCES);
	owner_rights_end();
	TEST_OK(open_named(AT_FDCWD, at("out/secret"), 0) >= 0);
	return end();
}

static int walk_to(const char *path, bool follow, path_walk_fn *may,
		   const char *name)
{
	struct walked last;
	int fd = path_walk(path, follow, may, &last);

	if (fd < 0)
		return fd;
	close(fd);
	return strcmp(last.name, name) ? -EBADMSG : 0;
}

TEST(walks_follow_whose_links_may_be)
{
	int fd;

	begin();
	TEST_OK(!symlink("link", at("in/twice")) &&
		!symlink("round", at("in/round")) &&
		!symlink("/", at("in/root")));
	TEST_EQ(walk_to(at("in/link/secret"), false, step_own, "secret"), 0);
	TEST_EQ(walk_to(at("in/twice/secret"), false, step_own, "secret"), 0);
	TEST_EQ(walk_to(at("in/twice"), true, step_own, "out"), 0);
	TEST_EQ(walk_to(at("in/twice//"), false, step_own, "twice"), 0);
	TEST_EQ(walk_to(at("in/none"), true, step_own, "none"), 0);
	TEST_EQ(walk_to(at("in/none/x"), true, step_own, ""), -ENOENT);
	TEST_EQ(walk_to(at("in/info/x"), true, step_own, ""), -ENOTDIR);
	TEST_EQ(walk_to(at("in/round"), true, step_own, ""), -ELOOP);
	TEST_EQ(walk_to(at("in/root"), true, step_own, "."), 0);
	TEST_EQ(walk_to("/", true, step_own, "."), 0);
	TEST_EQ(walk_to("", true, step_own, "."), -ENOENT);
	TEST_EQ(walk_to("/proc/self/cwd/x", true, step_own, "x"), 0);
	TEST_OK(!chmod(at("out"), 0750) && !chdir(at("out")));
	TEST_EQ(walk_to("/proc/self/cwd/x", true, step_public, ""), -EACCES);
	TEST_OK(!chmod(at("out"), 0755) && !chdir("/"));
	if (!geteuid()) {
		TEST_OK(!lchown(at("in/link"), 1234, 1234));
		TEST_EQ(walk_to(at("in/twice/secret"), false, step_own, ""),
			-VMMPROF_ELINK);
	}
	TEST_EQ(walk_to(at("in/twice/secret"), true, step_public, "secret"), 0);
	fd = open_public_file(at("in/twice/secret"));
	TEST_OK(fd >= 0);
	close(fd);
	TEST_EQ(open_public_file(at("in/twice")), -EINVAL);
	TEST_EQ(open_public_file("etc/passwd"), -EACCES);
	TEST_OK(!chmod(at("out/secret"), 0640));
	TEST_EQ(open_public_file(at("in/twice/secret")), -EACCES);
	TEST_OK(!chmod(at("out/secret"), 0644) && !chmod(at("out"), 0750));
	TEST_EQ(open_public_file(at("in/twice/secret")), -EACCES);
	TEST_EQ(walk_to(at("in/twice/secret"), true, step_public, ""), -EACCES);
	return end();
}
