/* SPDX-License-Identifier: GPL-2.0-only */
/* The two halves of guest_bundle_write(), and what came of them. */
#ifndef INTROSPECT_BUNDLE_PARTS_H
#define INTROSPECT_BUNDLE_PARTS_H

#include "format/item_writer.h"
#include "introspect/kernel.h"
#include "introspect/snapshots.h"

/* What came of a bundle. */
struct guest_bundle_stat {
	__u32 processes, threads, mappings, files, modules;
	__u32 build_ids;    /* files that have one */
	__u32 unread;	    /* of processes: their mappings could not be read */
	__u32 torn;	    /* of processes: they changed meanwhile */
	__u32 many;	    /* of processes: too many, some are left out */
	__u32 no_path;	    /* mappings whose file has no known path */
	__u32 symtabs;	    /* files of which segments or symbols are known */
	__u32 not_resident; /* files: pages with names lack */
	__u32 files_left;   /* files that are too large, or too many */
	bool modules_damaged; /* symbols of some are missing */
	bool tasks_torn;      /* the list of tasks changed meanwhile */
	bool out_of_budget;   /* the rest was left out */
};

/*
 * TEXT, KALLSYMS, MODULES, and the MM of the kernel's own page table.  Symbols of a
 * kernel that was kept are those of @before, or are read now.  @unwind: with UNWIND.
 */
int guest_bundle_kernel(struct guest_kernel *k, const struct bundle *before,
			bool unwind, struct item_writer *w,
			struct guest_bundle_stat *stat);

/* Its boot's id as /proc/sys/kernel/random/boot_id has it; "": not known. */
void guest_boot_id(const struct guest_kernel *k, char text[40]);

/*
 * TASK, MM; what is new of PROC, IMAGE, MAP, CGROUP since the readings @before;
 * FILE, SYMTAB, UNWIND of all readings.
 */
int guest_bundle_processes(const struct guest_kernel *k,
			   struct guest_snapshots *before,
			   struct item_writer *w,
			   struct guest_bundle_stat *stat);

#endif /* INTROSPECT_BUNDLE_PARTS_H */
