// SPDX-License-Identifier: GPL-2.0-only
/* The process that opens files for the reader, and the reader's requests. */

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "sandbox/confine.h"
#include "format/items.h"
#include "format/open_beneath.h"
#include "sandbox/fd_pass.h"
#include "sandbox/opener.h"

static bool is_elf(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, SELFMAG, 0) == SELFMAG &&
	       !memcmp(magic, ELFMAG, SELFMAG);
}

/* A descriptor, or -errno. */
static int open_file(const char *path, bool public)
{
	struct stat st;
	int fd;

	if (public)
		return open_public_file(path);
	fd = open_named(AT_FDCWD, path, 0);
	if (fd < 0)
		return fd;
	if (!fstat(fd, &st) &&
	    ((*path == '/' && st.st_mode & 0004) || is_elf(fd)))
		return fd;
	close(fd);
	return -EACCES;
}

struct request {
	char public; /* 0 or 1 */
	char path[PATH_MAX];
};

static void serve(int sock, void *arg)
{
	struct request r;
	ssize_t n;
	int fd;

	(void)arg;
	confine_stdio();
	confine_files(3, &sock, 1);
	if (confine_opener())
		return;
	while ((n = recv(sock, &r, sizeof(r), MSG_TRUNC)) > 1) {
		fd = -ENAMETOOLONG;
		if (n <= (ssize_t)sizeof(r) && !r.path[n - 2])
			fd = open_file(r.path, r.public);
		if (fdpass_answer(sock, fd))
			break;
		if (fd >= 0)
			close(fd);
	}
}

static int opener = -1;

static int ask(const char *path, bool public)
{
	struct request r = { .public = public };
	size_t size = strlen(path) + 1;

	if (size > PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(r.path, path, size);
	if (send(opener, &r, 1 + size, MSG_NOSIGNAL) < 0)
		return -errno;
	return fdpass_take(opener);
}

int opener_start(void)
{
	pid_t pid = child_begin(SOCK_SEQPACKET, serve, NULL, &opener);

	if (pid < 0)
		return pid;
	open_file_by(ask);
	return 0;
}
