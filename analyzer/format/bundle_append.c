// SPDX-License-Identifier: GPL-2.0-only
/* Appends items to a bundle: over its END item, which is then written again. */

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include "format/bundle_append.h"

void bundle_append_find(struct bundle_append *t, const struct items *items,
			int fd)
{
	const struct vmmprof_item_hdr *item;
	struct items it = *items;
	size_t at;

	*t = (struct bundle_append){ .fd = fd };
	it.pos = ((const struct vmmprof_file_hdr *)it.buf)->hdr_size;
	it.nr = 0;
	it.ended = false;
	it.cut = false;
	for (at = it.pos; items_next(&it, &item); at = it.pos) {
		if (item->type == VMMPROF_ITEM_END) {
			t->ended = true;
			break;
		}
		t->items++;
	}
	/* the padding of the last item may be missing */
	t->at = (at + 7) & ~7ull;
}

int bundle_append_put(struct bundle_append *t, const void *head, size_t size,
		      const void *rest)
{
	const struct vmmprof_item_hdr *hdr = head;
	const struct iovec parts[2] = {
		{ (void *)head, size },
		{ (void *)rest, hdr->size - size },
	};
	ssize_t n = pwritev(t->fd, parts, 2, t->at);

	if (n != (ssize_t)hdr->size)
		return n < 0 ? -errno : -ENOSPC;
	t->at += (hdr->size + 7ull) & ~7ull;
	t->items++;
	return 0;
}

int bundle_append_end(struct bundle_append *t)
{
	const struct vmmprof_item_end end = {
		.hdr = { VMMPROF_ITEM_END, sizeof(end) },
		.items = t->items,
	};

	if (t->ended) {
		if (pwrite(t->fd, &end, sizeof(end), t->at) != sizeof(end))
			return errno ? -errno : -EIO;
		t->at += sizeof(end);
	}
	return ftruncate(t->fd, t->at) ? -errno : 0;
}
