// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies symbol tables from the cache into a bundle, and from it to the cache.
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "format/bundle_append.h"
#include "symcache/entry.h"
#include "symcache/merge.h"

/* Bytes of a cache file beside its table: headers and an END. */
#define BLOCK 4096

/* Writes the entry's symbol table as that of file @id. */
static int put_symtab(struct bundle_append *t, const struct bundle *entry,
		      uint32_t id)
{
	const struct vmmprof_maps_symtab *from = entry->files[0].symtab;
	struct vmmprof_maps_symtab head = *from;

	head.file = id;
	return bundle_append_put(t, &head, sizeof(head), from + 1);
}

/* Reads the cache's entry of a build-id.  0: *b is to be released. */
static int get_entry(const struct symcache_broker *d, const uint8_t *build_id,
		     struct bundle *b)
{
	int ret = symcache_broker_get(d, build_id);

	if (ret)
		return ret;
	ret = symcache_entry_read(d->from, build_id, b);
	if (ret == -EBADMSG)
		symcache_broker_drop(d, build_id);
	return ret;
}

static int merge_file(const struct symcache_broker *d,
		      const struct bundle_file *f, struct bundle_append *t,
		      struct symcache_merge_stat *stat)
{
	struct bundle entry;
	uint64_t size;
	int ret = 0;

	if (stat->cached >= SYMCACHE_BROKER_FILES ||
	    get_entry(d, f->item->build_id, &entry)) {
		stat->lost++;
		return 0;
	}
	size = entry.files[0].symtab->hdr.size;
	if (stat->bytes + size > SYMCACHE_GUEST_MAX ||
	    t->at + size > ITEMS_MAX_FILE - BLOCK) {
		stat->lost++;
	} else {
		ret = put_symtab(t, &entry, f->item->id);
		stat->bytes += size;
		stat->cached++;
	}
	bundle_deinit(&entry);
	return ret;
}

/* Puts a table into the cache.  False: it takes no more of this bundle. */
static bool store_file(const struct symcache_broker *d,
		       const struct bundle_file *f,
		       struct symcache_merge_stat *stat)
{
	int ret;

	if (f->symtab->hdr.size > SYMCACHE_ENTRY_MAX - BLOCK)
		return true;
	if (stat->stored >= SYMCACHE_BROKER_FILES || lseek(d->to, 0, SEEK_SET))
		return false;
	ret = symcache_entry_write(d->to, f->item->build_id,
				   f->item->build_id_size, f->symtab);
	if (!ret)
		ret = symcache_broker_put(d, f->item->build_id,
					  lseek(d->to, 0, SEEK_CUR));
	stat->stored += !ret;
	return !ret;
}

/* Pads a shorter build-id with zeros, whatever the guest wrote there. */
static bool padded(const struct vmmprof_maps_file *f)
{
	int i;

	for (i = f->build_id_size; i < 20; i++)
		if (f->build_id[i])
			return false;
	return f->build_id_size;
}

int symcache_merge(const struct symcache_broker *d, const struct bundle *b,
		   int fd, struct symcache_merge_stat *stat)
{
	struct bundle_append tail;
	bool store = true;
	size_t i;
	int ret = 0;

	memset(stat, 0, sizeof(*stat));
	bundle_append_find(&tail, &b->items, fd);
	for (i = 0; i < b->nr_files && !ret; i++) {
		const struct bundle_file *f = &b->files[i];

		/* else a user's file could give names to a file of root's */
		if (!padded(f->item) || !(f->item->flags & VMMPROF_FILE_F_ROOT))
			continue;
		if (f->symtab)
			store = store && store_file(d, f, stat);
		else if (f->item->flags & VMMPROF_FILE_F_CACHED)
			ret = merge_file(d, f, &tail, stat);
	}
	if (stat->cached) {
		int end = bundle_append_end(&tail);

		ret = ret ? ret : end;
	}
	return ret;
}
