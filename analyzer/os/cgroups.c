// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads /proc/PID/cgroup and writes an item where the control group is a new
 * one.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vmmprof/maps.h>
#include <vmmprof/record.h>

#include "os/cgroups.h"
#include "base/hash.h"
#include "os/proc_file.h"

#define NEW_MAX	   1024
#define NO_GROUP   0 /* of a hash: not known */
#define GROUP_TEXT 4096

struct cgroups {
	struct item_writer *w;
	struct hash groups;   /* pid -> hash of its group's path */
	__u32 fresh[NEW_MAX]; /* pids not looked at yet */
	size_t nr_fresh;
};

int cgroups_create(struct item_writer *w, struct cgroups **ret)
{
	struct cgroups *cg = calloc(1, sizeof(*cg));

	if (!cg)
		return -ENOMEM;
	cg->w = w;
	*ret = cg;
	return 0;
}

void cgroups_destroy(struct cgroups *cg)
{
	if (!cg)
		return;
	hash_deinit(&cg->groups);
	free(cg);
}

/*
 * The path in the text of /proc/PID/cgroup, changed in place: of version 2; if
 * that is the root and systemd's group of version 1 is not, that one; else the
 * first line's.  NULL: none.
 */
static const char *choose_group(char *text)
{
	const char *v2 = NULL, *systemd = NULL, *first = NULL;
	char *line, *next, *path;

	for (line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		path = strchr(line, ':');
		path = path ? strchr(path + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = '\0';
		if (!strcmp(line, "0:"))
			v2 = path;
		else if (strstr(line, ":name=systemd"))
			systemd = path;
		else if (!first || (!strcmp(first, "/") && strcmp(path, "/")))
			first = path;
	}
	if (v2 && strcmp(v2, "/"))
		return v2;
	if (systemd && strcmp(systemd, "/"))
		return systemd;
	return first ?: systemd ?: v2;
}

static __u32 hash_path(const char *path)
{
	__u64 h = hash_bytes(path, strlen(path));
	__u32 v = h ^ h >> 32;

	return v == NO_GROUP || v == VMMPROF_NONE ? 1 : v;
}

static __u32 known_group(const struct cgroups *cg, __u32 pid)
{
	__u32 v = hash_get(&cg->groups, pid);

	return v == VMMPROF_NONE ? NO_GROUP : v;
}

int cgroups_read(struct cgroups *cg, __u32 pid, __u32 ppid, __u64 ns)
{
	struct vmmprof_maps_cgroup item = { .ns = ns, .pid = pid };
	char file[40], text[GROUP_TEXT];
	__u32 known = known_group(cg, pid), group;
	const char *path;
	int err;

	snprintf(file, sizeof(file), "/proc/%u/cgroup", pid);
	if (proc_file_read(file, text, sizeof(text)) <= 0)
		return 0;
	path = choose_group(text);
	if (!path)
		return 0;
	group = hash_path(path);
	if (!known && ppid)
		known = known_group(cg, ppid);
	err = hash_set(&cg->groups, pid, group);
	/* A process without an item is in no container. */
	if (err || group == known || (!known && !strcmp(path, "/")))
		return err;
	return item_put(cg->w, VMMPROF_MAPS_CGROUP, &item, sizeof(item), path,
			strlen(path) + 1);
}

static size_t find_fresh(const struct cgroups *cg, __u32 pid)
{
	size_t i = cg->nr_fresh;

	while (i > 0 && cg->fresh[i - 1] != pid)
		i--;
	return i; /* 1 + its index, 0: not in the list */
}

int cgroups_fork(struct cgroups *cg, __u32 pid, __u32 ppid)
{
	cgroups_exec(cg, pid);
	return hash_set(&cg->groups, pid, known_group(cg, ppid));
}

void cgroups_exec(struct cgroups *cg, __u32 pid)
{
	if (cg->nr_fresh < NEW_MAX && !find_fresh(cg, pid))
		cg->fresh[cg->nr_fresh++] = pid;
}

void cgroups_gone(struct cgroups *cg, __u32 pid)
{
	size_t i = find_fresh(cg, pid);

	if (i)
		cg->fresh[i - 1] = cg->fresh[--cg->nr_fresh];
}

int cgroups_look(struct cgroups *cg, __u64 ns)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < cg->nr_fresh; i++)
		err = cgroups_read(cg, cg->fresh[i], 0, ns);
	cg->nr_fresh = 0;
	return err;
}
