// SPDX-License-Identifier: GPL-2.0-only
/* The control group of a guest's task: the names of kernfs nodes up to the root. */

#include <errno.h>
#include <string.h>

#include "introspect/path_text.h"
#include "introspect/tasks.h"

#define DEPTH_MAX 128
#define NAME_ROOM 256
#define LINKS_MAX 64 /* hierarchies */

/* Its path from the root on, in @buf.  Its length or -errno. */
static int path_of(const struct guest_kernel *k, __u64 cgroup, char *buf,
		   size_t size)
{
	__u64 node, parent, name;
	struct path_text path;
	int depth, err;

	path_text_init(&path);
	err = guest_get(k, cgroup, GUEST_CGROUP_KN, &node);
	for (depth = 0; !err; depth++, node = parent) {
		char text[NAME_ROOM];
		int len;

		if (depth == DEPTH_MAX)
			return -ESTALE;
		err = guest_get(k, node, GUEST_KN_PARENT, &parent);
		if (err || !parent)
			break;
		err = guest_get(k, node, GUEST_KN_NAME, &name);
		if (err)
			break;
		len = guest_space_string(&k->space, name, text, sizeof(text));
		if (len < 0)
			return len;
		err = path_text_name(&path, k, name, len);
	}
	if (err)
		return err;
	if (!path.buf[path.at])
		path_text_put(&path, "/", 1);
	if (strlen(path.buf + path.at) >= size)
		return -ENAMETOOLONG;
	strcpy(buf, path.buf + path.at);
	return strlen(buf);
}

static bool is_systemds(const struct guest_kernel *k, __u64 cgroup)
{
	char name[NAME_ROOM];
	__u64 root;

	return !guest_get(k, cgroup, GUEST_CGROUP_ROOT, &root) &&
	       guest_space_string(&k->space, guest_at(k, root, GUEST_ROOT_NAME),
				  name, sizeof(name)) > 0 &&
	       !strcmp(name, "systemd");
}

/*
 * Of the hierarchies that @set is linked to, by struct cgrp_cset_link
 * (kernel/cgroup/cgroup-internal.h), systemd's or the first one in which the task
 * is not in the root.  The path's length, 0: none.
 */
static int find_first(const struct guest_kernel *k, __u64 set, char *buf,
		      size_t size)
{
	const __u64 head = guest_at(k, set, GUEST_SET_LINKS);
	__u64 node, link, cgroup;
	char path[GUEST_PATH_MAX];
	int i, len, found = 0, err;

	err = guest_space_u64(&k->space, head, &node);
	for (i = 0; !err && node != head && i < LINKS_MAX; i++) {
		link = node - k->members.offset[GUEST_LINK_NODE];
		err = guest_get(k, link, GUEST_LINK_CGROUP, &cgroup);
		len = err ? err : path_of(k, cgroup, path, sizeof(path));
		if (len > 1 && (size_t)len < size) {
			const bool last = is_systemds(k, cgroup);

			if (last || !found)
				found = strlen(strcpy(buf, path));
			if (last)
				break;
		}
		err = err ?: guest_space_u64(&k->space, node, &node);
	}
	return err == -EDQUOT ? err : found;
}

int guest_task_cgroup(const struct guest_kernel *k,
		      const struct guest_task *task, char *buf, size_t size)
{
	__u64 set, cgroup;
	int len, err;

	if (!guest_members_have(&k->members, GUEST_CGROUPS))
		return -EOPNOTSUPP;
	err = guest_get(k, task->addr, GUEST_TASK_CGROUPS, &set);
	err = err ?: guest_get(k, set, GUEST_SET_CGROUP, &cgroup);
	len = err ?: path_of(k, cgroup, buf, size);
	if (len != 1 || !guest_members_have(&k->members, GUEST_CGROUPS_1))
		return len;
	len = find_first(k, set, buf, size);
	if (len)
		return len;
	strcpy(buf, "/");
	return 1;
}
