// SPDX-License-Identifier: GPL-2.0-only
/* One FILE item and its SYMTAB, in a file of kind MAPS. */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "format/item_writer.h"
#include "symcache/entry.h"

static bool entry_ok(const struct bundle *b, const uint8_t *build_id)
{
	return b->complete && !b->bad && b->nr_files == 1 &&
	       b->files[0].symtab &&
	       b->files[0].item->flags & VMMPROF_FILE_F_ROOT &&
	       !memcmp(b->files[0].item->build_id, build_id, 20);
}

int symcache_entry_read(int fd, const uint8_t build_id[20], struct bundle *b)
{
	struct problems problems = { 0 };
	int ret = bundle_init(b, fd, "entry", &problems);

	problems_deinit(&problems);
	if (ret)
		return ret == -ENOMEM ? ret : -EBADMSG;
	if (entry_ok(b, build_id))
		return 0;
	bundle_deinit(b);
	return -EBADMSG;
}

int symcache_entry_write(int fd, const uint8_t build_id[20],
			 uint8_t build_id_size,
			 const struct vmmprof_maps_symtab *t)
{
	struct vmmprof_maps_file file = {
		.flags = VMMPROF_FILE_F_ROOT,
		.build_id_size = build_id_size,
	};
	struct vmmprof_maps_symtab head = *t;
	const struct iovec parts[2] = {
		{ (char *)&head + sizeof(head.hdr),
		  sizeof(head) - sizeof(head.hdr) },
		{ (void *)(t + 1), t->hdr.size - sizeof(*t) },
	};
	struct item_writer w;
	int own = dup(fd), ret;

	if (own < 0)
		return -errno;
	head.file = 0;
	memcpy(file.build_id, build_id, 20);
	ret = item_writer_begin(&w, own, VMMPROF_FILE_MAPS);
	if (ret) {
		close(own);
		return ret;
	}
	item_put(&w, VMMPROF_MAPS_FILE, &file, sizeof(file), "", 1);
	item_putv(&w, VMMPROF_MAPS_SYMTAB, parts, 2);
	return item_writer_close(&w, true);
}
