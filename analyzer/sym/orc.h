/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A kernel's ORC tables (.orc_unwind_ip and .orc_unwind; in memory between
 * __start_orc_unwind_ip and __stop_orc_unwind and so on) to rows.
 */
#ifndef SYM_ORC_H
#define SYM_ORC_H

#include "sym/unwind_table.h"

#define ORC_ENTRY 6 /* bytes of struct orc_entry */

/*
 * How struct orc_entry is laid out and its registers are numbered: differs
 * between versions, and is nowhere written down in a running kernel.
 */
enum orc_layout {
	ORC_UNKNOWN = 0,
	ORC_END,    /* up to 6.2: type:2, end:1 */
	ORC_SIGNAL, /* 6.3: type:2, signal:1, end:1 */
	ORC_TYPES,  /* from 6.4 on: type:3, signal:1; types of other numbers */
	ORC_REGS,   /* 7.x: the same with registers of other numbers */
};

/*
 * By what most code does: it is called, and its caller's stack pointer is some
 * bytes above its own.  The tables of modules have too little for that: take
 * the kernel's.
 */
enum orc_layout orc_find_layout(const void *entries, size_t nr);

/* Tables as they lie in a kernel's memory, copied. */
struct orc_raw {
	/* @nr offsets of 32 bits, each from its own address: the first's is ips_addr */
	void *ips;
	__u64 ips_addr;
	void *entries;
	size_t nr;
	/*
	 * Of this code alone, @to exclusive.  A module's tables go on to have rules for
	 * its .init.text, whose memory is others' when it has begun.
	 */
	__u64 from, to;
};

/*
 * Room for copies of @nr entries, of all code; deinit is due after 0.  0 or -ENOMEM.
 */
int orc_raw_init(struct orc_raw *raw, __u64 ips_addr, size_t nr);
void orc_raw_deinit(struct orc_raw *raw);

/*
 * Rules of entries that are sorted by address, as the kernel has them.  0, *ret to be
 * released by unwind_table_free(); -EBADMSG: not sorted; -ENOENT: none of that code;
 * -EINVAL: @layout is ORC_UNKNOWN; -EFBIG; -ENOMEM.
 */
int orc_table(enum orc_layout layout, const struct orc_raw *raw,
	      struct unwind_table *ret);

#endif /* SYM_ORC_H */
