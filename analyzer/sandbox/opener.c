// SPDX-License-Identifier: GPL-2.0-only
/* The process that opens files for the reader, and the reader's requests. */

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

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

static void __attribute__((noreturn)) serve(int sock)
{
	struct request r;
	int32_t err;
	ssize_t n;
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	confine_stdio();
	confine_files(3, &sock, 1);
	if (confine_opener())
		_exit(1);
	while ((n = recv(sock, &r, sizeof(r), MSG_TRUNC)) > 1) {
		fd = -ENAMETOOLONG;
		if (n <= (ssize_t)sizeof(r) && !r.path[n - 2])
			fd = open_file(r.path, r.public);
		err = fd < 0 ? fd : 0;
		if (fdpass_send(sock, &err, sizeof(err), fd))
			break;
		if (fd >= 0)
			close(fd);
	}
	_exit(0);
}

static int opener = -1;

static int ask(const char *path, bool public)
{
	struct request r = { .public = public };
	size_t size = strlen(path) + 1;
	int32_t err;
	ssize_t n;
	int fd;

	if (size > PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(r.path, path, size);
	if (send(opener, &r, 1 + size, MSG_NOSIGNAL) < 0)
		return -errno;
	n = fdpass_receive(opener, &err, sizeof(err), 0, &fd);
	if (n == sizeof(err) && !err && fd >= 0)
		return fd;
	if (n == sizeof(err) && err < 0 && fd < 0)
		return err;
	if (fd >= 0)
		close(fd);
	return -EPIPE;
}

int opener_start(void)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	pid = fork();
	if (!pid) {
		close(pair[0]);
		serve(pair[1]);
	}
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return -EAGAIN;
	}
	opener = pair[0];
	open_file_by(ask);
	return 0;
}
