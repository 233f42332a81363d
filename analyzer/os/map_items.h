/* SPDX-License-Identifier: GPL-2.0-only */
/* Items of a mapped file: its symbols, its unwind table. */
#ifndef OS_MAP_ITEMS_H
#define OS_MAP_ITEMS_H

#include "format/item_writer.h"
#include "sym/elf.h"

/* SYMTAB of file @id.  0 or -errno of the writer. */
int map_items_symtab(struct item_writer *w, __u32 id,
		     const struct elffile *elf);

/* UNWIND of file @id; @data: a stored table (sym/unwind_table).  As above. */
int map_items_unwind(struct item_writer *w, __u32 id, const void *data,
		     size_t size);

#endif /* OS_MAP_ITEMS_H */
