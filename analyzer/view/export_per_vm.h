/* SPDX-License-Identifier: GPL-2.0-only */
/* `vmmprof export -f pprof --per-vm`: a profile of each VM and kind of time. */
#ifndef VIEW_EXPORT_PER_VM_H
#define VIEW_EXPORT_PER_VM_H

#include "view/export.h"

/* What was written. */
struct per_vm {
	__u32 profiles;
	__u64 stacks;
	__u64 folded, folded_ns; /* stacks that did not fit, and their time */
};

/*
 * Writes an archive (format/tar.h) with two files for each profile: NAME.json, of
 * what it is, and NAME.pb.gz.  Each VM has `cpu`, in which it had a CPU, and
 * `off_cpu`, in which it had none; the host has `cpu`; what has no time has none.
 * @x: timed or with a period, and with a real time.  0, -ENOMEM or -EIO.
 */
int export_per_vm(const struct export_data *x, struct per_vm *done, FILE *out);

#endif /* VIEW_EXPORT_PER_VM_H */
