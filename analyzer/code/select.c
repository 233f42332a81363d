// SPDX-License-Identifier: GPL-2.0-only
/* Lists a guest's functions with most samples. */

#include <errno.h>

#include "code/select.h"
#include "code/hotspots.h"

/* A kernel's last function may seem to go on to the next module. */
#define KERNEL_RANGE 0x8000u

static bool of_machine(void *arg, const struct vmmprof_cell_key *key)
{
	return key->guest == *(const __u32 *)arg;
}

bool vmmprof_codewant_place(const struct vmmprof_machine *m,
			    const struct vmmprof_hot_place *p,
			    struct vmmprof_code_want *ret)
{
	const struct vmmprof_bundle_file *bf;
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
	bf = vmmprof_bundle_find_file(&m->bundle, p->key.file);
	return bf &&
	       vmmprof_symbols_offset(&m->files[bf - m->bundle.files].symbols,
				      p->start, &ret->addr);
}

int vmmprof_codewant(struct vmmprof_analysis *a, __u32 machine, char *list)
{
	const struct vmmprof_machine *m = a->resolver.machines[machine];
	struct vmmprof_codelist l = { .text = list };
	struct vmmprof_code_want want;
	struct vmmprof_hot_places h;
	size_t i;
	int ret;

	if (!m)
		return 0;
	ret = vmmprof_hot_places_init(&h, a, of_machine, &machine);
	for (i = 0; !ret && i < h.nr; i++)
		if (vmmprof_codewant_place(m, &h.places[i], &want) &&
		    vmmprof_codelist_add(&l, &want) == -ENOSPC)
			break;
	vmmprof_hot_places_deinit(&h);
	return ret ? ret : (int)l.len;
}
