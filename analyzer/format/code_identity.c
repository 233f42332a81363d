// SPDX-License-Identifier: GPL-2.0-only
/* Files by build-id, and by device and inode where they have none. */

#include <errno.h>
#include <string.h>

#include <vmmprof/record.h>

#include "format/code_identity.h"

bool code_identity_init(struct code_identity *what, const struct bundle *b,
			const struct code_want *want)
{
	const struct bundle_file *bf;

	memset(what, 0, sizeof(*what));
	what->addr = want->addr;
	what->size = want->size;
	what->kernel = want->file == VMMPROF_NONE;
	if (what->kernel)
		return true;
	bf = bundle_find_file(b, want->file);
	if (!bf)
		return false;
	what->dev = bf->item->dev;
	what->ino = bf->item->ino;
	what->build_id_size = bf->item->build_id_size;
	memcpy(what->build_id, bf->item->build_id, what->build_id_size);
	return true;
}

/* How sure it is that this is its file: 0 not, 2 most. */
static int likeness(const struct vmmprof_maps_file *f,
		    const struct code_identity *what)
{
	bool there = f->ino && f->ino == what->ino && f->dev == what->dev;

	if (f->build_id_size != what->build_id_size ||
	    memcmp(f->build_id, what->build_id, f->build_id_size))
		return 0;
	return f->build_id_size ? 1 + there : there;
}

static bool find(const struct bundle *b, const struct code_identity *what,
		 __u32 *file)
{
	int best = 0, is;
	size_t i;

	*file = VMMPROF_NONE;
	if (what->kernel)
		return true;
	for (i = 0; i < b->nr_files; i++) {
		is = likeness(b->files[i].item, what);
		if (is <= best)
			continue;
		best = is;
		*file = b->files[i].item->id;
	}
	return best && *file != VMMPROF_NONE;
}

size_t code_identity_list(const struct bundle *b,
			  const struct code_identity *what, size_t nr,
			  char *list)
{
	struct code_list_buffer l = { .text = list };
	struct code_want want;
	size_t i;

	for (i = 0; i < nr; i++) {
		want.addr = what[i].addr;
		want.size = what[i].size;
		if (!want.size || want.addr + want.size <= want.addr ||
		    !find(b, &what[i], &want.file))
			continue;
		if (code_list_add(&l, &want) == -ENOSPC)
			break;
	}
	return l.len;
}
