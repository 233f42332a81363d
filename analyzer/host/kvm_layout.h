/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does the module look for KVM's members where the running kvm has them?
 *
 * The module uses none of KVM's symbols, so the kernel loads it also beside a
 * kvm that was built from another source (a weak update, a kvm.ko of one's
 * own); every word it then says of guests is wrong.  What it was compiled with
 * is compared with the kernel's type information (BTF).
 */
#ifndef VMMPROF_KVM_LAYOUT_H
#define VMMPROF_KVM_LAYOUT_H

#include <stddef.h>

#include "os/btf.h"
#include "host/device.h"

enum vmmprof_layout_verdict {
	VMMPROF_LAYOUT_SAME,
	VMMPROF_LAYOUT_DIFFERS,
	VMMPROF_LAYOUT_UNKNOWN, /* nothing to compare with */
};

/*
 * Compares with the BTF that has KVM's types.  text: what differs, or why it
 * is not known; empty if all is the same.
 */
enum vmmprof_layout_verdict
vmmprof_kvm_layout_compare(const struct vmmprof_layout *l,
			   const struct vmmprof_btf *btf, char *text,
			   size_t size);

/*
 * The same with the kernel that runs: kvm's BTF, or that of vmlinux where KVM
 * is built in.  root: "" or the prefix of a test's tree.
 */
enum vmmprof_layout_verdict
vmmprof_kvm_layout_check(const char *root, const struct vmmprof_layout *l,
			 char *text, size_t size);

/* The same with what the module of an open device says. */
enum vmmprof_layout_verdict
vmmprof_kvm_layout_of_device(const struct vmmprof_device *dev, char *text,
			     size_t size);

#endif /* VMMPROF_KVM_LAYOUT_H */
