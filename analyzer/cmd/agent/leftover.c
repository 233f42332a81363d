// SPDX-License-Identifier: GPL-2.0-only
/* Directories of agents that were killed: each would keep its memory for good. */

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/agent/leftover.h"
#include "format/session_dir.h"

#define CHOSEN 6 /* letters at the end, by mkdtemp() */

static void remove_one(const char *path)
{
	int fd;

	if (session_dir_create(path, true, &fd, NULL))
		return;
	close(fd);
	rmdir(path);
}

void leftover_remove(const char *mine)
{
	const char *name = strrchr(mine, '/');
	char path[PATH_MAX];
	struct dirent *e;
	size_t len;
	DIR *dir;

	if (!name || strlen(++name) <= CHOSEN)
		return;
	len = strlen(name);
	snprintf(path, sizeof(path), "%.*s", (int)(name - mine), mine);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		if (strlen(e->d_name) != len || !strcmp(e->d_name, name) ||
		    strncmp(e->d_name, name, len - CHOSEN))
			continue;
		snprintf(path, sizeof(path), "%.*s%s", (int)(name - mine), mine,
			 e->d_name);
		remove_one(path);
	}
	if (dir)
		closedir(dir);
}
