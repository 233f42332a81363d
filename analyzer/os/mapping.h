/* SPDX-License-Identifier: GPL-2.0-only */
/* An executable mapping of a process, and the counts of what was written. */
#ifndef OS_MAPPING_H
#define OS_MAPPING_H

#include <linux/types.h>

/* One executable mapping, as the kernel announced it. */
struct mmap_event {
	__u64 ns; /* CLOCK_MONOTONIC */
	__u64 start;
	__u64 end;
	__u64 pgoff; /* bytes */
	__u64 dev;   /* makedev(); 0 with ino 0: not known */
	__u64 ino;
	__u32 pid;
	__u32 generation; /* of the inode; 0: not known */
	const char *path; /* as the process sees it, or "//anon", "[vdso]" */
};

/* What was written; the reasons why files could not be read. */
struct proc_maps_stat {
	__u32 procs; /* user processes of the last scan */
	__u32 kthreads;
	__u32 maps;
	__u32 files;
	__u32 symtabs;
	__u32 unread; /* files without content: gone, or no permission */
	__u32 denied; /* processes whose maps were refused (EACCES, EPERM) */
};

#endif /* OS_MAPPING_H */
