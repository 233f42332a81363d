/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The offsets of members of a guest kernel's structures, by its own BTF.  The
 * names are those of its source; some came, went or were renamed.
 */
#ifndef INTROSPECT_MEMBERS_H
#define INTROSPECT_MEMBERS_H

#include <stdbool.h>

#include "os/btf.h"

/* M(NAME, struct, member, needed by, other name of the member) */
#define GUEST_MEMBERS(M)                                                    \
	M(TASK_TASKS, "task_struct", "tasks", PROCESSES, NULL)              \
	M(TASK_MM, "task_struct", "mm", PROCESSES, NULL)                    \
	M(TASK_STACK, "task_struct", "stack", PROCESSES, NULL)              \
	M(TASK_PID, "task_struct", "pid", PROCESSES, NULL)                  \
	M(TASK_TGID, "task_struct", "tgid", PROCESSES, NULL)                \
	M(TASK_FLAGS, "task_struct", "flags", PROCESSES, NULL)              \
	M(TASK_NODE, "task_struct", "thread_node", PROCESSES, NULL)         \
	M(TASK_SIGNAL, "task_struct", "signal", PROCESSES, NULL)            \
	M(TASK_COMM, "task_struct", "comm", PROCESSES, NULL)                \
	M(TASK_PARENT, "task_struct", "real_parent", PROCESSES, NULL)       \
	M(TASK_LEADER, "task_struct", "group_leader", PROCESSES, NULL)      \
	M(TASK_START, "task_struct", "start_time", START, NULL)             \
	M(TASK_FS, "task_struct", "fs", FILES, NULL)                        \
	M(TASK_CGROUPS, "task_struct", "cgroups", CGROUPS, NULL)            \
	M(SIGNAL_HEAD, "signal_struct", "thread_head", PROCESSES, NULL)     \
	M(MM_PGD, "mm_struct", "pgd", PROCESSES, NULL)                      \
	M(MM_ARG_START, "mm_struct", "arg_start", PROCESSES, NULL)          \
	M(MM_ARG_END, "mm_struct", "arg_end", PROCESSES, NULL)              \
	M(MM_MMAP, "mm_struct", "mmap", VMA_LIST, NULL)                     \
	M(VMA_NEXT, "vm_area_struct", "vm_next", VMA_LIST, NULL)            \
	M(MM_MT, "mm_struct", "mm_mt", VMA_TREE, NULL)                      \
	M(MAPLE_ROOT, "maple_tree", "ma_root", VMA_TREE, NULL)              \
	M(RANGE_PIVOT, "maple_range_64", "pivot", VMA_TREE, NULL)           \
	M(RANGE_SLOT, "maple_range_64", "slot", VMA_TREE, NULL)             \
	M(ARANGE_PIVOT, "maple_arange_64", "pivot", VMA_TREE, NULL)         \
	M(ARANGE_SLOT, "maple_arange_64", "slot", VMA_TREE, NULL)           \
	M(VMA_START, "vm_area_struct", "vm_start", MAPPINGS, NULL)          \
	M(VMA_END, "vm_area_struct", "vm_end", MAPPINGS, NULL)              \
	M(VMA_MM, "vm_area_struct", "vm_mm", MAPPINGS, NULL)                \
	M(VMA_FLAGS, "vm_area_struct", "vm_flags", MAPPINGS, NULL)          \
	M(VMA_OPS, "vm_area_struct", "vm_ops", MAPPINGS, NULL)              \
	M(VMA_PRIVATE, "vm_area_struct", "vm_private_data", MAPPINGS, NULL) \
	M(VMA_PGOFF, "vm_area_struct", "vm_pgoff", MAPPINGS, NULL)          \
	M(VMA_FILE, "vm_area_struct", "vm_file", MAPPINGS, NULL)            \
	M(SPECIAL_NAME, "vm_special_mapping", "name", MAPPINGS, NULL)       \
	M(FILE_PATH, "file", "f_path", FILES, NULL)                         \
	M(FILE_INODE, "file", "f_inode", FILES, NULL)                       \
	M(PATH_MNT, "path", "mnt", FILES, NULL)                             \
	M(PATH_DENTRY, "path", "dentry", FILES, NULL)                       \
	M(INODE_INO, "inode", "i_ino", FILES, NULL)                         \
	M(INODE_SB, "inode", "i_sb", FILES, NULL)                           \
	M(SB_DEV, "super_block", "s_dev", FILES, NULL)                      \
	M(DENTRY_PARENT, "dentry", "d_parent", FILES, NULL)                 \
	M(DENTRY_NAME, "dentry", "d_name", FILES, NULL)                     \
	M(DENTRY_HASH, "dentry", "d_hash", FILES, NULL)                     \
	M(DENTRY_OP, "dentry", "d_op", FILES, NULL)                         \
	M(HASH_PPREV, "hlist_bl_node", "pprev", FILES, NULL)                \
	M(OP_DNAME, "dentry_operations", "d_dname", FILES, NULL)            \
	M(QSTR_LEN, "qstr", "len", FILES, NULL)                             \
	M(QSTR_NAME, "qstr", "name", FILES, NULL)                           \
	M(VFSMOUNT_ROOT, "vfsmount", "mnt_root", FILES, NULL)               \
	M(MOUNT_MNT, "mount", "mnt", FILES, NULL)                           \
	M(MOUNT_PARENT, "mount", "mnt_parent", FILES, NULL)                 \
	M(MOUNT_POINT, "mount", "mnt_mountpoint", FILES, NULL)              \
	M(FS_ROOT, "fs_struct", "root", FILES, NULL)                        \
	M(FILE_MAPPING, "file", "f_mapping", CACHE, NULL)                   \
	M(MAPPING_HOST, "address_space", "host", CACHE, NULL)               \
	M(MAPPING_PAGES, "address_space", "i_pages", CACHE, NULL)           \
	M(XA_HEAD, "xarray", "xa_head", CACHE, NULL)                        \
	M(XA_SHIFT, "xa_node", "shift", CACHE, NULL)                        \
	M(XA_SLOTS, "xa_node", "slots", CACHE, NULL)                        \
	M(PAGE_FLAGS, "page", "flags", CACHE, NULL)                         \
	M(PAGE_MAPPING, "page", "mapping", CACHE, NULL)                     \
	M(PAGE_INDEX, "page", "index", CACHE, "__folio_index")              \
	M(INODE_SIZE, "inode", "i_size", CACHE, NULL)                       \
	M(VDSO_DATA, "vdso_image", "data", VDSO, NULL)                      \
	M(VDSO_SIZE, "vdso_image", "size", VDSO, NULL)                      \
	M(SET_CGROUP, "css_set", "dfl_cgrp", CGROUPS, NULL)                 \
	M(CGROUP_KN, "cgroup", "kn", CGROUPS, NULL)                         \
	M(KN_NAME, "kernfs_node", "name", CGROUPS, NULL)                    \
	M(KN_PARENT, "kernfs_node", "parent", CGROUPS, "__parent")          \
	M(SET_LINKS, "css_set", "cgrp_links", CGROUPS_1, NULL)              \
	M(LINK_CGROUP, "cgrp_cset_link", "cgrp", CGROUPS_1, NULL)           \
	M(LINK_NODE, "cgrp_cset_link", "cgrp_link", CGROUPS_1, NULL)        \
	M(CGROUP_ROOT, "cgroup", "root", CGROUPS_1, NULL)                   \
	M(ROOT_NAME, "cgroup_root", "name", CGROUPS_1, NULL)                \
	M(MODULE_LIST, "module", "list", MODULES, NULL)                     \
	M(MODULE_NAME, "module", "name", MODULES, NULL)                     \
	M(MODULE_STATE, "module", "state", MODULES, NULL)                   \
	M(MODULE_KALLSYMS, "module", "kallsyms", MODULES, NULL)             \
	M(KALLSYMS_SYMTAB, "mod_kallsyms", "symtab", MODULES, NULL)         \
	M(KALLSYMS_NUM, "mod_kallsyms", "num_symtab", MODULES, NULL)        \
	M(KALLSYMS_STRTAB, "mod_kallsyms", "strtab", MODULES, NULL)         \
	M(KALLSYMS_TYPETAB, "mod_kallsyms", "typetab", MODULES, NULL)       \
	M(MODULE_CORE, "module", "core_layout", MODULE_LAYOUT, NULL)        \
	M(CORE_BASE, "module_layout", "base", MODULE_LAYOUT, NULL)          \
	M(CORE_SIZE, "module_layout", "size", MODULE_LAYOUT, NULL)          \
	M(CORE_TEXT, "module_layout", "text_size", MODULE_LAYOUT, NULL)     \
	M(MODULE_MEM, "module", "mem", MODULE_MEMORY, NULL)                 \
	M(MEM_BASE, "module_memory", "base", MODULE_MEMORY, NULL)           \
	M(MEM_SIZE, "module_memory", "size", MODULE_MEMORY, NULL)           \
	M(MODULE_ARCH, "module", "arch", MODULE_ORC, NULL)                  \
	M(ARCH_NUM, "mod_arch_specific", "num_orcs", MODULE_ORC, NULL)      \
	M(ARCH_IPS, "mod_arch_specific", "orc_unwind_ip", MODULE_ORC, NULL) \
	M(ARCH_ORC, "mod_arch_specific", "orc_unwind", MODULE_ORC, NULL)    \
	M(PCPU_HOT_TASK, "pcpu_hot", "current_task", PCPU_HOT, NULL)        \
	M(UTS_NAME, "uts_namespace", "name", IDENTITY, NULL)                \
	M(UTS_NODENAME, "new_utsname", "nodename", IDENTITY, NULL)          \
	M(UTS_RELEASE, "new_utsname", "release", IDENTITY, NULL)            \
	M(CPU_CAPABILITY, "cpuinfo_x86", "x86_capability", IDENTITY, NULL)

#define GUEST_MEMBER_ENUM(name, type, member, group, other) GUEST_##name,
enum guest_member { GUEST_MEMBERS(GUEST_MEMBER_ENUM) NR_GUEST_MEMBERS };

/* What members are needed for. */
enum guest_group {
	GUEST_PROCESSES,
	GUEST_MAPPINGS,
	GUEST_VMA_LIST, /* up to 6.0 */
	GUEST_VMA_TREE, /* from 6.1 on */
	GUEST_FILES,
	GUEST_CACHE,
	GUEST_VDSO,
	GUEST_CGROUPS,
	GUEST_CGROUPS_1, /* of hierarchies of version 1 */
	GUEST_MODULES,
	GUEST_MODULE_LAYOUT, /* up to 6.3 */
	GUEST_MODULE_MEMORY, /* from 6.4 on */
	GUEST_MODULE_ORC,
	GUEST_PCPU_HOT, /* 6.2 to 6.14 */
	GUEST_IDENTITY,
	GUEST_START,
	NR_GUEST_GROUPS,
};

struct guest_members {
	__s32 offset[NR_GUEST_MEMBERS]; /* bytes, below 64 KiB; -1: none */
	__s32 lacks[NR_GUEST_GROUPS];	/* enum guest_member, -1: nothing */
	__u32 module_memory; /* bytes of struct module_memory, or 0 */
	__u32 page;	     /* bytes of struct page, or 0 */
	__u32 uptodate;	     /* the bit PG_uptodate of its flags */
	__u32 xa_slots;	     /* of a struct xa_node */
};

/* Look all of them up. */
void guest_members_read(const struct btf *btf, struct guest_members *ret);

/* Has the kernel all members of @group? */
static inline bool guest_members_have(const struct guest_members *m,
				      enum guest_group group)
{
	return m->lacks[group] < 0;
}

/* "struct NAME.MEMBER" of a member that @group lacks; "" if it lacks none. */
void guest_members_missing(const struct guest_members *m,
			   enum guest_group group, char *buf, size_t size);

#endif /* INTROSPECT_MEMBERS_H */
