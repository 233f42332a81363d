// SPDX-License-Identifier: GPL-2.0-only
/* Decodes the unwind tables of a bundle and finds rules in them. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "model/unwind_tables.h"

/* Tables of other modules that are looked through for an address. */
#define BETWEEN 8

int unwind_tables_init(struct unwind_tables *t, const struct bundle *b)
{
	memset(t, 0, sizeof(*t));
	t->kernel = calloc(b->nr_unwinds + 1, sizeof(*t->kernel));
	t->files = calloc(b->nr_files + 1, sizeof(*t->files));
	if (!t->kernel || !t->files) {
		unwind_tables_deinit(t);
		return -ENOMEM;
	}
	t->nr_kernel = b->nr_unwinds;
	t->nr_files = b->nr_files;
	return 0;
}

void unwind_tables_deinit(struct unwind_tables *t)
{
	size_t i;

	for (i = 0; i < t->nr_kernel; i++)
		unwind_table_free(&t->kernel[i].table);
	for (i = 0; i < t->nr_files; i++)
		unwind_table_free(&t->files[i].table);
	free(t->kernel);
	free(t->files);
	memset(t, 0, sizeof(*t));
}

static const struct vmmprof_unwind_rule *
find(struct unwind_tables *t, struct unwind_lazy *lazy,
     const struct vmmprof_maps_unwind *item, __u64 addr)
{
	const void *data;
	size_t size;

	if (!lazy->tried) {
		lazy->tried = true;
		data = unwind_item_table(item, &size);
		t->damaged += !!unwind_table_decode(data, size, &lazy->table);
	}
	return unwind_table_find(&lazy->table, addr);
}

const struct vmmprof_unwind_rule *unwind_tables_find(struct unwind_tables *t,
						     const struct bundle *b,
						     __u32 file, __u64 link)
{
	size_t lo = 0, hi = t->nr_kernel, mid;
	const struct vmmprof_unwind_rule *r = NULL;
	const struct bundle_file *f;

	if (file != VMMPROF_NONE) {
		f = bundle_find_file(b, file);
		return f && f->unwind ? find(t, &t->files[f - b->files],
					     f->unwind, link) :
					NULL;
	}
	/*
	 * the last one that begins at or below it; of a module part of the code
	 * may be elsewhere, with others between
	 */
	BISECT(lo, hi, mid, b->unwinds[mid]->unwind.start <= link);
	for (hi = lo; hi && lo - hi < BETWEEN && !r; hi--)
		r = find(t, &t->kernel[hi - 1], b->unwinds[hi - 1], link);
	return r;
}
