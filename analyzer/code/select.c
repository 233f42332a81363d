// SPDX-License-Identifier: GPL-2.0-only
/* Lists a guest's functions with most samples. */

#include <errno.h>

#include "code/select.h"
#include "code/hotspots.h"

/* A kernel's last function may seem to go on to the next module. */
#define KERNEL_RANGE 0x8000u

static bool of_machine(void *arg, const struct bucket_key *key)
{
	return key->guest == *(const __u32 *)arg;
}

bool code_select_place(const struct machine *m, const struct hot_place *p,
		       struct code_want *ret)
{
	const struct bundle_file *bf;
	__u64 max = p->key.file == VMMPROF_NONE ? KERNEL_RANGE :
						  VMMPROF_CODE_RANGE;
	__u64 size = p->end - p->start;

	if (!p->end)
		return false;
	ret->file = p->key.file;
	ret->addr = p->start;
	ret->size = size < max ? size : max;
	if (p->key.file == VMMPROF_NONE)
		return true;
	bf = bundle_find_file(&m->bundle, p->key.file);
	return bf && symbols_offset(&m->files[bf - m->bundle.files].symbols,
				    p->start, &ret->addr);
}

int code_select(struct analysis *a, __u32 machine, char *list)
{
	const struct machine *m = a->resolver.machines[machine];
	struct code_list_buffer l = { .text = list };
	struct code_want want;
	struct hot_places h;
	size_t i;
	int ret;

	if (!m)
		return 0;
	ret = hot_places_counted(&h, a, of_machine, &machine);
	for (i = 0; !ret && i < h.nr; i++)
		if (code_select_place(m, &h.places[i], &want) &&
		    code_list_add(&l, &want) == -ENOSPC)
			break;
	hot_places_deinit(&h);
	return ret ? ret : (int)l.len;
}
