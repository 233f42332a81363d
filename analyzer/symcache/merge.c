// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies tables of files from the cache into a bundle, and from it to the cache.
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "format/bundle_append.h"
#include "symcache/entry.h"
#include "symcache/merge.h"

/* Bytes of a cache file beside its table: headers and an END. */
#define BLOCK 4096

/* Writes the entry's table as that of file @id. */
static int put_table(struct bundle_append *t,
		     const struct vmmprof_item_hdr *table, uint32_t id)
{
	struct {
		struct vmmprof_item_hdr hdr;
		uint32_t file;
	} head = { *table, id };

	return bundle_append_put(t, &head, sizeof(head),
				 (const char *)table + sizeof(head));
}

/* Reads an entry of the cache.  0: *b is to be released. */
static int get_entry(const struct symcache_broker *d,
		     const struct symcache_key *key, struct bundle *b)
{
	int ret = symcache_broker_get(d, key);

	if (ret)
		return ret;
	ret = symcache_entry_read(d->from, key, b);
	if (ret == -EBADMSG)
		symcache_broker_drop(d, key);
	return ret;
}

static int merge_file(const struct symcache_broker *d,
		      const struct bundle_file *f,
		      const struct symcache_key *key, struct bundle_append *t,
		      struct symcache_merge_stat *stat)
{
	struct symcache_merge_count *of = &stat->of[key->kind];
	const struct vmmprof_item_hdr *table;
	struct bundle entry;
	uint64_t size;
	int ret = 0;

	if (of->cached >= SYMCACHE_BROKER_FILES || get_entry(d, key, &entry)) {
		of->lost++;
		return 0;
	}
	table = symcache_entry_table(&entry.files[0], key->kind);
	size = table->size;
	if (stat->bytes + size > SYMCACHE_GUEST_MAX ||
	    t->at + size > ITEMS_MAX_FILE - BLOCK) {
		of->lost++;
	} else {
		ret = put_table(t, table, f->item->id);
		stat->bytes += size;
		of->cached++;
	}
	bundle_deinit(&entry);
	return ret;
}

/* Puts a table into the cache.  False: it takes no more of this bundle. */
static bool store_table(const struct symcache_broker *d,
			const struct vmmprof_maps_file *f,
			const struct symcache_key *key,
			const struct vmmprof_item_hdr *table,
			struct symcache_merge_stat *stat)
{
	uint32_t *stored = &stat->of[key->kind].stored;
	int ret;

	if (table->size > SYMCACHE_ENTRY_MAX - BLOCK)
		return true;
	if (*stored >= SYMCACHE_BROKER_FILES || lseek(d->to, 0, SEEK_SET))
		return false;
	ret = symcache_entry_write(d->to, key, f->build_id_size, table);
	if (!ret)
		ret = symcache_broker_put(d, key, lseek(d->to, 0, SEEK_CUR));
	*stored += !ret;
	return !ret;
}

/*
 * Is there a build-id, and is a shorter one padded with zeros, whatever the guest
 * wrote there?
 */
static bool padded(const struct vmmprof_maps_file *f)
{
	static const uint8_t none[20];
	int i;

	for (i = f->build_id_size; i < 20; i++)
		if (f->build_id[i])
			return false;
	return f->build_id_size && memcmp(f->build_id, none, 20);
}

/* One kind of a file's tables. */
static int merge_kind(const struct symcache_broker *d,
		      const struct bundle_file *f, uint32_t kind,
		      struct bundle_append *tail,
		      struct symcache_merge_stat *stat, bool *store)
{
	static const uint32_t flags[SYMCACHE_KINDS] = {
		[SYMCACHE_SYMBOLS] = VMMPROF_FILE_F_CACHED,
		[SYMCACHE_UNWIND] = VMMPROF_FILE_F_UNWIND_CACHED,
	};
	const struct vmmprof_item_hdr *table = symcache_entry_table(f, kind);
	struct symcache_key key = { .kind = kind };

	memcpy(key.build_id, f->item->build_id, 20);
	if (table)
		*store = *store && store_table(d, f->item, &key, table, stat);
	else if (f->item->flags & flags[kind])
		return merge_file(d, f, &key, tail, stat);
	return 0;
}

int symcache_merge(const struct symcache_broker *d, const struct bundle *b,
		   int fd, struct symcache_merge_stat *stat)
{
	struct bundle_append tail;
	bool store = true;
	uint32_t kind;
	size_t i;
	int ret = 0;

	memset(stat, 0, sizeof(*stat));
	bundle_append_find(&tail, &b->items, fd);
	for (i = 0; i < b->nr_files && !ret; i++) {
		const struct bundle_file *f = &b->files[i];

		/* else a user's file could give names to a file of root's */
		if (!padded(f->item) || !(f->item->flags & VMMPROF_FILE_F_ROOT))
			continue;
		for (kind = 0; kind < SYMCACHE_KINDS && !ret; kind++)
			ret = merge_kind(d, f, kind, &tail, stat, &store);
	}
	if (stat->bytes) {
		int end = bundle_append_end(&tail);

		ret = ret ? ret : end;
	}
	return ret;
}
