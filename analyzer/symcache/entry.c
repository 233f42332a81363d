// SPDX-License-Identifier: GPL-2.0-only
/* One FILE item and its SYMTAB, in a file of kind MAPS. */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "format/item_writer.h"
#include "symcache/entry.h"

static bool entry_ok(const struct vmmprof_bundle *b, const uint8_t *build_id)
{
	return b->complete && !b->bad && b->nr_files == 1 &&
	       b->files[0].symtab &&
	       b->files[0].item->flags & VMMPROF_FILE_F_ROOT &&
	       !memcmp(b->files[0].item->build_id, build_id, 20);
}

int vmmprof_symentry_read(int fd, const uint8_t build_id[20],
			  struct vmmprof_bundle *b)
{
	struct vmmprof_problems problems = { 0 };
	int ret = vmmprof_bundle_init(b, fd, "entry", &problems);

	vmmprof_problems_deinit(&problems);
	if (ret)
		return ret == -ENOMEM ? ret : -EBADMSG;
	if (entry_ok(b, build_id))
		return 0;
	vmmprof_bundle_deinit(b);
	return -EBADMSG;
}

int vmmprof_symentry_write(int fd, const uint8_t build_id[20],
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
	struct vmmprof_itemwriter w;
	int own = dup(fd), ret;

	if (own < 0)
		return -errno;
	head.file = 0;
	memcpy(file.build_id, build_id, 20);
	ret = vmmprof_itemwriter_begin(&w, own, VMMPROF_FILE_MAPS);
	if (ret) {
		close(own);
		return ret;
	}
	vmmprof_item_put(&w, VMMPROF_MAPS_FILE, &file, sizeof(file), "", 1);
	vmmprof_item_putv(&w, VMMPROF_MAPS_SYMTAB, parts, 2);
	return vmmprof_itemwriter_close(&w, true);
}
