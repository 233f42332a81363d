/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was read of a guest in its memory, as a file of kind MAPS: the items that
 * vmmprof-guest writes in the guest, with the host's times.
 */
#ifndef INTROSPECT_BUNDLE_H
#define INTROSPECT_BUNDLE_H

#include <vmmprof/ioctl.h>

#include "introspect/bundle_parts.h"

/*
 * Write the identity of @k, its symbols and modules, its address spaces, tasks,
 * processes, executable mappings, their files with what is resident of their symbols
 * and unwind tables, and control groups into @w, a file of kind MAPS.  What a single
 * process or file does not give is counted and noted in the file, not an error.
 *
 * @unwind: with the unwind tables of the kernel, too.
 *
 * @before: a bundle that this has written of the same guest before, open for reading;
 * what it found is kept beside what is found now.  One of another boot, or one that
 * cannot be read, counts for nothing and is noted.  -1: none.
 *
 * 0 or -errno: the writer's, or of guest_tasks_read().
 */
int guest_bundle_write(struct guest_kernel *k, int before, bool unwind,
		       struct item_writer *w, struct guest_bundle_stat *ret);

/*
 * What the module is told of the guest's kernel for who runs
 * (VMMPROF_IOC_GUEST_LAYOUT), of the VMM with @pid.  0; -EOPNOTSUPP: this kernel
 * has not what is needed.
 */
int guest_kernel_layout(const struct guest_kernel *k, __u32 pid,
			struct vmmprof_guest_layout *ret);

#endif /* INTROSPECT_BUNDLE_H */
