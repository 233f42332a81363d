/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of kind MAPS: who was which address space, what was mapped where, and
 * the symbols.  The guest's bundle and the host's own map file are the same
 * format; MM items are in bundles only.  Times are CLOCK_MONOTONIC ns of the
 * machine the file comes from (of a bundle from memory: the host's); CLOCK items
 * tie them to its TSC.
 *
 * A bundle is an attacker's input: readers check every size, count and index.
 */
#ifndef VMMPROF_MAPS_H
#define VMMPROF_MAPS_H

#include "file.h"

/*
 * Keys of the TEXT item: tool (version), hostname, release, arch, boot_id,
 * method (bpf, kcore, none, memory), pti (0, 1), la57 (0, 1), phys_mask (hex;
 * AND it with a CR3 to get a key), from (watch, dump, record, memory),
 * kptr_restrict, stack_size (bytes of a task's kernel stack), steal_clock (0, 1),
 * task_layout (analyzer/format/task_layout.h).
 */
enum vmmprof_maps_item {
	VMMPROF_MAPS_KALLSYMS =
		16, /* text of /proc/kallsyms, maybe only t T w W */
	VMMPROF_MAPS_MODULES = 17, /* text of /proc/modules */
	VMMPROF_MAPS_MM = 18,
	VMMPROF_MAPS_PROC = 19,
	VMMPROF_MAPS_MAP = 20,
	VMMPROF_MAPS_FILE = 21,
	VMMPROF_MAPS_SYMTAB = 22,
	VMMPROF_MAPS_LOST = 23,
	VMMPROF_MAPS_TASK = 24,
	VMMPROF_MAPS_JIT = 25,
	VMMPROF_MAPS_CGROUP = 26,
	VMMPROF_MAPS_KSYM = 27,
	VMMPROF_MAPS_CPUTIME = 28,
	VMMPROF_MAPS_CODE = 29,
	VMMPROF_MAPS_UNWIND = 30,
	VMMPROF_MAPS_IMAGE = 31,
};

enum vmmprof_op {
	VMMPROF_OP_SNAP = 1, /* was there when the snapshot was taken */
	VMMPROF_OP_FORK = 2,
	VMMPROF_OP_EXEC = 3,
	VMMPROF_OP_RENAME = 4, /* comm changed */
	VMMPROF_OP_DROP = 5,   /* MM: the page table is freed; PROC: exit */
	VMMPROF_OP_INIT = 6,   /* MM: the kernel's own (init_mm) */
};

/* Something happened to an address space; key = its CR3 & phys_mask. */
struct vmmprof_maps_mm {
	struct vmmprof_item_hdr hdr;
	__u64 ns;
	__u64 key;
	__u32 op;  /* enum vmmprof_op */
	__u32 pid; /* tgid of the owner; DROP: 0 if not known */
	__u32 tid;
	__u32 reserved;
	char comm[16]; /* NUL-padded, any bytes */
};

struct vmmprof_maps_proc {
	struct vmmprof_item_hdr hdr;
	__u64 ns;
	__u32 op;
	__u32 pid;
	__u32 ppid;
	__u32 flags; /* VMMPROF_PROC_F_* */
	char comm[16];
	char cmdline[]; /* arguments joined by spaces; NUL-terminated, may be empty */
};

#define VMMPROF_PROC_F_KTHREAD 0x1

/* An executable mapping.  Valid from ns until the next EXEC, DROP or overlap. */
struct vmmprof_maps_map {
	struct vmmprof_item_hdr hdr;
	__u64 ns; /* 0: before anything was watched */
	__u64 start;
	__u64 end;   /* exclusive */
	__u64 pgoff; /* offset in the file, bytes */
	__u32 pid;
	__u32 file; /* vmmprof_maps_file.id, VMMPROF_NONE: anonymous */
};

/* From memory, .file: what was mapped there from .start to .end is not any more. */
#define VMMPROF_MAP_GONE       0xfffffffeu

#define VMMPROF_FILE_F_DELETED 0x1
#define VMMPROF_FILE_F_NO_SYMS 0x2 /* could be read, has no symbols */
#define VMMPROF_FILE_F_UNREAD  0x4 /* could not be read */
#define VMMPROF_FILE_F_PSEUDO  0x8 /* [vdso], [vsyscall], memfd and the like */
#define VMMPROF_FILE_F_CACHED \
	0x10			 /* its SYMTAB is left to the reader's cache */
#define VMMPROF_FILE_F_ROOT 0x20 /* nobody but root can write it */
#define VMMPROF_FILE_F_UNWIND_CACHED \
	0x40 /* its UNWIND is left to the reader's cache */
/* from memory: pages with symbols or bounds were not in the guest's page cache */
#define VMMPROF_FILE_F_NOT_RESIDENT 0x80

struct vmmprof_maps_file {
	struct vmmprof_item_hdr hdr;
	__u32 id;
	__u32 flags; /* VMMPROF_FILE_F_* */
	__u64 dev;
	__u64 ino;
	__u8 build_id[20];
	__u8 build_id_size; /* 0: none */
	__u8 reserved[3];
	char path[]; /* as the process sees it; NUL-terminated */
};

/* Function symbols of a file: segments, then symbols, then strings. */
struct vmmprof_maps_symtab {
	struct vmmprof_item_hdr hdr;
	__u32 file;
	__u32 nr_segments;  /* struct vmmprof_segment */
	__u32 nr_symbols;   /* struct vmmprof_symbol, sorted by addr */
	__u32 strings_size; /* bytes; the last one is NUL */
};

/* An executable PT_LOAD: file offset -> link address. */
struct vmmprof_segment {
	__u64 offset;
	__u64 vaddr;
	__u64 filesz;
};

struct vmmprof_symbol {
	__u64 addr; /* link address */
	__u32 size; /* 0: up to the next one */
	__u32 name; /* offset in the strings; an empty one: bounds alone */
};

enum vmmprof_lost_what {
	VMMPROF_LOST_MM = 1,	   /* MM events */
	VMMPROF_LOST_SIDEBAND = 2, /* side-band records */
	VMMPROF_LOST_ROOM = 3,	   /* items: there were too many for a file */
};

/* Events that the writer could not keep. */
struct vmmprof_maps_lost {
	struct vmmprof_item_hdr hdr;
	__u64 count;
	__u32 what; /* enum vmmprof_lost_what */
	__u32 reserved;
};

/*
 * Whose kernel stack this is from ns on: at CPL 0 a CR3 may be borrowed (lazy
 * TLB), the stack pointer is not.
 */
struct vmmprof_maps_task {
	struct vmmprof_item_hdr hdr;
	__u64 ns;
	__u64 stack; /* lowest address */
	__u32 op;    /* SNAP or FORK */
	__u32 pid;   /* tgid */
	__u32 tid;
	__u32 flags; /* VMMPROF_PROC_F_* */
	char comm[16];
};

enum vmmprof_jit_source {
	VMMPROF_JIT_PERF_MAP = 1, /* perf-PID.map: ns is when it was first read */
	VMMPROF_JIT_DUMP = 2,	  /* jitdump: ns is its own time stamp */
};

/*
 * Code a process made, from ns on, until a later one overlaps it.  Names of
 * one process hold for its image (from exec to exec) only.
 */
struct vmmprof_maps_jit {
	struct vmmprof_item_hdr hdr;
	__u64 ns; /* 0: before anything was watched */
	__u64 addr;
	__u64 size;
	__u32 pid;
	__u32 source; /* enum vmmprof_jit_source */
	char name[];  /* NUL-terminated */
};

/* A process's control group from ns on; its children begin in the same. */
struct vmmprof_maps_cgroup {
	struct vmmprof_item_hdr hdr;
	__u64 ns;
	__u32 pid;
	__u32 reserved;
	char path[]; /* NUL-terminated */
};

#define VMMPROF_KSYM_F_GONE 0x1

/* Kernel code that came or went while watched: BPF programs, trampolines. */
struct vmmprof_maps_ksym {
	struct vmmprof_item_hdr hdr;
	__u64 ns;
	__u64 addr;
	__u32 len;
	__u32 flags; /* VMMPROF_KSYM_F_* */
	char name[]; /* NUL-terminated */
};

/* What the guest's own /proc/stat said of a CPU; ns since the guest's boot. */
struct vmmprof_maps_cputime {
	struct vmmprof_item_hdr hdr;
	__u64 ns; /* when it was read */
	__u32 cpu;
	__u32 reserved;
	__u64 user; /* nice and guest included */
	__u64 system;
	__u64 idle; /* iowait included */
	__u64 irq;  /* softirq included */
	__u64 steal;
};

#define VMMPROF_CODE_F_IA32 0x1 /* code of 32 bits */

/* Bounds of what is asked for and taken of a guest's code. */
#define VMMPROF_CODE_RANGES 256
#define VMMPROF_CODE_RANGE  0x40000u  /* bytes of one */
#define VMMPROF_CODE_TOTAL  0x100000u /* bytes of all */

/* Bytes of code, as they were at ns: of a file, or of the kernel's memory. */
struct vmmprof_maps_code {
	struct vmmprof_item_hdr hdr;
	__u64 ns;
	__u64 addr;  /* offset in the file, bytes; kernel: address */
	__u32 file;  /* vmmprof_maps_file.id, VMMPROF_NONE: the kernel */
	__u32 flags; /* VMMPROF_CODE_F_* */
	__u8 code[]; /* the rest of the item, at least a byte */
};

/* What a rule finds: how its code was called, or that it cannot be unwound. */
enum vmmprof_unwind_kind {
	VMMPROF_UNWIND_UNKNOWN = 0, /* no rule for this code */
	VMMPROF_UNWIND_CALL = 1,    /* return address below the CFA */
	VMMPROF_UNWIND_REGS = 2,    /* the kernel's struct pt_regs at the CFA */
	VMMPROF_UNWIND_IRET = 3, /* what the CPU pushes (RIP first) at the CFA */
	VMMPROF_UNWIND_SIGNAL = 4,     /* user mode's signal frame */
	VMMPROF_UNWIND_END = 5,	       /* the outermost frame */
	VMMPROF_UNWIND_REGISTER = 6,   /* CFA from a register not recorded */
	VMMPROF_UNWIND_EXPRESSION = 7, /* a DWARF expression of no known form */
};

/* Where the CFA is: the stack pointer right before the call, or REGS, IRET. */
enum vmmprof_unwind_cfa {
	VMMPROF_CFA_SP = 0,	 /* SP + cfa */
	VMMPROF_CFA_BP = 1,	 /* BP + cfa */
	VMMPROF_CFA_SP_WORD = 2, /* (word at SP) + cfa */
	VMMPROF_CFA_BP_WORD = 3, /* word at (BP + cfa) */
	/* SP + 8; SP + 16 if bits 3:0 of IP are cfa or more */
	VMMPROF_CFA_PLT = 4,
};

/* Where the caller's BP is. */
enum vmmprof_unwind_bp {
	VMMPROF_BP_SAME = 0, /* unchanged */
	VMMPROF_BP_CFA = 1,  /* word at (CFA + bp) */
	VMMPROF_BP_BP = 2,   /* word at (BP + bp) */
	VMMPROF_BP_LOST = 3, /* not known */
};

#define VMMPROF_UNWIND_F_SIGNAL 0x1 /* the IP found was interrupted */

struct vmmprof_unwind_rule {
	__s32 cfa; /* SIGNAL: SP + cfa has SP, the next word IP */
	__s32 bp;  /* SIGNAL: SP + bp has BP */
	__u8 kind; /* enum vmmprof_unwind_kind */
	__u8 cfa_from;
	__u8 bp_from;
	__u8 flags; /* VMMPROF_UNWIND_F_* */
};

/* Rules for addresses from .start on; then rules, then rows. */
struct vmmprof_unwind {
	__u64 start;
	__u64 end; /* exclusive; less than 4 GiB above */
	__u32 nr_rules;
	__u32 nr_rows;
};

/* How code is unwound: of a file (link addresses), or of the kernel. */
struct vmmprof_maps_unwind {
	struct vmmprof_item_hdr hdr;
	__u32 file; /* vmmprof_maps_file.id, VMMPROF_NONE: the kernel */
	__u32 reserved;
	struct vmmprof_unwind unwind;
};

/*
 * From memory: a process's memory as readings found it.  MAP items of this pid
 * from ns on, until those of its next IMAGE, are of this mm_struct.
 */
struct vmmprof_maps_image {
	struct vmmprof_item_hdr hdr;
	__u64 ns;	/* of the first reading that found it */
	__u64 until;	/* ... of the last one */
	__u64 mm;	/* address of its mm_struct in the guest's kernel */
	__u64 start_ns; /* guest's CLOCK_MONOTONIC of its begin; 0: not known */
	__u32 pid;	/* tgid */
	__u32 reserved;
};

_Static_assert(sizeof(struct vmmprof_maps_mm) == 56, "on-disk size");
_Static_assert(sizeof(struct vmmprof_maps_proc) == 48, "on-disk size");
_Static_assert(sizeof(struct vmmprof_maps_map) == 48, "on-disk size");
_Static_assert(sizeof(struct vmmprof_maps_file) == 56, "on-disk size");
_Static_assert(sizeof(struct vmmprof_maps_symtab) == 24, "on-disk size");
_Static_assert(sizeof(struct vmmprof_segment) == 24, "on-disk size");
_Static_assert(sizeof(struct vmmprof_symbol) == 16, "on-disk size");
_Static_assert(sizeof(struct vmmprof_maps_lost) == 24, "on-disk size");
_Static_assert(sizeof(struct vmmprof_maps_task) == 56, "on-disk size");
_Static_assert(sizeof(struct vmmprof_maps_jit) == 40, "on-disk size");
_Static_assert(sizeof(struct vmmprof_maps_cgroup) == 24, "on-disk size");
_Static_assert(sizeof(struct vmmprof_maps_ksym) == 32, "on-disk size");
_Static_assert(sizeof(struct vmmprof_maps_cputime) == 64, "on-disk size");
_Static_assert(sizeof(struct vmmprof_maps_code) == 32, "on-disk size");
_Static_assert(sizeof(struct vmmprof_unwind_rule) == 12, "on-disk size");
_Static_assert(sizeof(struct vmmprof_unwind) == 24, "on-disk size");
_Static_assert(sizeof(struct vmmprof_maps_unwind) == 40, "on-disk size");
_Static_assert(sizeof(struct vmmprof_maps_image) == 48, "on-disk size");

#endif /* VMMPROF_MAPS_H */
