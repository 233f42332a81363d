// SPDX-License-Identifier: GPL-2.0-only
/* Compares the layout that the module was compiled with to the kernel's. */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/kvm_layout.h"

#define SYS_BTF	 "/sys/kernel/btf/"
#define AMD_TYPE "vcpu_svm" /* of which kmod/layout.c has members */

/* Does a member differ?  Then text says how. */
static bool member_differs(const struct vmmprof_layout_member *m,
			   const struct btf *btf, char *text, size_t size)
{
	__u32 offset = 0, bytes = 0;
	int err = btf_find_member(btf, m->type, m->member, &offset, &bytes);

	if (err == -ENOENT)
		snprintf(text, size, "it has no %s.%s", m->type, m->member);
	else if (err)
		snprintf(text, size, "its %s.%s is not understood (%s)",
			 m->type, m->member, strerror(-err));
	else if (offset != m->offset)
		snprintf(text, size,
			 "its %s.%s is at offset %u, the module's at %u",
			 m->type, m->member, offset, m->offset);
	else if (m->size && bytes != m->size)
		snprintf(text, size,
			 "its %s.%s has %u bytes, the module's has %u", m->type,
			 m->member, bytes, m->size);
	else
		return false;
	return true;
}

/* One of kvm_amd's structures. */
static bool is_amds(const struct vmmprof_layout_member *m)
{
	return !strncmp(m->type, AMD_TYPE, sizeof(m->type));
}

static bool reads_amds(const struct vmmprof_layout *l)
{
	unsigned int i;

	for (i = 0; i < l->nr && i < VMMPROF_LAYOUT_MAX; i++)
		if (is_amds(&l->members[i]))
			return true;
	return false;
}

enum layout_verdict kvm_layout_compare(const struct vmmprof_layout *l,
				       const struct btf *btf,
				       const struct btf *amd, char *text,
				       size_t size)
{
	const struct vmmprof_layout_member *m;
	unsigned int i, differ = 0;
	__u32 offset, bytes;
	char other[192];
	size_t used;

	text[0] = '\0';
	if (btf_find_member(btf, "kvm_vcpu", "vcpu_id", &offset, &bytes) ==
	    -ENOENT) {
		snprintf(text, size, "the kernel's BTF has nothing of KVM");
		return LAYOUT_UNKNOWN;
	}
	for (i = 0; i < l->nr && i < VMMPROF_LAYOUT_MAX; i++) {
		m = &l->members[i];
		if (is_amds(m) && !amd)
			continue;
		if (member_differs(m, is_amds(m) ? amd : btf,
				   differ ? other : text,
				   differ ? sizeof(other) : size))
			differ++;
	}
	used = strlen(text);
	if (differ > 1)
		snprintf(text + used, size - used, "; %u more differ",
			 differ - 1);
	return differ ? LAYOUT_DIFFERS : LAYOUT_SAME;
}

static enum layout_verdict unknown(const char *what, int err, char *text,
				   size_t size)
{
	snprintf(text, size, "%s: %s", what, strerror(-err));
	return LAYOUT_UNKNOWN;
}

static bool there_is(const char *root, const char *path)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return !access(full, F_OK);
}

/*
 * The BTF of a module that is there, made into *own; *ret: that, or base, where
 * it is built in.
 */
static int module_btf(const char *root, const char *module,
		      const struct btf *base, struct btf *own,
		      const struct btf **ret)
{
	char path[PATH_MAX], size[64];
	int err;

	snprintf(path, sizeof(path), "%s" SYS_BTF "%s", root, module);
	err = btf_open(path, base, own);
	if (!err) {
		*ret = own;
		return 0;
	}
	snprintf(size, sizeof(size), "/sys/module/%s/coresize", module);
	/* vmlinux may have another kvm_vcpu than a module. */
	if (err != -ENOENT || there_is(root, size))
		return err;
	*ret = base;
	return 0;
}

static enum layout_verdict check_modules(const char *root,
					 const struct vmmprof_layout *l,
					 const struct btf *base, char *text,
					 size_t size)
{
	const struct btf *kvm, *amd = NULL;
	struct btf own_kvm, own_amd;
	enum layout_verdict v;
	int err;

	err = module_btf(root, "kvm", base, &own_kvm, &kvm);
	if (err)
		return unknown(SYS_BTF "kvm", err, text, size);
	if (there_is(root, "/sys/module/kvm_amd"))
		err = module_btf(root, "kvm_amd", base, &own_amd, &amd);
	if (err)
		v = unknown(SYS_BTF "kvm_amd", err, text, size);
	else
		v = kvm_layout_compare(l, kvm, amd, text, size);
	if (amd == &own_amd)
		btf_free(&own_amd);
	if (kvm == &own_kvm)
		btf_free(&own_kvm);
	return v;
}

enum layout_verdict kvm_layout_check(const char *root,
				     const struct vmmprof_layout *l, char *text,
				     size_t size)
{
	enum layout_verdict v;
	char path[PATH_MAX];
	struct btf base;
	int err;

	if (!there_is(root, "/sys/module/kvm")) {
		snprintf(text, size, "KVM is not loaded");
		return LAYOUT_ABSENT;
	}
	/* It comes a moment behind kvm, and only then are there vCPUs. */
	if (reads_amds(l) && !there_is(root, "/sys/module/kvm_amd")) {
		snprintf(text, size, "kvm_amd is not loaded");
		return LAYOUT_ABSENT;
	}
	snprintf(path, sizeof(path), "%s" SYS_BTF "vmlinux", root);
	err = btf_open(path, NULL, &base);
	if (err)
		return unknown(SYS_BTF "vmlinux", err, text, size);
	v = check_modules(root, l, &base, text, size);
	btf_free(&base);
	return v;
}

enum layout_verdict kvm_layout_of_device(const struct device *dev, char *text,
					 size_t size)
{
	struct vmmprof_layout layout;
	int err = device_layout(dev, &layout);

	if (err == -ENOTTY) {
		snprintf(
			text, size,
			"the loaded module does not tell what it was built for");
		return LAYOUT_UNKNOWN;
	}
	if (err)
		return unknown("the module's layout", err, text, size);
	return kvm_layout_check("", &layout, text, size);
}
