/* SPDX-License-Identifier: GPL-2.0-only */
/* The tasks of a guest. */
#ifndef INTROSPECT_TASKS_H
#define INTROSPECT_TASKS_H

#include "introspect/kernel.h"

#define GUEST_TASKS_MAX 0x40000 /* that are read */

struct guest_task {
	__u64 addr;	 /* of its task_struct */
	__u64 mm;	 /* its mm_struct; 0: it has none */
	__u64 root;	 /* physical address of its page table; 0: not known */
	__u64 stack;	 /* lowest address of its kernel stack; 0: not known */
	__u32 pid, tgid; /* in the guest's first PID namespace */
	__u32 ppid;	 /* tgid of its parent; 0: none or not known */
	bool kthread;
	char comm[16]; /* NUL-padded, any bytes */
};

struct guest_tasks {
	struct guest_task *task; /* sorted by tgid, the leader first, then pid */
	size_t nr, cap;
	bool torn; /* the list changed in each of several walks: some may lack */
};

/*
 * Read the list of all tasks, twice and more if it changes meanwhile.  0;
 * -EOPNOTSUPP: the kernel's tasks are not of a known form; -ESTALE: it cannot
 * be followed at all; -EDQUOT, -ENOMEM.  Only after 0 there is something to
 * release.
 */
int guest_tasks_read(const struct guest_kernel *k, struct guest_tasks *ret);
void guest_tasks_deinit(struct guest_tasks *t);

/* The page table of @task's process, with what it has of memory. */
struct guest_space guest_task_space(const struct guest_kernel *k,
				    const struct guest_task *task);

/*
 * The arguments of @task's process joined by spaces, of at most @size - 1 bytes;
 * "" if they are not resident.
 */
void guest_task_cmdline(const struct guest_kernel *k,
			const struct guest_task *task, char *buf, size_t size);

/*
 * The path of its control group, chosen as os/cgroups chooses of /proc/PID/cgroup:
 * of version 2; if that is the root, systemd's of version 1; if that is, too, the
 * first one of version 1 that is not.  Its length, or -errno: -EOPNOTSUPP, -ESTALE: not
 * what it should be, -ENAMETOOLONG.
 */
int guest_task_cgroup(const struct guest_kernel *k,
		      const struct guest_task *task, char *buf, size_t size);

#endif /* INTROSPECT_TASKS_H */
