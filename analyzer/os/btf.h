/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Offsets of members of kernel structures from the kernel's BTF
 * (Documentation/bpf/btf.rst): for vmmprof-guest's walk of /proc/kcore, which
 * must work where the BPF system call does not, and for kvm_layout.c.
 *
 * A module's BTF continues that of vmlinux ("split"): its type ids and string
 * offsets continue those of its base.
 */
#ifndef OS_BTF_H
#define OS_BTF_H

#include <linux/types.h>
#include <stddef.h>

struct btf {
	const char *data; /* the types, then the strings; owned */
	size_t types_size;
	const char *strings;
	size_t strings_size;
	__u32 *offsets; /* in data, of type base's nr + i; [0] is unused */
	__u32 nr;	/* of types, without the base's */
	const struct btf *base; /* or NULL */
};

/* The running kernel's.  -ENOENT: it was built without BTF; -EBADMSG. */
int btf_open_kernel(struct btf *ret);

/*
 * Read the file at @path.  @base: the BTF that it continues, or NULL; it must
 * outlive @ret and has no base itself.  -ENOENT: no such file; -EBADMSG.
 */
int btf_open(const char *path, const struct btf *base, struct btf *ret);

/* From @blob, a copy of which is kept. */
int btf_parse(const void *blob, size_t size, const struct btf *base,
	      struct btf *ret);
void btf_free(struct btf *btf);

/*
 * Byte offset of @member in struct @name, also through anonymous structs and
 * unions.  -ENOENT: no such struct or member, -EINVAL: a bit field.
 */
int btf_offset(const struct btf *btf, const char *name, const char *member);

/*
 * The same with the member's size in bytes, 0: a type that has none.  A struct
 * of that name in @btf itself comes before one in its base.
 */
int btf_find_member(const struct btf *btf, const char *name, const char *member,
		    __u32 *offset, __u32 *size);

/* Size of union, of struct @name in bytes.  -ENOENT: there is none. */
long btf_union_size(const struct btf *btf, const char *name);
long btf_struct_size(const struct btf *btf, const char *name);

/* Value of the constant @name of enum @type.  -ENOENT: there is none. */
int btf_enum_value(const struct btf *btf, const char *type, const char *name,
		   __u32 *ret);

#endif /* OS_BTF_H */
