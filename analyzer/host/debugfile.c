// SPDX-License-Identifier: GPL-2.0-only
/* Debug files of stripped ones, as gdb's manual has it (Separate Debug Files). */

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "debugfile.h"
#include "openfile.h"

#define DEBUG_DIR "/usr/lib/debug"

/* The debug file at @path; true: it was @elf's. */
static bool try_path(__u32 pid, const char *path, struct vmmprof_elf *elf)
{
	int fd = vmmprof_open_in_root(pid, path);
	bool ok;

	if (fd < 0)
		fd = vmmprof_reopen_regular(open(path, O_PATH | O_CLOEXEC));
	if (fd < 0)
		return false;
	ok = !vmmprof_elf_add_debug(elf, fd);
	close(fd);
	return ok;
}

static bool by_build_id(__u32 pid, struct vmmprof_elf *elf)
{
	static const char dir[] = DEBUG_DIR "/.build-id/";
	char path[sizeof(dir) + 2 * VMMPROF_ELF_BUILD_ID_MAX + 16];
	size_t n = sizeof(dir) - 1;
	int i;

	if (elf->build_id_size < 2)
		return false;
	memcpy(path, dir, n);
	for (i = 0; i < elf->build_id_size; i++)
		n += sprintf(path + n, "%02x%s", elf->build_id[i],
			     i ? "" : "/");
	strcpy(path + n, ".debug");
	return try_path(pid, path, elf);
}

/*
 * @path as a process has it: /proc/PID/maps shows that of a process in a chroot
 * as we have it.
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

/* Beside the file, in .debug there, and in the same place of DEBUG_DIR. */
static bool by_link(__u32 pid, const char *path, struct vmmprof_elf *elf)
{
	static const char *const places[] = { "%s%.*s/%s", "%s%.*s/.debug/%s",
					      "%s%.*s/%s" };
	const char *slash;
	char name[PATH_MAX];
	unsigned int i;
	int n;

	if (!*elf->debuglink || *path != '/')
		return false;
	path = path_in_root(pid, path);
	slash = strrchr(path, '/');
	for (i = 0; i < 3; i++) {
		n = snprintf(name, sizeof(name), places[i],
			     i == 2 ? DEBUG_DIR : "", (int)(slash - path), path,
			     elf->debuglink);
		/* it may name itself */
		if (n < (int)sizeof(name) && strcmp(name, path) &&
		    try_path(pid, name, elf))
			return true;
	}
	return false;
}

void vmmprof_debugfile_add(__u32 pid, const char *path, struct vmmprof_elf *elf)
{
	if (elf->stripped && !by_build_id(pid, elf))
		by_link(pid, path, elf);
}
