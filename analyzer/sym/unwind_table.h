/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables that say for each address of code where the caller's registers are:
 * of a kernel (its ORC tables, sym/orc) or a file (its .eh_frame,
 * sym/eh_frame).  sym/unwind applies them.
 *
 * Rows are sorted by address; a row's rule holds up to the next row.  A stored
 * table is struct vmmprof_unwind, the rules, and the rows at 2 to 3 bytes each
 * (include/FORMAT.md).
 */
#ifndef SYM_UNWIND_TABLE_H
#define SYM_UNWIND_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include <vmmprof/maps.h>

#include "base/hash.h"

/* Larger tables are refused. */
#define UNWIND_ROWS_MAX	 (4u << 20)
#define UNWIND_RULES_MAX 65536u /* rows of further ones have no rule */

struct unwind_table {
	__u64 start; /* of the first row; link address, kernel: address */
	__u64 end;   /* exclusive; less than 4 GiB above start */
	__u32 nr_rows;
	__u32 nr_rules;
	__u32 *addrs; /* of the rows, from start, ascending; the first is 0 */
	__u16 *rules; /* of the rows */
	struct vmmprof_unwind_rule *rule; /* the most frequent one first */
};

/* A table that is being built; begins zeroed. */
struct unwind_builder {
	struct unwind_table table;
	struct hash known; /* hash of a rule to its number */
	__u64 last;	   /* address that was added last */
	size_t max_addrs, max_rules, max_rule;
};

/*
 * From @addr on @rule holds.  Addresses must not descend; of several rules of
 * one address the last one counts.  0; -EINVAL: descends; -EFBIG: too many
 * rows, or 4 GiB above the first one; -ENOMEM.
 */
int unwind_builder_add(struct unwind_builder *b, __u64 addr,
		       const struct vmmprof_unwind_rule *rule);

/*
 * The last row ends at @end.  Moves what was added to *ret; @b is zeroed again.
 * 0; -ENOENT: no rows; -EINVAL: @end is not above them; -EFBIG; -ENOMEM.
 */
int unwind_builder_end(struct unwind_builder *b, __u64 end,
		       struct unwind_table *ret);

/* Drops what was added. */
void unwind_builder_free(struct unwind_builder *b);

/* The rule of @addr, which belongs to the table; NULL: it has none. */
const struct vmmprof_unwind_rule *
unwind_table_find(const struct unwind_table *t, __u64 addr);

/* Its stored form: *data is to be freed.  0 or -ENOMEM. */
int unwind_table_encode(const struct unwind_table *t, void **data,
			size_t *size);

/*
 * Reads the stored form, which may be anybody's.  0, *ret to be released by
 * unwind_table_free(); -EBADMSG: damaged; -EFBIG: too large; -ENOMEM.
 */
int unwind_table_decode(const void *data, size_t size,
			struct unwind_table *ret);

void unwind_table_free(struct unwind_table *t);

#endif /* SYM_UNWIND_TABLE_H */
