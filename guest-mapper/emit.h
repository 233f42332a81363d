/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bundle being written: address spaces by key, and limitations, which are
 * both written into the bundle and printed for the user.
 */
#ifndef VMMPROF_EMIT_H
#define VMMPROF_EMIT_H

#include <stdbool.h>
#include <vmmprof/maps.h>

#include "birth_event.h"
#include "format/item_writer.h"

/* The kernel's arithmetic between page tables and CR3 (kernel.h finds it). */
struct cr3_rule {
	__u64 page_offset; /* of the direct map; 0: not known */
	__u64 phys_mask;   /* key = CR3 & phys_mask */
	__u64 init_key;	   /* of the kernel's own page table; 0: not known */
	bool pti;
	bool la57;
};

struct emit {
	struct item_writer w;
	struct cr3_rule rule;
	void (*say)(const char *text); /* prints a line for the user */
};

/*
 * An MM item for the page table at the kernel address @ev->pgd.  -ERANGE if
 * that is no address of the direct map.
 */
int emit_mm(struct emit *e, const struct birth_event *ev);

/* A TASK item for the kernel stack at @ev->stack.  0 or -errno. */
int emit_task(struct emit *e, const struct birth_event *ev);

/*
 * The items of a snapshot of @n tasks: a TASK for each task that has a stack,
 * and an MM for each page table.  Its owner is the process with the lowest pid
 * (a vfork child shares its parent's page table).  Sorts @evs.  Returns the
 * number of MM items or -errno.
 */
int emit_snapshot(struct emit *e, struct birth_event *evs, size_t n);

/* A LOST item for @count events of address spaces; none if @count is 0. */
int emit_lost_mms(struct emit *e, __u64 count);

/* A NOTE item and a line: what the bundle lacks, why, and what to do. */
void emit_limit(struct emit *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* VMMPROF_EMIT_H */
