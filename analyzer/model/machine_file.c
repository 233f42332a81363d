// SPDX-License-Identifier: GPL-2.0-only
/* Names and functions of a machine's files, whose symbols are read at their first use. */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/machine_file.h"

int machine_add_name(struct strings *strings, const char *s, __u32 *ret)
{
	return strings_add(strings, s, strlen(s), ret);
}

int machine_add_symbol(struct machine *m, struct strings *strings,
		       const char *s, size_t max, __u32 *ret)
{
	__u64 key = (uintptr_t)s;
	int err;

	*ret = hash_get(&m->names, key);
	if (*ret != VMMPROF_NONE)
		return 0;
	err = strings_add(strings, s, max, ret);
	return err ? err : hash_set(&m->names, key, *ret);
}

int machine_file_name(struct strings *strings, const char *path, __u32 *ret)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(path), tail = sizeof(deleted) - 1;
	const char *slash;

	if (len > tail && !strcmp(path + len - tail, deleted))
		len -= tail;
	slash = memrchr(path, '/', len);
	if (slash && slash + 1 < path + len) {
		slash += slash[1] != '[';
		len -= slash - path;
		path = slash;
	}
	return strings_add(strings, path, len, ret);
}

/* Why a file has no symbol table, as far as its item says. */
static enum cause file_cause(const struct vmmprof_maps_file *item)
{
	if (item->flags & VMMPROF_FILE_F_UNREAD)
		return CAUSE_UNREADABLE;
	if (item->flags & VMMPROF_FILE_F_NO_SYMS)
		return CAUSE_NO_SYMBOLS;
	if (item->flags & VMMPROF_FILE_F_NOT_RESIDENT)
		return CAUSE_NOT_RESIDENT;
	if (item->flags & VMMPROF_FILE_F_CACHED)
		return CAUSE_CACHE_LOST;
	return CAUSE_NOT_COLLECTED;
}

/*
 * A file of the host is opened by its absolute path, as the recorder writes
 * it.  Files of a guest are never opened.
 */
bool machine_may_open(const struct machine *m, const struct bundle_file *bf)
{
	return m->host && !m->no_files && *bf->item->path == '/';
}

/* A file whose symbols are not in the bundle may be here. */
static int find_whole(struct machine *m, size_t i)
{
	struct machine_file *f = &m->files[i];
	int err;

	err = m->debug ? debug_names_get(m->debug, m->bundle.files[i].item,
					 !m->host, DEBUG_WHOLE, NULL,
					 &f->symbols) :
			 -ENOENT;
	if (!err)
		f->cause = CAUSE_NONE;
	return err == -ENOMEM ? err : 0;
}

/*
 * Symbols of a file, at its first use.  Only the host's own files may be read
 * from this machine, and only if they are still the same by build-id.
 */
static int file_ready(struct machine *m, size_t i, struct strings *strings)
{
	const struct bundle_file *bf = &m->bundle.files[i];
	struct machine_file *f = &m->files[i];
	int ret;

	if (f->ready)
		return 0;
	ret = machine_file_name(strings, bf->item->path, &f->module);
	if (ret)
		return ret;
	f->cause = file_cause(bf->item);
	f->gap = f->cause == CAUSE_NOT_RESIDENT ? f->cause : CAUSE_GAP;
	if (bf->symtab) {
		ret = symbols_init(&f->symbols, bf->symtab);
		if (ret)
			return ret;
		f->cause = f->symbols.nr_symbols ? CAUSE_NONE :
			   f->gap == CAUSE_GAP	 ? CAUSE_NO_SYMBOLS :
						   f->gap;
	} else if (machine_may_open(m, bf) && f->cause == CAUSE_NOT_COLLECTED) {
		ret = symbols_init_elf(&f->symbols, bf->item->path,
				       bf->item->build_id,
				       bf->item->build_id_size);
		if (!ret)
			f->cause = f->symbols.nr_symbols ? CAUSE_NONE :
							   CAUSE_NO_SYMBOLS;
		else if (ret == -EACCES)
			f->cause = CAUSE_UNREADABLE;
	}
	f->ready = true;
	return bf->symtab || !f->cause ? 0 : find_whole(m, i);
}

static __u64 min_u64(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

/* The symbols of a debug file, at their first use. */
static const struct symbols *debug_symbols(struct machine *m, size_t i)
{
	struct machine_file *f = &m->files[i];

	if (!f->names_tried && m->debug)
		debug_names_get(m->debug, m->bundle.files[i].item, !m->host,
				DEBUG_NAMES, &f->symbols, &f->names);
	f->names_tried = true;
	return &f->names;
}

/*
 * *same is narrowed to addresses of the same function.
 */
static const struct symbols *symbols_at(struct machine *m, size_t i, __u64 link,
					struct symbols_range *same)
{
	const struct symbols *own = &m->files[i].symbols, *debug;
	const char *name = symbols_find_range(own, link, same);
	__u64 start = link, end;

	if (name && *name)
		return own;
	*same = (struct symbols_range){ link, link + 1 };
	debug = debug_symbols(m, i);
	symbols_extent(own, link, &start, &end);
	return symbols_names(debug, link, start) ? debug : own;
}

const struct symbols *machine_symbols(struct machine *m, size_t i, __u64 link)
{
	struct symbols_range any = { 0, ~0ull };

	return symbols_at(m, i, link, &any);
}

/* A function of which only the bounds are known is called by where it begins. */
static int add_bounds(const struct machine_file *f, struct strings *strings,
		      __u64 link, __u32 *ret)
{
	char *name;
	int err;

	name = symbols_name(&f->symbols, strings_get(strings, f->module), link);
	err = name ? machine_add_name(strings, name, ret) : -ENOMEM;
	free(name);
	return err;
}

static struct function_slot *function_slot(const struct machine *m,
					   const struct machine_file *f,
					   __u64 offset)
{
	return m->functions ?
		       &m->functions[hash_recent(offset >> FUNCTION_LINE,
						 (uintptr_t)f, FUNCTION_BITS)] :
		       NULL;
}

/* The function of @p is at @below bytes before the offset and @above from it on. */
static void remember(struct function_slot *slot, const struct machine_file *f,
		     __u64 offset, __u64 below, __u64 above,
		     const struct symbol_ref *p)
{
	const __u64 in_line = offset & ((1 << FUNCTION_LINE) - 1);

	below = min_u64(below, in_line);
	above = min_u64(above, (1 << FUNCTION_LINE) - in_line);
	slot->file = f;
	slot->offset = offset - below;
	slot->link = p->link - below;
	slot->size = below + above;
	slot->func = p->func;
	slot->module = p->module;
}

static bool remembered(const struct function_slot *slot,
		       const struct machine_file *f, __u64 offset,
		       struct symbol_ref *p, struct symbols_range *same)
{
	const __u64 below = offset - slot->offset;

	if (slot->file != f || below >= slot->size)
		return false;
	p->cause = CAUSE_NONE;
	p->link = slot->link + below;
	p->func = slot->func;
	p->module = slot->module;
	same->from -= below;
	same->to += slot->size - below - 1;
	return true;
}

/* The name at an offset; NULL: there is none. */
static const char *name_at(struct machine *m, size_t i, __u64 offset,
			   __u64 *link, __u64 *below, __u64 *above)
{
	struct symbols_range offsets = { 0, ~0ull }, links = { 0, ~0ull };
	const char *name;

	if (!symbols_link_range(&m->files[i].symbols, offset, link, &offsets))
		return NULL;
	name = symbols_find(symbols_at(m, i, *link, &links), *link);
	/* of both, as far below and above */
	*below = min_u64(offset - offsets.from, *link - links.from);
	*above = min_u64(offsets.to - offset, links.to - *link);
	return name;
}

void machine_function_in_file(struct machine *m, size_t i, __u64 offset,
			      __u64 *below, __u64 *above)
{
	__u64 link;

	*below = 0;
	*above = 1;
	name_at(m, i, offset, &link, below, above);
}

int machine_find_in_file(struct machine *m, struct strings *strings, size_t i,
			 __u64 offset, struct symbol_ref *p,
			 struct symbols_range *same)
{
	struct machine_file *f = &m->files[i];
	struct function_slot *slot = function_slot(m, f, offset);
	__u64 below, above;
	const char *name;
	int err;

	if (slot && remembered(slot, f, offset, p, same))
		return 0;
	err = file_ready(m, i, strings);
	if (err)
		return err;
	p->module = f->module;
	p->cause = f->cause ?: f->gap;
	p->link = offset;
	name = name_at(m, i, offset, &p->link, &below, &above);
	if (!name)
		return 0;
	p->cause = CAUSE_NONE;
	same->from -= below;
	same->to += above - 1;
	err = *name ? machine_add_symbol(m, strings, name, SIZE_MAX, &p->func) :
		      add_bounds(f, strings, p->link, &p->func);
	if (!err && slot)
		remember(slot, f, offset, below, above, p);
	return err;
}
