// SPDX-License-Identifier: GPL-2.0-only
/*
 * The directory in which files of debuginfod(8) servers are kept.  A user's is
 * the one that all clients of the library share, found as in
 * debuginfod_find_debuginfo(3).  Root has a directory of its own: the broker
 * runs as the user nobody then, and root's other programs should not use a
 * directory that nobody can write to.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/make_dirs.h"
#include "sandbox/confine.h"
#include "sandbox/debuginfod.h"

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

/* The library's own rule; false: it is too long. */
static bool find(char path[PATH_MAX])
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH");
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct stat st;
	int n;

	if (own && *own)
		return snprintf(path, PATH_MAX, "%s", own) < PATH_MAX;
	if (!home)
		home = "";
	n = snprintf(path, PATH_MAX, "%s/.debuginfod_client_cache", home);
	if (n < PATH_MAX && !stat(path, &st))
		return true;
	if (xdg && *xdg)
		n = snprintf(path, PATH_MAX, "%s/debuginfod_client", xdg);
	else
		n = snprintf(path, PATH_MAX, "%s/.cache/debuginfod_client",
			     home);
	return n < PATH_MAX;
}

/* The directory of the user nobody in one that only root may enter. */
static int open_inner(int outer)
{
	struct stat st;
	int fd;

	if (fstat(outer, &st) || st.st_uid || st.st_mode & 077)
		return -EACCES;
	if (mkdirat(outer, "files", 0700) && errno != EEXIST)
		return -errno;
	fd = openat(outer, "files", DIR_FLAGS | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	/* EINVAL: a container without that user, where root stays root */
	if (!fstat(fd, &st) &&
	    (st.st_uid == VMMPROF_NOBODY ||
	     (!st.st_uid && (!fchown(fd, VMMPROF_NOBODY, VMMPROF_NOBODY) ||
			     errno == EINVAL))))
		return fd;
	close(fd);
	return -EACCES;
}

int debuginfod_cache_open(void)
{
	bool root = !geteuid();
	char path[PATH_MAX + 16];
	int fd, inner;

	if (!find(path))
		return -ENAMETOOLONG;
	if (root)
		snprintf(path + strlen(path), 16, "-vmmprof");
	make_dirs(path);
	fd = open(path, DIR_FLAGS | (root ? O_NOFOLLOW : 0));
	if (fd < 0)
		return -errno;
	if (!root)
		return fd;
	inner = open_inner(fd);
	close(fd);
	return inner;
}

/* Opens the file or directory at path[0..len) as *fds; 1 or 0. */
static unsigned int open_named_by(const char *path, size_t len, int *fd)
{
	char copy[PATH_MAX];

	if (!len || len >= sizeof(copy))
		return 0;
	memcpy(copy, path, len);
	copy[len] = '\0';
	*fd = open(copy, O_PATH | O_CLOEXEC);
	return *fd >= 0;
}

unsigned int debuginfod_cache_sources(int fds[DEBUGINFOD_SOURCES])
{
	static const struct {
		const char *variable, *separator, *prefix;
	} lists[] = {
		{ "DEBUGINFOD_URLS", " ", "file://" },
		{ "DEBUGINFOD_HEADERS_FILE", "", "" },
		{ "DEBUGINFOD_IMA_CERT_PATH", ":", "" },
		{ "SSL_CERT_FILE", "", "" },
		{ "SSL_CERT_DIR", ":", "" },
	};
	unsigned int nr = 0, i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const char *p = getenv(lists[i].variable);
		size_t skip = strlen(lists[i].prefix), len;

		for (; p && *p && nr < DEBUGINFOD_SOURCES;
		     p += len + !!p[len]) {
			len = strcspn(p, lists[i].separator);
			if (len > skip && !strncmp(p, lists[i].prefix, skip))
				nr += open_named_by(p + skip, len - skip,
						    &fds[nr]);
		}
	}
	return nr;
}
