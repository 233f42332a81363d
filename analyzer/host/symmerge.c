// SPDX-License-Identifier: GPL-2.0-only
/* Symbol tables from the cache into a bundle, and the other way. */

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "symentry.h"
#include "symmerge.h"

/* What else there is beside a table: headers and an END. */
#define BLOCK 4096

/* Where the items of the bundle end: before its END, or where it is cut. */
struct tail {
	int fd;
	off_t at;
	uint64_t items; /* before it */
	bool ended;
};

static void find_tail(const struct vmmprof_bundle *b, struct tail *t)
{
	const struct vmmprof_item_hdr *item;
	struct vmmprof_items it = b->items;
	size_t at;

	it.pos = ((const struct vmmprof_file_hdr *)it.buf)->hdr_size;
	it.nr = 0;
	it.ended = false;
	it.cut = false;
	for (at = it.pos; vmmprof_items_next(&it, &item); at = it.pos) {
		if (item->type == VMMPROF_ITEM_END) {
			t->ended = true;
			break;
		}
		t->items++;
	}
	/* the padding of the last item may be missing */
	t->at = (at + 7) & ~7ull;
}

static int put(struct tail *t, const void *item, size_t size)
{
	if (pwrite(t->fd, item, size, t->at) != (ssize_t)size)
		return errno ? -errno : -EIO;
	t->at += (size + 7) & ~7ull;
	return 0;
}

/* The entry's symbol table as one of file @id. */
static int put_symtab(struct tail *t, const struct vmmprof_bundle *entry,
		      __u32 id)
{
	const struct vmmprof_maps_symtab *from = entry->files[0].symtab;
	struct vmmprof_maps_symtab head = *from;
	size_t size = from->hdr.size - sizeof(head);
	const struct iovec parts[2] = {
		{ &head, sizeof(head) },
		{ (void *)(from + 1), size },
	};
	ssize_t n;

	head.file = id;
	n = pwritev(t->fd, parts, 2, t->at);
	if (n != (ssize_t)from->hdr.size)
		return n < 0 ? -errno : -ENOSPC;
	t->at += (from->hdr.size + 7ull) & ~7ull;
	t->items++;
	return 0;
}

static int put_end(struct tail *t)
{
	const struct vmmprof_item_end end = {
		.hdr = { VMMPROF_ITEM_END, sizeof(end) },
		.items = t->items,
	};
	int ret = t->ended ? put(t, &end, sizeof(end)) : 0;

	return ret ? ret : ftruncate(t->fd, t->at) ? -errno : 0;
}

/* The cache's entry of a build-id.  0: *b is to be released. */
static int get_entry(const struct vmmprof_symdesk *d, const uint8_t *build_id,
		     struct vmmprof_bundle *b)
{
	int ret = vmmprof_symdesk_get(d, build_id);

	if (ret)
		return ret;
	ret = vmmprof_symentry_read(d->from, build_id, b);
	if (ret == -EBADMSG)
		vmmprof_symdesk_drop(d, build_id);
	return ret;
}

static int merge_file(const struct vmmprof_symdesk *d,
		      const struct vmmprof_bundle_file *f, struct tail *t,
		      struct vmmprof_symmerge_stat *stat)
{
	struct vmmprof_bundle entry;
	uint64_t size;
	int ret = 0;

	if (stat->cached >= VMMPROF_SYMDESK_FILES ||
	    get_entry(d, f->item->build_id, &entry)) {
		stat->lost++;
		return 0;
	}
	size = entry.files[0].symtab->hdr.size;
	if (stat->bytes + size > VMMPROF_SYMCACHE_GUEST_MAX ||
	    t->at + size > VMMPROF_ITEMS_MAX_FILE - BLOCK) {
		stat->lost++;
	} else {
		ret = put_symtab(t, &entry, f->item->id);
		stat->bytes += size;
		stat->cached++;
	}
	vmmprof_bundle_deinit(&entry);
	return ret;
}

/* False: the cache takes no more of this bundle. */
static bool store_file(const struct vmmprof_symdesk *d,
		       const struct vmmprof_bundle_file *f,
		       struct vmmprof_symmerge_stat *stat)
{
	int ret;

	if (f->symtab->hdr.size > VMMPROF_SYMCACHE_ENTRY_MAX - BLOCK)
		return true;
	if (stat->stored >= VMMPROF_SYMDESK_FILES || lseek(d->to, 0, SEEK_SET))
		return false;
	ret = vmmprof_symentry_write(d->to, f->item->build_id,
				     f->item->build_id_size, f->symtab);
	if (!ret)
		ret = vmmprof_symdesk_put(d, f->item->build_id,
					  lseek(d->to, 0, SEEK_CUR));
	stat->stored += !ret;
	return !ret;
}

/* Shorter build-ids end with zeros, whatever the guest wrote there. */
static bool padded(const struct vmmprof_maps_file *f)
{
	int i;

	for (i = f->build_id_size; i < 20; i++)
		if (f->build_id[i])
			return false;
	return f->build_id_size;
}

int vmmprof_symmerge(const struct vmmprof_symdesk *d,
		     const struct vmmprof_bundle *b, int fd,
		     struct vmmprof_symmerge_stat *stat)
{
	struct tail tail = { .fd = fd };
	bool store = true;
	size_t i;
	int ret = 0;

	memset(stat, 0, sizeof(*stat));
	find_tail(b, &tail);
	for (i = 0; i < b->nr_files && !ret; i++) {
		const struct vmmprof_bundle_file *f = &b->files[i];

		if (!padded(f->item))
			continue;
		if (f->symtab)
			store = store && store_file(d, f, stat);
		else if (f->item->flags & VMMPROF_FILE_F_CACHED)
			ret = merge_file(d, f, &tail, stat);
	}
	if (stat->cached) {
		int end = put_end(&tail);

		ret = ret ? ret : end;
	}
	return ret;
}
