/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every file of vmmprof begins with, and the items that all but the
 * sample files consist of.  include/FORMAT.md has the same byte by byte.
 */
#ifndef VMMPROF_FILE_H
#define VMMPROF_FILE_H

#include <linux/types.h>

#define VMMPROF_MAGIC "VMMPROF\n"

enum vmmprof_file_kind {
	VMMPROF_FILE_INFO = 1,	  /* DIR/info: what was measured */
	VMMPROF_FILE_RECORDS = 2, /* DIR/cpu-N.rec: struct vmmprof_rec_* */
	VMMPROF_FILE_MAPS = 3,	  /* DIR/host and bundles */
};

/* 1: samples without guest_rsp; 3: WIDENED items, where min_version is 3 */
#define VMMPROF_FILE_VERSION 3
#define VMMPROF_FILE_OLDEST  2

struct vmmprof_file_hdr {
	__u8 magic[8];	   /* VMMPROF_MAGIC without its NUL */
	__u16 kind;	   /* enum vmmprof_file_kind */
	__u16 version;	   /* of the writer */
	__u16 min_version; /* oldest reader that understands the file */
	__u16 hdr_size;	   /* of this header; what follows begins there */
	__u32 flags;	   /* none yet; readers ignore unknown bits */
	__u32 cpu;	   /* kind RECORDS: the physical CPU */
	__u64 reserved;
};

/* Kinds INFO and MAPS: items one after another, each 8-byte aligned. */
struct vmmprof_item_hdr {
	__u32 type;
	__u32 size; /* with this header, without the padding to 8 */
};

/* Items that both kinds have, with the same numbers. */
enum vmmprof_item_common {
	VMMPROF_ITEM_TEXT = 1, /* lines KEY=VALUE\n, UTF-8 */
	VMMPROF_ITEM_CLOCK = 2,
	VMMPROF_ITEM_NOTE = 3, /* what could not be had, one line and a NUL */
	VMMPROF_ITEM_END = 4,  /* last item: the writer finished */
};

/* One moment read on three clocks of the machine the file comes from. */
struct vmmprof_item_clock {
	struct vmmprof_item_hdr hdr;
	__u64 tsc;
	__u64 mono_ns; /* CLOCK_MONOTONIC */
	__u64 real_ns; /* CLOCK_REALTIME */
};

struct vmmprof_item_end {
	struct vmmprof_item_hdr hdr;
	__u64 items; /* items before this one */
};

_Static_assert(sizeof(struct vmmprof_file_hdr) == 32, "on-disk size");
_Static_assert(sizeof(struct vmmprof_item_hdr) == 8, "on-disk size");
_Static_assert(sizeof(struct vmmprof_item_clock) == 32, "on-disk size");
_Static_assert(sizeof(struct vmmprof_item_end) == 16, "on-disk size");

#endif /* VMMPROF_FILE_H */
