// SPDX-License-Identifier: GPL-2.0-only
/* Writes what was read of a mapped file. */

#include <stdlib.h>
#include <string.h>

#include "os/map_items.h"

int map_items_symtab(struct item_writer *w, __u32 id, const struct elffile *elf)
{
	const struct vmmprof_maps_symtab st = {
		.file = id,
		.nr_segments = elf->nr_segments,
		.nr_symbols = elf->nr_symbols,
		.strings_size = elf->strings_size,
	};
	const struct iovec parts[] = {
		{ (void *)&st.file, sizeof(st) - sizeof(st.hdr) },
		{ elf->segments, elf->nr_segments * sizeof(*elf->segments) },
		{ elf->symbols, elf->nr_symbols * sizeof(*elf->symbols) },
		{ elf->strings, elf->strings_size },
	};

	return item_putv(w, VMMPROF_MAPS_SYMTAB, parts, 4);
}

int map_items_unwind(struct item_writer *w, __u32 id, const void *data,
		     size_t size)
{
	const __u32 head[2] = { id, 0 };
	const struct iovec parts[] = {
		{ (void *)head, sizeof(head) },
		{ (void *)data, size },
	};

	return item_putv(w, VMMPROF_MAPS_UNWIND, parts, 2);
}

int map_items_orc(struct item_writer *w, enum orc_layout layout,
		  const struct orc_raw *raw)
{
	struct unwind_table t;
	size_t size;
	void *data;
	int err = orc_table(layout, raw, &t);

	if (err)
		return err;
	err = unwind_table_encode(&t, &data, &size);
	unwind_table_free(&t);
	if (err)
		return err;
	err = map_items_unwind(w, VMMPROF_NONE, data, size);
	free(data);
	return err;
}

__u32 map_items_path(char *path)
{
	static const char mark[] = " (deleted)";
	size_t len = strlen(path);
	__u32 flags = 0;

	if (len > sizeof(mark) &&
	    !strcmp(path + len + 1 - sizeof(mark), mark)) {
		path[len + 1 - sizeof(mark)] = '\0';
		flags |= VMMPROF_FILE_F_DELETED;
	}
	if (!strncmp(path, "/memfd:", 7) || path[0] != '/')
		flags |= VMMPROF_FILE_F_PSEUDO;
	return flags;
}
