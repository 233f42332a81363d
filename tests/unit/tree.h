/* SPDX-License-Identifier: GPL-2.0-only */
/* Made-up /proc, /sys and cgroup trees. */
#ifndef TESTS_UNIT_TREE_H
#define TESTS_UNIT_TREE_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A file of the tree at @root; directories are made on the way. */
static inline void tree_put_bytes(const char *root, const char *path,
				  const void *data, size_t len)
{
	char full[PATH_MAX], *slash;
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (slash = strchr(full + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	f = fopen(full, "w");
	if (!f || fwrite(data, 1, len, f) != len || fclose(f))
		abort();
}

static inline void tree_put(const char *root, const char *path,
			    const char *text)
{
	tree_put_bytes(root, path, text, strlen(text));
}

#endif /* TESTS_UNIT_TREE_H */
