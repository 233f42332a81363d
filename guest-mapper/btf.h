/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Offsets of members of kernel structures from the kernel's BTF
 * (Documentation/bpf/btf.rst), for the /proc/kcore walk, which must work
 * where the BPF system call does not.
 */
#ifndef VMMPROF_BTF_H
#define VMMPROF_BTF_H

#include <linux/types.h>
#include <stddef.h>

struct vmmprof_btf {
	const char *data; /* the types, then the strings; owned */
	size_t types_size;
	const char *strings;
	size_t strings_size;
	__u32 *offsets; /* of type id i in data; [0] is void */
	__u32 nr;
};

/* The running kernel's.  -ENOENT: it was built without BTF; -EBADMSG. */
int vmmprof_btf_open_kernel(struct vmmprof_btf *ret);

/* From @blob, a copy of which is kept. */
int vmmprof_btf_parse(const void *blob, size_t size, struct vmmprof_btf *ret);
void vmmprof_btf_free(struct vmmprof_btf *btf);

/*
 * Byte offset of @member in struct @name, also through anonymous structs and
 * unions.  -ENOENT: no such struct or member, -EINVAL: a bit field.
 */
int vmmprof_btf_offset(const struct vmmprof_btf *btf, const char *name,
		       const char *member);

/* Size of union @name in bytes.  -ENOENT: no such union. */
long vmmprof_btf_union_size(const struct vmmprof_btf *btf, const char *name);

#endif /* VMMPROF_BTF_H */
