// SPDX-License-Identifier: GPL-2.0-only
/*
 * ORC tables of a guest's kernel and modules, for call chains.  Sources:
 * arch/x86/kernel/unwind_orc.c, struct mod_arch_specific.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "introspect/bundle_parts.h"
#include "introspect/bundle_unwind.h"
#include "os/map_items.h"
#include "sym/orc.h"

/* Copies of a kernel's tables. */
struct raw {
	struct orc_raw orc;
	void *ips, *entries;
};

static void free_raw(struct raw *raw)
{
	free(raw->ips);
	free(raw->entries);
}

/* Those of all code. */
static int read_raw(const struct guest_kernel *k, __u64 ips, __u64 entries,
		    size_t nr, struct raw *raw)
{
	int err = -ENOMEM;

	memset(raw, 0, sizeof(*raw));
	if (!nr || nr > UNWIND_ROWS_MAX)
		return -ENOENT;
	raw->ips = malloc(nr * sizeof(__s32));
	raw->entries = malloc(nr * ORC_ENTRY);
	if (raw->ips && raw->entries)
		err = guest_space_read(&k->space, ips, raw->ips, nr * sizeof(__s32)) ?:
			      guest_space_read(&k->space, entries, raw->entries,
					       nr * ORC_ENTRY);
	raw->orc = (struct orc_raw){ raw->ips, ips, raw->entries, nr, 0, ~0ull };
	if (err)
		free_raw(raw);
	return err;
}

static int put_raw(struct item_writer *w, const struct raw *raw,
		   enum orc_layout layout)
{
	struct unwind_table t;
	size_t size;
	void *data;
	int err = orc_table(layout, &raw->orc, &t);

	if (err)
		return err;
	err = unwind_table_encode(&t, &data, &size);
	unwind_table_free(&t);
	if (err)
		return err;
	err = map_items_unwind(w, VMMPROF_NONE, data, size);
	free(data);
	return err;
}

static int put_kernel(const struct guest_kernel *k, struct item_writer *w,
		      enum orc_layout *layout)
{
	const __u64 ips = k->known[GUEST_SYM_ORC_IP],
		    end = k->known[GUEST_SYM_ORC_IP_END];
	struct raw raw;
	int err;

	if (!ips || !k->known[GUEST_SYM_ORC] || end < ips)
		return -ENOENT;
	err = read_raw(k, ips, k->known[GUEST_SYM_ORC],
		       (end - ips) / sizeof(__s32), &raw);
	if (err)
		return err;
	*layout = orc_find_layout(raw.entries, raw.orc.nr);
	err = put_raw(w, &raw, *layout);
	free_raw(&raw);
	return err;
}

/* -ENOMEM and the writer's error end all; without a table chains end there. */
static int put_module(const struct guest_kernel *k,
		      const struct guest_module *m, enum orc_layout layout,
		      struct item_writer *w)
{
	struct raw raw;
	int err = read_raw(k, m->orc_ips, m->orc, m->nr_orc, &raw);

	if (!err) {
		raw.orc.from = m->base;
		raw.orc.to = sat_add(m->base, m->text);
		err = put_raw(w, &raw, layout);
		free_raw(&raw);
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
