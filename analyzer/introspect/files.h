/* SPDX-License-Identifier: GPL-2.0-only */
/* The files that processes of a guest have mapped. */
#ifndef INTROSPECT_FILES_H
#define INTROSPECT_FILES_H

#include "introspect/path_text.h"
#include "introspect/tasks.h"

/* What identifies a file to the guest's kernel. */
struct guest_file {
	__u64 dentry, mnt; /* addresses */
	__u64 dev;	   /* as makedev() makes it */
	__u64 ino;
};

/* Read the struct file at @addr.  0 or -errno, as guest_space_read(). */
int guest_file_read(const struct guest_kernel *k, __u64 addr,
		    struct guest_file *ret);

/*
 * Its path as the process of @task sees it, in @path: as d_path() makes it
 * (fs/d_path.c), with " (deleted)" behind it where it is.  0; -ESTALE: links
 * that cannot be; -EOPNOTSUPP: a file that has no path, or a kernel that is not
 * known; -ENAMETOOLONG; or as guest_space_read().
 */
int guest_file_path(const struct guest_kernel *k, const struct guest_task *task,
		    const struct guest_file *file, struct path_text *path);

#endif /* INTROSPECT_FILES_H */
