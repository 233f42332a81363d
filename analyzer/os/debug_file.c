// SPDX-License-Identifier: GPL-2.0-only
/* Debug files of stripped ones, as gdb's manual has it (Separate Debug Files). */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "os/debug_file.h"
#include "os/open_file.h"
#include "sym/debug_path.h"

/* False: it has none. */
static bool by_build_id(const struct file_want *want, char *name)
{
	return want->build_id_size <= ELFFILE_BUILD_ID_MAX &&
	       debug_path_id(DEBUG_PATH_SYSTEM, want->build_id,
			     want->build_id_size, ".debug", name, PATH_MAX);
}

/*
 * @path as seen from the process's root: for a process in a chroot,
 * /proc/PID/maps shows paths from our root.
 */
static const char *path_in_root(__u32 pid, const char *path)
{
	char link[40], root[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%u/root", pid);
	n = readlink(link, root, sizeof(root));
	if (n > 1 && !strncmp(path, root, n) && path[n] == '/')
		return path + n;
	return path;
}

/* The name comes from the untrusted file: it must be a plain file name. */
static bool by_link(__u32 pid, const char *path, unsigned int place,
		    const struct file_want *want, char *name)
{
	size_t len = strnlen(want->debuglink, sizeof(want->debuglink));

	if (!len || len == sizeof(want->debuglink) || *path != '/' ||
	    strchr(want->debuglink, '/'))
		return false;
	path = path_in_root(pid, path);
	/* the file may name itself as its debug file */
	return debug_path_link(path, want->debuglink, place, name, PATH_MAX) &&
	       strcmp(name, path);
}

int debugfile_open(__u32 pid, const char *path, const struct file_want *want)
{
	unsigned int place = want->which / 2;
	char name[PATH_MAX];
	bool there;

	there = place ? by_link(pid, path, (place - 1) % 3, want, name) :
			by_build_id(want, name);
	if (!there || want->which >= DEBUGFILE_PLACES)
		return -ENOENT;
	if (want->which & 1)
		return reopen_regular(open(name, O_PATH | O_CLOEXEC));
	return open_in_root(pid, name);
}
