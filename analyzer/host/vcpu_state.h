/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of a vCPU's thread at one moment, from /proc and the cgroup file
 * system: whether it sleeps, and where; how long it ran and waited; how long
 * its cgroup's quota kept it from running.
 */
#ifndef HOST_VCPU_STATE_H
#define HOST_VCPU_STATE_H

#include <vmmprof/session.h>

/*
 * Fills in all of item but its hdr and when.  root: "" or the prefix of a
 * test's tree.  What cannot be read is 0 (state: unknown).  item->tsc is from
 * right after the state and right before the schedstat was read.  Nothing is
 * cached; time: a dozen small files and one more for each level of cgroups.
 * 0; -ENOENT: the thread is gone.
 */
int vcpu_state_read(const char *root, __u32 pid, __u32 tid,
		    struct vmmprof_info_vcpu_state *item);

#endif /* HOST_VCPU_STATE_H */
