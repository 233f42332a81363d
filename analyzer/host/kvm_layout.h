/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does the module read KVM's members at the offsets that the running kvm has?
 *
 * The module uses none of KVM's symbols, so the kernel loads it also beside a
 * kvm that was built from another source (a weak update, a self-built kvm.ko).
 * Everything it then records of guests is wrong.  So the offsets it was
 * compiled with are compared with the kernel's type information (BTF).
 */
#ifndef HOST_KVM_LAYOUT_H
#define HOST_KVM_LAYOUT_H

#include <stddef.h>

#include "os/btf.h"
#include "host/device.h"

enum layout_verdict {
	LAYOUT_SAME,
	LAYOUT_DIFFERS,
	LAYOUT_UNKNOWN, /* nothing to compare with */
	LAYOUT_ABSENT,	/* KVM is not loaded, or kvm_amd not yet */
};

/*
 * Compares with the BTF that has KVM's types, and members of kvm_amd's with
 * that one's (amd; NULL: not loaded, those are left out).  text: what differs,
 * or why the comparison failed; empty if nothing differs.
 */
enum layout_verdict kvm_layout_compare(const struct vmmprof_layout *l,
				       const struct btf *btf,
				       const struct btf *amd, char *text,
				       size_t size);

/*
 * The same with the kernel that runs: the BTF of kvm and kvm_amd, or that of
 * vmlinux where they are built in.  root: "" or the prefix of a test's tree.
 */
enum layout_verdict kvm_layout_check(const char *root,
				     const struct vmmprof_layout *l, char *text,
				     size_t size);

/* The same with what the module of an open device says. */
enum layout_verdict kvm_layout_of_device(const struct device *dev, char *text,
					 size_t size);

#endif /* HOST_KVM_LAYOUT_H */
