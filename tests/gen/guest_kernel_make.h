/* SPDX-License-Identifier: GPL-2.0-only */
/* A small guest made up for tests: a kernel's structures with its processes. */
#ifndef GUEST_KERNEL_MAKE_H
#define GUEST_KERNEL_MAKE_H

#include <elf.h>

#include "introspect/files.h"
#include "introspect/modules.h"
#include "introspect/page_cache.h"
#include "introspect/vmas.h"
#include "tests/gen/guest_make.h"

#define D(gpa) (MADE_DIRECT + (gpa))

/* Where things are, physical addresses. */
enum {
	INIT_TASK = 0x10000,
	TASK_1 = 0x10100,
	TASK_2 = 0x10200,
	TASK_3 = 0x10300,  /* a thread of 2 */
	SIGNALS = 0x10400, /* 16 bytes a process */
	MM_1 = 0x10500,	   /* of a tree */
	MM_2 = 0x10600,	   /* of a list */
	VMAS = 0x10800,	   /* 128 bytes each */
	NODES = 0x11000,   /* 256 bytes each: the root, two leaves */
	FILE_1 = 0x11800,
	INODE = 0x11840,
	SUPER = 0x11860,
	MOUNTS = 0x11880,   /* 32 bytes each: the root's, one on it */
	DENTRIES = 0x11900, /* 64 bytes each: /, /mnt, its root, a, "b c" */
	FS = 0x11b00,
	OPS = 0x11b40,
	CSS_SET = 0x11b80,
	CGROUP = 0x11ba0,
	KN = 0x11bc0,	 /* 16 bytes each: the root, "x.slice", "y" */
	NAMES = 0x11c00, /* 32 bytes each */
	MODULES_HEAD = 0x11d00,
	MODULE = 0x11e00,
	MOD_KALLSYMS = 0x11f00,
	SYMTAB = 0x12000,
	STRTAB = 0x12100,
	TYPETAB = 0x12140,
	SPECIAL = 0x12180,
	ARGUMENTS = 0x12200,
	MAPPING = 0x12300, /* of FILE_1, whose pages are from CONTENT on */
	XA_NODE = 0x12400, /* its slots are 8 bytes behind */
	VMEMMAP = 0x12700, /* a word: where the page of CONTENT is PAGES */
	PAGES = 0x12800,   /* 64 bytes each */
	MADE_GUEST_END = 0x13000,
	CONTENT = 0x13000,
	MADE_FILE_PAGES = 4,
};

static inline void made_members(struct guest_members *m)
{
	static const __s32 at[NR_GUEST_MEMBERS] = {
		[GUEST_TASK_NODE] = 16,	      [GUEST_TASK_MM] = 32,
		[GUEST_TASK_STACK] = 40,      [GUEST_TASK_SIGNAL] = 48,
		[GUEST_TASK_PARENT] = 56,     [GUEST_TASK_LEADER] = 64,
		[GUEST_TASK_FS] = 72,	      [GUEST_TASK_CGROUPS] = 80,
		[GUEST_TASK_PID] = 88,	      [GUEST_TASK_TGID] = 92,
		[GUEST_TASK_FLAGS] = 96,      [GUEST_TASK_COMM] = 100,
		[GUEST_MM_MMAP] = 8,	      [GUEST_MM_MT] = 16,
		[GUEST_MM_ARG_START] = 24,    [GUEST_MM_ARG_END] = 32,
		[GUEST_VMA_END] = 8,	      [GUEST_VMA_MM] = 16,
		[GUEST_VMA_FLAGS] = 24,	      [GUEST_VMA_OPS] = 32,
		[GUEST_VMA_PRIVATE] = 40,     [GUEST_VMA_PGOFF] = 48,
		[GUEST_VMA_FILE] = 56,	      [GUEST_VMA_NEXT] = 64,
		[GUEST_RANGE_PIVOT] = 8,      [GUEST_RANGE_SLOT] = 128,
		[GUEST_ARANGE_PIVOT] = 8,     [GUEST_ARANGE_SLOT] = 80,
		[GUEST_PATH_DENTRY] = 8,      [GUEST_FILE_INODE] = 16,
		[GUEST_INODE_SB] = 8,	      [GUEST_DENTRY_NAME] = 8,
		[GUEST_QSTR_LEN] = 4,	      [GUEST_QSTR_NAME] = 8,
		[GUEST_DENTRY_HASH] = 24,     [GUEST_HASH_PPREV] = 8,
		[GUEST_DENTRY_OP] = 40,	      [GUEST_MOUNT_POINT] = 8,
		[GUEST_MOUNT_MNT] = 16,	      [GUEST_KN_PARENT] = 8,
		[GUEST_MODULE_NAME] = 16,     [GUEST_MODULE_STATE] = 80,
		[GUEST_MODULE_KALLSYMS] = 88, [GUEST_MODULE_CORE] = 96,
		[GUEST_CORE_SIZE] = 8,	      [GUEST_KALLSYMS_NUM] = 8,
		[GUEST_KALLSYMS_STRTAB] = 16, [GUEST_KALLSYMS_TYPETAB] = 24,
		[GUEST_FILE_MAPPING] = 24,    [GUEST_MAPPING_PAGES] = 8,
		[GUEST_XA_SLOTS] = 8,	      [GUEST_PAGE_MAPPING] = 24,
		[GUEST_PAGE_INDEX] = 32,      [GUEST_INODE_SIZE] = 16,
		[GUEST_VDSO_SIZE] = 8,
	};

	memcpy(m->offset, at, sizeof(at));
	memset(m->lacks, 0xff, sizeof(m->lacks));
	m->lacks[GUEST_MODULE_MEMORY] = GUEST_MODULE_MEM;
	m->module_memory = 0;
	m->page = 64;
	m->uptodate = 3;
	m->xa_slots = PAGE_CACHE_SLOTS;
}

static inline void made_task(struct made *m, __u64 at, __u64 next, __u64 prev,
			     __u32 pid, __u32 tgid, const char *comm)
{
	__u32 numbers[3] = { pid, tgid, pid ? 0 : 0x00200000 };

	made_word(m, at, D(next));
	made_word(m, at + 8, D(prev));
	made_word(m, at + 48, D(SIGNALS + tgid * 16ull));
	made_word(m, at + 56, D(INIT_TASK));
	made_word(m, at + 72, D(FS));
	made_word(m, at + 80, D(CSS_SET));
	memcpy(m->mem + at + 88, numbers, sizeof(numbers));
	strcpy((char *)m->mem + at + 100, comm);
}

/* A thread node at @at between others, all addresses of nodes or of a head. */
static inline void made_node(struct made *m, __u64 at, __u64 next, __u64 prev)
{
	made_word(m, at, D(next));
	made_word(m, at + 8, D(prev));
}

/* Mapping i of @mm, of 16 pages at (i + 1) << 20. */
static inline void made_vma(struct made *m, int i, __u64 mm, __u64 next)
{
	const __u64 at = VMAS + i * 128, start = (i + 1ull) << 20;

	made_word(m, at, start);
	made_word(m, at + 8, start + 0x10000);
	made_word(m, at + 16, D(mm));
	made_word(m, at + 24, GUEST_VM_EXEC | 1);
	made_word(m, at + 48, i);
	made_word(m, at + 56, D(FILE_1));
	made_word(m, at + 64, next);
}

/* Of a tree: a root with gaps, two leaves with two mappings each. */
static inline void made_tree(struct made *m)
{
	int leaf, i;

	made_word(m, MM_1 + 16, D(NODES) | 3 << 3 | 2);
	made_word(m, NODES + 8, (5ull << 19) - 1);
	made_word(m, NODES + 16, -1ull);
	for (leaf = 0; leaf < 2; leaf++) {
		const __u64 at = NODES + 256 + leaf * 256;

		made_word(m, NODES + 80 + leaf * 8, D(at) | 1 << 3 | 2);
		for (i = 0; i < 2; i++) {
			const __u64 start = (leaf * 2 + i + 1ull) << 20;

			made_word(m, at + 8 + i * 16, start - 1);
			made_word(m, at + 16 + i * 16, start + 0xffff);
			made_word(m, at + 128 + 8 + i * 16,
				  D(VMAS + (leaf * 2 + i) * 128));
		}
		/* up to the end of the node's range: nothing */
		if (!leaf)
			made_word(m, at + 8 + 4 * 8, (5ull << 19) - 1);
	}
	for (i = 0; i < 4; i++)
		made_vma(m, i, MM_1, 0);
}

static inline void made_name(struct made *m, int i, const char *name)
{
	strcpy((char *)m->mem + NAMES + i * 32, name);
}

static inline void made_dentry(struct made *m, int i, int parent)
{
	const __u64 at = DENTRIES + i * 64;
	__u32 len = strlen((char *)m->mem + NAMES + i * 32);

	made_word(m, at, D(DENTRIES + parent * 64));
	memcpy(m->mem + at + 12, &len, 4);
	made_word(m, at + 16, D(NAMES + i * 32));
	made_word(m, at + 32, 1); /* in its directory */
}

/* "/mnt/a/b c", where something is mounted on /mnt. */
static inline void made_files(struct made *m)
{
	static const char *const names[] = { "/", "mnt", "/", "a", "b c" };
	static const int parents[] = { 0, 0, 2, 2, 3 };
	__u32 dev = 8 << 20 | 3;
	int i;

	for (i = 0; i < 5; i++) {
		made_name(m, i, names[i]);
		made_dentry(m, i, parents[i]);
	}
	/* mount: its parent, where it is, struct vfsmount: its root */
	made_word(m, MOUNTS, D(MOUNTS));
	made_word(m, MOUNTS + 8, D(DENTRIES));
	made_word(m, MOUNTS + 16, D(DENTRIES));
	made_word(m, MOUNTS + 32, D(MOUNTS));
	made_word(m, MOUNTS + 40, D(DENTRIES + 64));
	made_word(m, MOUNTS + 48, D(DENTRIES + 2 * 64));
	made_word(m, FILE_1, D(MOUNTS + 48));
	made_word(m, FILE_1 + 8, D(DENTRIES + 4 * 64));
	made_word(m, FILE_1 + 16, D(INODE));
	made_word(m, INODE, 1234);
	made_word(m, INODE + 8, D(SUPER));
	memcpy(m->mem + SUPER, &dev, 4);
	made_word(m, FS, D(MOUNTS + 16));
	made_word(m, FS + 8, D(DENTRIES));
	/* a control group */
	made_name(m, 6, "x.slice");
	made_name(m, 7, "y");
	made_word(m, CSS_SET, D(CGROUP));
	made_word(m, CGROUP, D(KN + 32));
	made_word(m, KN + 32, D(NAMES + 7 * 32));
	made_word(m, KN + 40, D(KN + 16));
	made_word(m, KN + 16, D(NAMES + 6 * 32));
	made_word(m, KN + 24, D(KN));
	made_word(m, KN, D(NAMES));
}

/* A node of the page cache with a page each but page 1. */
static inline void made_pages(struct made *m)
{
	unsigned int i;

	made_word(m, FILE_1 + 24, D(MAPPING));
	made_word(m, MAPPING, D(INODE));
	made_word(m, MAPPING + 8, D(XA_NODE) | 2);
	made_word(m, INODE + 16, MADE_FILE_PAGES * GUEST_PAGE);
	made_word(m, VMEMMAP, D(PAGES) - CONTENT / GUEST_PAGE * 64);
	for (i = 0; i < MADE_FILE_PAGES; i++) {
		const __u64 page = PAGES + i * 64;

		if (i != 1)
			made_word(m, XA_NODE + 8 + i * 8, D(page));
		made_word(m, page, 1 << 3);
		made_word(m, page + 24, D(MAPPING));
		made_word(m, page + 32, i);
	}
}

static inline void made_module(struct made *m)
{
	static const char strings[] = "\0first\0second";
	const Elf64_Sym syms[3] = {
		{ .st_name = 0 },
		{ .st_name = 1, .st_value = 0xffffffffc0001000 },
		{ .st_name = 7, .st_value = 0xffffffffc0001100 },
	};
	__u32 nr = 3, size = 0x4000;

	made_node(m, MODULES_HEAD, MODULE, MODULE);
	made_node(m, MODULE, MODULES_HEAD, MODULES_HEAD);
	strcpy((char *)m->mem + MODULE + 16, "test");
	made_word(m, MODULE + 88, D(MOD_KALLSYMS));
	made_word(m, MODULE + 96, 0xffffffffc0001000);
	memcpy(m->mem + MODULE + 104, &size, 4);
	made_word(m, MOD_KALLSYMS, D(SYMTAB));
	memcpy(m->mem + MOD_KALLSYMS + 8, &nr, 4);
	made_word(m, MOD_KALLSYMS + 16, D(STRTAB));
	made_word(m, MOD_KALLSYMS + 24, D(TYPETAB));
	memcpy(m->mem + SYMTAB, syms, sizeof(syms));
	memcpy(m->mem + STRTAB, strings, sizeof(strings));
	memcpy(m->mem + TYPETAB, "?tT", 3);
}

/* What is known of its kernel before anything is read. */
static inline void made_known(struct guest_kernel *k)
{
	made_members(&k->members);
	k->known[GUEST_SYM_INIT_TASK] = D(INIT_TASK);
	k->known[GUEST_SYM_MODULES] = D(MODULES_HEAD);
	k->known[GUEST_SYM_SIMPLE_DNAME] = 0x5151;
	k->known[GUEST_SYM_SPECIAL_VMOPS] = 0x6161;
	k->known[GUEST_SYM_VMEMMAP] = D(VMEMMAP);
}

/*
 * The kernel of a guest whose memory is @m: idle, process 1 with a tree of
 * mappings, process 2 with a list of them and the thread 3.
 */
static inline void made_guest(struct made *m, struct guest_kernel *k)
{
	int i;

	memset(k, 0, sizeof(*k));
	k->space = m->space;
	made_known(k);
	made_task(m, INIT_TASK, TASK_1, TASK_2, 0, 0, "swapper");
	made_task(m, TASK_1, TASK_2, INIT_TASK, 1, 1, "one");
	made_task(m, TASK_2, INIT_TASK, TASK_1, 2, 2, "two");
	made_task(m, TASK_3, 0, 0, 3, 2, "three");
	made_node(m, TASK_1 + 16, SIGNALS + 16, SIGNALS + 16);
	made_node(m, SIGNALS + 32, TASK_2 + 16, TASK_3 + 16);
	made_node(m, TASK_2 + 16, TASK_3 + 16, SIGNALS + 32);
	made_node(m, TASK_3 + 16, SIGNALS + 32, TASK_2 + 16);
	made_word(m, TASK_1 + 32, D(MM_1));
	made_word(m, TASK_2 + 32, D(MM_2));
	made_word(m, TASK_3 + 32, D(MM_2));
	/* Both have the kernel's page table. */
	made_word(m, MM_1, D(MADE_ROOT));
	made_word(m, MM_2, D(MADE_ROOT));
	made_word(m, MM_1 + 24, D(ARGUMENTS));
	made_word(m, MM_1 + 32, D(ARGUMENTS + 9));
	memcpy(m->mem + ARGUMENTS, "one\0of x\0", 9);
	made_tree(m);
	made_word(m, MM_2 + 8, D(VMAS + 4 * 128));
	for (i = 4; i < 8; i++)
		made_vma(m, i, MM_2, i < 7 ? D(VMAS + (i + 1) * 128) : 0);
	made_files(m);
	made_pages(m);
	made_module(m);
}

#endif /* GUEST_KERNEL_MAKE_H */
