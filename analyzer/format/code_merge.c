// SPDX-License-Identifier: GPL-2.0-only
/* Appends CODE items to a bundle. */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "format/bundle_append.h"
#include "format/code_merge.h"
#include "format/bundle.h"

/* What else there is beside an item: its padding and an END. */
#define SPARE 64

/* As far as the bounds go. */
static int append(const struct vmmprof_bundle *code,
		  struct vmmprof_bundletail *t,
		  struct vmmprof_codemerge_stat *stat)
{
	const struct vmmprof_maps_code *c;
	uint32_t size;
	size_t i;
	int ret = 0;

	for (i = 0; i < code->nr_codes && !ret; i++) {
		c = code->codes[i];
		size = c->hdr.size - sizeof(*c);
		if (stat->ranges == VMMPROF_CODE_RANGES ||
		    stat->bytes + size > VMMPROF_CODE_TOTAL ||
		    t->at + c->hdr.size + SPARE > (off_t)VMMPROF_ITEMS_MAX_FILE)
			break;
		ret = vmmprof_bundletail_put(t, c, sizeof(*c), c->code);
		stat->ranges += !ret;
		stat->bytes += ret ? 0 : size;
	}
	return ret;
}

static int append_all(int fd, const struct vmmprof_bundle *code,
		      struct vmmprof_codemerge_stat *stat)
{
	struct vmmprof_bundletail tail;
	struct vmmprof_items items;
	int ret, end;

	if (!code->nr_codes)
		return 0;
	if (lseek(fd, 0, SEEK_SET))
		return -errno;
	ret = vmmprof_items_init(&items, fd, VMMPROF_FILE_MAPS);
	if (ret)
		return ret == -ENOMEM ? ret : -ENOEXEC;
	vmmprof_bundletail_find(&tail, &items, fd);
	ret = append(code, &tail, stat);
	end = vmmprof_bundletail_end(&tail);
	vmmprof_items_deinit(&items);
	return ret ? ret : end;
}

int vmmprof_codemerge(int fd, const void *code, size_t size,
		      struct vmmprof_codemerge_stat *stat)
{
	struct vmmprof_problems problems = { 0 };
	struct vmmprof_bundle b;
	int ret;

	memset(stat, 0, sizeof(*stat));
	ret = vmmprof_bundle_init_mem(&b, code, size, "code", &problems);
	vmmprof_problems_deinit(&problems);
	if (ret)
		return ret == -ENOMEM ? ret : -ENOEXEC;
	ret = append_all(fd, &b, stat);
	vmmprof_bundle_deinit(&b);
	return ret;
}
