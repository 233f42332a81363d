// SPDX-License-Identifier: GPL-2.0-only
/* The control group of a guest's task: the names of kernfs nodes up to the root. */

#include <errno.h>
#include <string.h>

#include "introspect/path_text.h"
#include "introspect/tasks.h"

#define DEPTH_MAX 128
#define NAME_ROOM 256

int guest_task_cgroup(const struct guest_kernel *k,
		      const struct guest_task *task, char *buf, size_t size)
{
	__u64 node, parent, name;
	struct path_text path;
	int depth, err;

	if (!guest_members_have(&k->members, GUEST_CGROUPS))
		return -EOPNOTSUPP;
	path_text_init(&path);
	err = guest_get(k, task->addr, GUEST_TASK_CGROUPS, &node);
	err = err ?: guest_get(k, node, GUEST_SET_CGROUP, &node);
	err = err ?: guest_get(k, node, GUEST_CGROUP_KN, &node);
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
