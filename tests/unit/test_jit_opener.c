// SPDX-License-Identifier: GPL-2.0-only
/* The opener of files of JIT code, beside a file system that never answers. */

#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "base/clock.h"
#include "os/jit_opener.h"

#define S 1000000000ull

/* In the place of the one that opens: /hang is such a file system's. */
int jit_owner_open(const struct jit_owner *p, const char *path, __u64 ino)
{
	int fd;

	if (!strcmp(path, "/hang"))
		pause();
	if (!strcmp(path, "/die"))
		_exit(1);
	if (p->uid != 5 || p->since != 77 || ino != 9)
		return -ESTALE;
	fd = openat(p->root, path + 1, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static struct jit_owner owner(void)
{
	const struct jit_owner p = {
		.uid = 5,
		.since = 77,
		.root = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC),
	};

	return p;
}

TEST(jitopener_opens_as_it_is_told)
{
	struct jit_opener o = JIT_OPENER_NONE;
	struct jit_owner p = owner();
	char text[16] = "", path[5000];
	pid_t pid;
	int fd;

	fd = jit_opener_open(&o, &p, "/comm", 9);
	TEST_OK(fd >= 0);
	TEST_OK(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	pid = o.pid;
	TEST_OK(pid > 0 && pid != getpid());
	TEST_EQ(jit_opener_open(&o, &p, "/nothing", 9), -ENOENT);
	TEST_EQ(jit_opener_open(&o, &p, "/comm", 8), -ESTALE);
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	TEST_EQ(jit_opener_open(&o, &p, path, 9), -ENAMETOOLONG);
	TEST_EQ(o.pid, pid);
	jit_opener_end(&o);
	TEST_EQ(kill(pid, 0), -1);
	jit_opener_end(&o);
	close(p.root);
	return 0;
}

TEST(jitopener_is_not_waited_for)
{
	struct jit_opener o = JIT_OPENER_NONE;
	struct jit_owner p = owner();
	__u64 now = clock_now();
	int fd;

	TEST_EQ(jit_opener_open(&o, &p, "/hang", 9), -ETIMEDOUT);
	TEST_OK(clock_now() - now < 10 * S);
	TEST_EQ(o.pid, 0);
	/* others wait for a minute, and then have their own answer */
	now = clock_now();
	TEST_EQ(jit_opener_open(&o, &p, "/comm", 9), -EBUSY);
	TEST_OK(clock_now() - now < S);
	TEST_OK(o.not_before > now + 50 * S);
	o.not_before = 0;
	fd = jit_opener_open(&o, &p, "/comm", 9);
	TEST_OK(fd >= 0);
	close(fd);
	TEST_EQ(jit_opener_open(&o, &p, "/die", 9), -EPIPE);
	TEST_EQ(jit_opener_open(&o, &p, "/comm", 9), -EBUSY);
	jit_opener_end(&o);
	TEST_EQ(waitpid(-1, NULL, WNOHANG), -1);
	TEST_EQ(errno, ECHILD);
	close(p.root);
	return 0;
}
