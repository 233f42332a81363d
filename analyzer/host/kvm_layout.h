/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does the module look for KVM's members where the running kvm has them?
 *
 * The module uses none of KVM's symbols, so the kernel loads it also beside a
 * kvm that was built from another source (a weak update, a kvm.ko of one's
 * own); every word it then says of guests is wrong.  What it was compiled with
 * is compared with the kernel's type information (BTF).
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
};

/*
 * Compares with the BTF that has KVM's types.  text: what differs, or why it
 * is not known; empty if all is the same.
 */
enum layout_verdict kvm_layout_compare(const struct vmmprof_layout *l,
				       const struct btf *btf, char *text,
				       size_t size);

/*
 * The same with the kernel that runs: kvm's BTF, or that of vmlinux where KVM
 * is built in.  root: "" or the prefix of a test's tree.
 */
enum layout_verdict kvm_layout_check(const char *root,
				     const struct vmmprof_layout *l, char *text,
				     size_t size);

/* The same with what the module of an open device says. */
enum layout_verdict kvm_layout_of_device(const struct device *dev, char *text,
					 size_t size);

#endif /* HOST_KVM_LAYOUT_H */
