// SPDX-License-Identifier: GPL-2.0-only
/* Appends CODE items to a bundle. */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "format/bundle_append.h"
#include "format/code_merge.h"
#include "format/bundle.h"

/* Bytes beside an item: its padding and an END item. */
#define SPARE 64

/* As far as the bounds go. */
static int append(const struct bundle *code, struct bundle_append *t,
		  struct code_merge_stat *stat)
{
	const struct vmmprof_maps_code *c;
	__u32 size;
	size_t i;
	int ret = 0;

	for (i = 0; i < code->nr_codes && !ret; i++) {
		c = code->codes[i];
		size = c->hdr.size - sizeof(*c);
		if (stat->ranges == VMMPROF_CODE_RANGES ||
		    stat->bytes + size > VMMPROF_CODE_TOTAL ||
		    t->at + c->hdr.size + SPARE > (off_t)ITEMS_MAX_FILE)
			break;
		ret = bundle_append_put(t, c, sizeof(*c), c->code);
		stat->ranges += !ret;
		stat->bytes += ret ? 0 : size;
	}
	return ret;
}

static int append_all(int fd, const struct bundle *code,
		      struct code_merge_stat *stat)
{
	struct bundle_append tail;
	struct items items;
	int ret, end;

	if (!code->nr_codes)
		return 0;
	if (lseek(fd, 0, SEEK_SET))
		return -errno;
	ret = items_init(&items, fd, VMMPROF_FILE_MAPS);
	if (ret)
		return ret == -ENOMEM ? ret : -ENOEXEC;
	bundle_append_find(&tail, &items, fd);
	ret = append(code, &tail, stat);
	end = bundle_append_end(&tail);
	items_deinit(&items);
	return ret ? ret : end;
}

int code_merge(int fd, const void *code, size_t size,
	       struct code_merge_stat *stat)
{
	struct problems problems = { 0 };
	struct bundle b;
	int ret;

	memset(stat, 0, sizeof(*stat));
	ret = bundle_init_mem(&b, code, size, "code", &problems);
	problems_deinit(&problems);
	if (ret)
		return ret == -ENOMEM ? ret : -ENOEXEC;
	ret = append_all(fd, &b, stat);
	bundle_deinit(&b);
	return ret;
}
