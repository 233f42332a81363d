// SPDX-License-Identifier: GPL-2.0-only
/* Makes paths of the files of a guest from its kernel's dentries and mounts. */

#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "introspect/files.h"

#define STEPS_MAX  1024 /* names and mounts of a path */
#define NAME_ROOM  256
#define DEV_MINORS 20 /* MINORBITS of the kernel's own dev_t */

static const char deleted[] = " (deleted)";

int guest_file_read(const struct guest_kernel *k, __u64 addr,
		    struct guest_file *ret)
{
	const __u64 path = guest_at(k, addr, GUEST_FILE_PATH);
	__u64 inode, sb;
	__u32 dev;
	int err;

	if (!guest_members_have(&k->members, GUEST_FILES))
		return -EOPNOTSUPP;
	err = guest_get(k, path, GUEST_PATH_MNT, &ret->mnt);
	err = err ?: guest_get(k, path, GUEST_PATH_DENTRY, &ret->dentry);
	err = err ?: guest_get(k, addr, GUEST_FILE_INODE, &inode);
	err = err ?: guest_get(k, inode, GUEST_INODE_INO, &ret->ino);
	err = err ?: guest_get(k, inode, GUEST_INODE_SB, &sb);
	err = err ?: guest_get32(k, sb, GUEST_SB_DEV, &dev);
	if (!err)
		ret->dev = makedev(dev >> DEV_MINORS,
				   dev & ((1u << DEV_MINORS) - 1));
	return err;
}

/* Is the file of @dentry gone from its directory (d_unlinked())? */
static int unlinked(const struct guest_kernel *k, __u64 dentry, bool *ret)
{
	__u64 pprev, parent;
	int err = guest_get(k, guest_at(k, dentry, GUEST_DENTRY_HASH),
			    GUEST_HASH_PPREV, &pprev);

	err = err ?: guest_get(k, dentry, GUEST_DENTRY_PARENT, &parent);
	*ret = !err && !pprev && parent != dentry;
	return err;
}

static int put_name(const struct guest_kernel *k, __u64 dentry,
		    struct path_text *path)
{
	const __u64 qstr = guest_at(k, dentry, GUEST_DENTRY_NAME);
	__u64 name;
	__u32 len;
	int err = guest_get(k, qstr, GUEST_QSTR_NAME, &name);

	err = err ?: guest_get32(k, qstr, GUEST_QSTR_LEN, &len);
	return err ?: path_text_name(path, k, name, len);
}

/*
 * Files of no directory have a function for their name.  That of memfd and of
 * shared memory says "/NAME (deleted)" (simple_dname()).  1: done, 0: it has none.
 */
static int own_name(const struct guest_kernel *k, __u64 dentry,
		    struct path_text *path)
{
	const __u64 qstr = guest_at(k, dentry, GUEST_DENTRY_NAME);
	__u64 ops, function = 0, addr;
	char name[NAME_ROOM];
	int err = guest_get(k, dentry, GUEST_DENTRY_OP, &ops), len;

	if (!err && ops)
		err = guest_get(k, ops, GUEST_OP_DNAME, &function);
	if (err || !function)
		return err;
	if (function != k->known[GUEST_SYM_SIMPLE_DNAME])
		return -EOPNOTSUPP;
	err = guest_get(k, qstr, GUEST_QSTR_NAME, &addr);
	if (err)
		return err;
	len = guest_space_string(&k->space, addr, name, sizeof(name));
	if (len < 0)
		return len;
	path_text_put(path, deleted, sizeof(deleted) - 1);
	path_text_put(path, name, len);
	return path_text_put(path, "/", 1) ?: 1;
}

/* Where the paths of @task begin; 0 if that is not known. */
static void find_root(const struct guest_kernel *k,
		      const struct guest_task *task, __u64 *mnt, __u64 *dentry)
{
	__u64 fs, root;

	*mnt = 0;
	*dentry = 0;
	if (guest_get(k, task->addr, GUEST_TASK_FS, &fs) || !fs)
		return;
	root = guest_at(k, fs, GUEST_FS_ROOT);
	if (guest_get(k, root, GUEST_PATH_MNT, mnt) ||
	    guest_get(k, root, GUEST_PATH_DENTRY, dentry))
		*mnt = 0;
}

/* One step up of prepend_path(): 1: this was the last one. */
static int step(const struct guest_kernel *k, __u64 *mnt, __u64 *dentry,
		struct path_text *path)
{
	const __u64 mount = *mnt - k->members.offset[GUEST_MOUNT_MNT];
	__u64 top, parent;
	int err = guest_get(k, *mnt, GUEST_VFSMOUNT_ROOT, &top);

	if (err)
		return err;
	if (*dentry == top) {
		err = guest_get(k, mount, GUEST_MOUNT_PARENT, &parent);
		if (err)
			return err;
		if (parent == mount)
			return 1;
		*mnt = guest_at(k, parent, GUEST_MOUNT_MNT);
		return guest_get(k, mount, GUEST_MOUNT_POINT, dentry);
	}
	err = guest_get(k, *dentry, GUEST_DENTRY_PARENT, &parent);
	if (err)
		return err;
	/* A directory that was moved out of what is mounted. */
	if (parent == *dentry)
		return 1;
	err = put_name(k, *dentry, path);
	*dentry = parent;
	return err;
}

int guest_file_path(const struct guest_kernel *k, const struct guest_task *task,
		    const struct guest_file *file, struct path_text *path)
{
	__u64 mnt = file->mnt, dentry = file->dentry, root_mnt, root;
	bool gone = false;
	int steps, err;

	path_text_init(path);
	err = own_name(k, dentry, path);
	if (err)
		return err > 0 ? 0 : err;
	err = unlinked(k, dentry, &gone);
	if (err)
		return err;
	if (gone)
		path_text_put(path, deleted, sizeof(deleted) - 1);
	find_root(k, task, &root_mnt, &root);
	for (steps = 0; mnt != root_mnt || dentry != root; steps++) {
		if (steps == STEPS_MAX)
			return -ESTALE;
		err = step(k, &mnt, &dentry, path);
		if (err < 0)
			return err;
		if (err)
			break;
	}
	if (path->buf[path->at] != '/')
		return path_text_put(path, "/", 1);
	return 0;
}
