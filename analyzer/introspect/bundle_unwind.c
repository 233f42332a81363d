// SPDX-License-Identifier: GPL-2.0-only
/*
 * ORC tables of a guest's kernel and modules, for call chains.  Sources:
 * arch/x86/kernel/unwind_orc.c, struct mod_arch_specific.
 */

#include <errno.h>

#include "base/saturate.h"
#include "introspect/bundle_parts.h"
#include "introspect/bundle_unwind.h"
#include "os/map_items.h"
#include "sym/orc.h"

static int read_raw(const struct guest_kernel *k, __u64 ips, __u64 entries,
		    size_t nr, struct orc_raw *raw)
{
	int err;

	if (!nr || nr > UNWIND_ROWS_MAX)
		return -ENOENT;
	err = orc_raw_init(raw, ips, nr);
	if (err)
		return err;
	err = guest_space_read(&k->space, ips, raw->ips, nr * sizeof(__s32)) ?:
		      guest_space_read(&k->space, entries, raw->entries,
				       nr * ORC_ENTRY);
	if (err)
		orc_raw_deinit(raw);
	return err;
}

static int put_kernel(const struct guest_kernel *k, struct item_writer *w,
		      enum orc_layout *layout)
{
	const __u64 ips = k->known[GUEST_SYM_ORC_IP],
		    end = k->known[GUEST_SYM_ORC_IP_END];
	struct orc_raw raw;
	int err;

	if (!ips || !k->known[GUEST_SYM_ORC] || end < ips)
		return -ENOENT;
	err = read_raw(k, ips, k->known[GUEST_SYM_ORC],
		       (end - ips) / sizeof(__s32), &raw);
	if (err)
		return err;
	*layout = orc_find_layout(raw.entries, raw.nr);
	err = map_items_orc(w, *layout, &raw);
	orc_raw_deinit(&raw);
	return err;
}

/* -ENOMEM and the writer's error end all; without a table chains end there. */
static int put_module(const struct guest_kernel *k,
		      const struct guest_module *m, enum orc_layout layout,
		      struct item_writer *w)
{
	struct orc_raw raw;
	int err = read_raw(k, m->orc_ips, m->orc, m->nr_orc, &raw);

	if (!err) {
		raw.from = m->base;
		raw.to = sat_add(m->base, m->text);
		err = map_items_orc(w, layout, &raw);
		orc_raw_deinit(&raw);
	}
	return err == -ENOMEM ? err : w->err;
}

int guest_bundle_unwind(const struct guest_kernel *k,
			const struct guest_modules *m, struct item_writer *w)
{
	enum orc_layout layout;
	size_t i;
	int err = put_kernel(k, w, &layout);

	if (err == -ENOMEM || w->err)
		return err;
	if (err) {
		item_note(
			w,
			"the guest's memory has no unwind tables of its kernel in a known form: call chains end there");
		return w->err;
	}
	for (i = 0; i < m->nr && !err; i++)
		err = put_module(k, &m->module[i], layout, w);
	return err;
}

int guest_bundle_unwind_copy(const struct bundle *before, struct item_writer *w)
{
	size_t i;
	int err = 0;

	for (i = 0; i < before->nr_unwinds && !err; i++)
		err = item_put(w, VMMPROF_MAPS_UNWIND, before->unwinds[i],
			       before->unwinds[i]->hdr.size, NULL, 0);
	return err;
}
