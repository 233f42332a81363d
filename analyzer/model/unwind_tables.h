/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The unwind tables of a bundle: of its kernel and of its files, each decoded
 * when it is first needed.
 */
#ifndef MODEL_UNWIND_TABLES_H
#define MODEL_UNWIND_TABLES_H

#include <stdbool.h>

#include "format/bundle.h"
#include "sym/unwind_table.h"

struct unwind_tables {
	struct unwind_lazy {
		struct unwind_table table;
		bool tried;
	} * kernel, *files; /* as bundle.unwinds and bundle.files */
	size_t nr_kernel, nr_files;
	__u32 damaged; /* tables that could not be decoded */
};

/* @b, the same in all calls, must outlive it.  0 or -ENOMEM. */
int unwind_tables_init(struct unwind_tables *t, const struct bundle *b);
void unwind_tables_deinit(struct unwind_tables *t);

/* As machine_unwind() of model/machine.h. */
const struct vmmprof_unwind_rule *unwind_tables_find(struct unwind_tables *t,
						     const struct bundle *b,
						     __u32 file, __u64 link);

#endif /* MODEL_UNWIND_TABLES_H */
