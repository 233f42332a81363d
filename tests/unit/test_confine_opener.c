// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process that opens files for confined ones: what all may read, and
 * programs; nothing private, neither root's nor a user's.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/items.h"
#include "sandbox/confine.h"
#include "sandbox/opener.h"
#include "test.h"

#define USER 54321

static char dir[] = "/tmp/opener.XXXXXX";
static int private;

/* A folder with a file that only its owner may read. */
static int begin(void)
{
	TEST_OK(mkdtemp(dir) && !chdir(dir) && !chmod(dir, 0755));
	private = open("secret", O_RDWR | O_CREAT, 0600);
	TEST_OK(private >= 0 && write(private, "x", 1) == 1);
	TEST_OK(geteuid() || !fchown(private, USER, USER));
	return 0;
}

static int end(void)
{
	close(private);
	TEST_EQ(unlink("secret"), 0);
	return rmdir(dir);
}

/* Not root: nothing to give up. */
static int be_user(void)
{
	return !geteuid() &&
	       (setresgid(USER, USER, USER) || setresuid(USER, USER, USER));
}

static int ask(void *arg)
{
	const bool *user = arg;
	int fd;

	if ((*user && be_user()) || opener_start() || confine_self())
		return 9;
	/* all may read it */
	fd = open_regular(AT_FDCWD, "/etc/passwd", 0);
	if (fd < 0 || close(fd))
		return 1;
	/* a program, wherever it is */
	fd = open_regular(AT_FDCWD, "/proc/self/exe", 0);
	if (fd < 0 || close(fd))
		return 2;
	if (open_regular(AT_FDCWD, "/etc/shadow", 0) != -EACCES ||
	    open_regular(AT_FDCWD, "secret", 0) != -EACCES)
		return 3;
	fd = open_source("/etc/passwd");
	if (fd < 0 || close(fd) || open_source("/etc/shadow") >= 0)
		return 5;
	if (open_regular(AT_FDCWD, "/dev/null", 0) != -EINVAL ||
	    open_regular(AT_FDCWD, "/none", 0) != -ENOENT ||
	    open_regular(private, "secret", 0) != -ENOENT)
		return 4;
	return 7;
}

TEST(who_opens_files_for_others_opens_no_private_ones)
{
	bool user[] = { false, true };
	int i, sig;

	if (begin())
		return 1;
	for (i = 0; i < 2; i++)
		TEST_EQ(confine_run_until(ask, NULL, &user[i], UINT64_MAX,
					  &sig),
			7);
	return end();
}
