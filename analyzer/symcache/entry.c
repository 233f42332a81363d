// SPDX-License-Identifier: GPL-2.0-only
/* One FILE item and one table of it, in a file of kind MAPS. */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "format/item_writer.h"
#include "symcache/entry.h"
#include "sym/unwind_table.h"

/* What both kinds of tables begin with. */
struct head {
	struct vmmprof_item_hdr hdr;
	__u32 file;
};

_Static_assert(offsetof(struct vmmprof_maps_symtab, file) ==
		       offsetof(struct head, file),
	       "head");
_Static_assert(offsetof(struct vmmprof_maps_unwind, file) ==
		       offsetof(struct head, file),
	       "head");

const struct vmmprof_item_hdr *symcache_entry_table(const struct bundle_file *f,
						    uint32_t kind)
{
	if (kind == SYMCACHE_UNWIND)
		return f->unwind ? &f->unwind->hdr : NULL;
	return f->symtab ? &f->symtab->hdr : NULL;
}

/* bundle_init() has checked symbol tables, but not what is in these. */
static int check_unwind(const struct vmmprof_maps_unwind *u)
{
	struct unwind_table t;
	const void *data;
	size_t size;
	int ret;

	data = unwind_item_table(u, &size);
	ret = unwind_table_decode(data, size, &t);
	if (!ret)
		unwind_table_free(&t);
	return !ret || ret == -ENOMEM ? ret : -EBADMSG;
}

static int check_entry(const struct bundle *b, const struct symcache_key *key)
{
	const struct bundle_file *f = b->files;

	if (!b->complete || b->bad || b->nr_files != 1 ||
	    !symcache_entry_table(f, key->kind) ||
	    !(f->item->flags & VMMPROF_FILE_F_ROOT) ||
	    memcmp(f->item->build_id, key->build_id, 20))
		return -EBADMSG;
	return key->kind == SYMCACHE_UNWIND ? check_unwind(f->unwind) : 0;
}

int symcache_entry_read(int fd, const struct symcache_key *key,
			struct bundle *b)
{
	struct problems problems = { 0 };
	int ret = bundle_init(b, fd, "entry", &problems);

	problems_deinit(&problems);
	if (ret)
		return ret == -ENOMEM ? ret : -EBADMSG;
	ret = check_entry(b, key);
	if (ret)
		bundle_deinit(b);
	return ret;
}

int symcache_entry_write(int fd, const struct symcache_key *key,
			 uint8_t build_id_size,
			 const struct vmmprof_item_hdr *table)
{
	struct vmmprof_maps_file file = {
		.flags = VMMPROF_FILE_F_ROOT,
		.build_id_size = build_id_size,
	};
	const size_t after = offsetof(struct head, file) + sizeof(__u32);
	__u32 id = 0;
	const struct iovec parts[2] = {
		{ &id, sizeof(id) },
		{ (char *)table + after, table->size - after },
	};
	struct item_writer w;
	int own = dup(fd), ret;

	if (own < 0)
		return -errno;
	memcpy(file.build_id, key->build_id, 20);
	ret = item_writer_begin(&w, own, VMMPROF_FILE_MAPS);
	if (ret) {
		close(own);
		return ret;
	}
	item_put(&w, VMMPROF_MAPS_FILE, &file, sizeof(file), "", 1);
	item_putv(&w, table->type, parts, 2);
	return item_writer_close(&w, true);
}
