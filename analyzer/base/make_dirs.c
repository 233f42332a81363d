// SPDX-License-Identifier: GPL-2.0-only
/* A directory with those above it, as mkdir -p makes them. */

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/make_dirs.h"

void make_dirs(const char *path)
{
	char part[PATH_MAX];
	char *slash = part;

	if (snprintf(part, sizeof(part), "%s", path) >= (int)sizeof(part))
		return;
	while (*slash && (slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(part, 0700);
		*slash = '/';
	}
	mkdir(part, 0700);
}
