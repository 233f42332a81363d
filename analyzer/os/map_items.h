/* SPDX-License-Identifier: GPL-2.0-only */
/* Items of a mapped file: its path, its symbols, its unwind table. */
#ifndef OS_MAP_ITEMS_H
#define OS_MAP_ITEMS_H

#include "format/item_writer.h"
#include "sym/elf.h"
#include "sym/orc.h"

/* SYMTAB of file @id.  0 or -errno of the writer. */
int map_items_symtab(struct item_writer *w, __u32 id,
		     const struct elffile *elf);

/* UNWIND of file @id; @data: a stored table (sym/unwind_table).  As above. */
int map_items_unwind(struct item_writer *w, __u32 id, const void *data,
		     size_t size);

/*
 * The same of a kernel's code, by its own tables.  Also what orc_table() says, and
 * -ENOMEM: there is no item then.
 */
int map_items_orc(struct item_writer *w, enum orc_layout layout,
		  const struct orc_raw *raw);

/*
 * Takes the " (deleted)" off that /proc/PID/maps adds to a path.  The flags of
 * its FILE item that the path tells: VMMPROF_FILE_F_DELETED, _PSEUDO.
 */
__u32 map_items_path(char *path);

#endif /* OS_MAP_ITEMS_H */
