// SPDX-License-Identifier: GPL-2.0-only
/* Writes the tree of chains, packed; analyzer/view/html/chains.js reads it. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/sort.h"
#include "sym/exits.h"
#include "sym/strings.h"
#include "view/chain_names.h"
#include "view/html_chains.h"
#include "view/packed.h"

static int name_number(struct strings *names, const char *name, __u32 *ret)
{
	return strings_add(names, name, strlen(name), ret);
}

/*
 * Of each frame: name, module, kind, mode (of a thief its number, of an exit: is it
 * a halt?), machine.
 */
static int put_frames(const struct chain_tree *t, struct names *n,
		      struct strings *names, struct json_out *j)
{
	char name[NAME_MAX_BYTES], module[NAME_MAX_BYTES];
	const struct chain_frame *f;
	struct packed p = { 0 };
	__u32 name_id, module_id;
	size_t i;
	int err = 0;

	for (i = 0; i < t->nr_frames && !err; i++) {
		f = &t->frames[i];
		chain_frame_name(n, f, name, sizeof(name));
		chain_frame_module(n, f, module, sizeof(module));
		err = name_number(names, name, &name_id);
		if (!err)
			err = name_number(names, module, &module_id);
		packed_add(&p, name_id);
		packed_add(&p, module_id);
		packed_add(&p, f->kind);
		packed_add(&p, f->kind == FRAME_THIEF ? f->what :
			       f->kind == FRAME_EXIT  ? exit_is_hlt(f->what) :
							f->mode);
		packed_add(&p, f->machine);
	}
	/* what was added is freed there, too */
	return packed_put(&p, j, "frames") ?: err;
}

/* Of each node but the root: how far its parent is before it, and its frame. */
static int put_nodes(const struct chain_tree *t, struct json_out *j)
{
	struct packed p = { 0 };
	size_t i;

	for (i = 1; i < t->nr_nodes; i++) {
		packed_add(&p, i - t->nodes[i].parent);
		packed_add(&p, t->nodes[i].frame);
	}
	return packed_put(&p, j, "nodes");
}

static int put_items(const struct html_item *items, size_t nr,
		     struct json_out *j)
{
	struct packed p = { 0 };
	size_t i;

	for (i = 0; i < nr; i++) {
		packed_add(&p, items[i].node);
		packed_add(&p, (__u32)(items[i].vcpu + 1));
	}
	return packed_put(&p, j, "items");
}

static int cmp_cell(const void *pa, const void *pb)
{
	const struct chain_slice *a = pa, *b = pb;

	if (a->leaf != b->leaf)
		return a->leaf < b->leaf ? -1 : 1;
	return a->slice < b->slice ? -1 : a->slice > b->slice;
}

/* Ticks of the page's slices, by wait, in order; NULL without memory. */
static struct chain_slice *wait_cells(const struct html_chains *c, size_t *nr)
{
	const struct chain_slices *cs = c->wait_slices;
	struct chain_slice *cells = malloc((cs->nr + 1) * sizeof(*cells));
	size_t i, n = 0;

	*nr = 0;
	if (!cells)
		return NULL;
	for (i = 0; i < cs->nr; i++) {
		cells[i] = cs->counts[i];
		cells[i].slice = chain_slices_at(cs, c->time, &cs->counts[i]) /
				 c->step;
	}
	if (cs->nr)
		sort_array(cells, cs->nr, sizeof(*cells), cmp_cell);
	for (i = 0; i < cs->nr; i++)
		if (n && !cmp_cell(&cells[n - 1], &cells[i]))
			sat_sum(&cells[n - 1].n, cells[i].n);
		else
			cells[n++] = cells[i];
	*nr = n;
	return cells;
}

/*
 * Of each wait that is shown: node, vCPU + 1, 0 steal, 1 halt or 2 blocked, its
 * thief + 1; how many slices, and of each of them how far behind the one before
 * it is, and its ticks.
 */
static int put_waits(const struct html_chains *c, struct json_out *j)
{
	struct chain_slice *cells;
	const struct chain_wait *w;
	const struct track *t;
	struct packed p = { 0 };
	size_t nr, i, end = 0;
	__u32 at, slice;

	cells = wait_cells(c, &nr);
	if (!cells)
		return -ENOMEM;
	for (i = 0; i < nr; i = end) {
		at = cells[i].leaf;
		for (end = i; end < nr && cells[end].leaf == at;)
			end++;
		w = &c->waits->waits[at];
		t = c->waits->tl->tracks[w->track];
		if (!report_has(c->report, 1 + t->guest))
			continue;
		packed_add(&p, w->node);
		packed_add(&p, (__u32)(t->vcpu_id + 1));
		packed_add(&p, w->state == STATE_HALT	 ? 1 :
			       w->state == STATE_BLOCKED ? 2 :
							   0);
		packed_add(&p, (__u32)(w->thief + 1));
		packed_add(&p, end - i);
		for (slice = 0; i < end; i++) {
			packed_add(&p, cells[i].slice - slice);
			packed_add(&p, cells[i].n);
			slice = cells[i].slice;
		}
	}
	free(cells);
	return packed_put(&p, j, "waits");
}

int html_chains(const struct html_chains *c, struct names *n,
		const struct html_item *items, size_t nr, struct json_out *j,
		const char *key)
{
	struct strings names = { 0 };
	size_t i;
	int err;

	json_out_object(j, key);
	err = put_frames(c->tree, n, &names, j);
	if (!err)
		err = put_nodes(c->tree, j);
	if (!err)
		err = put_items(items, nr, j);
	if (!err && c->waits)
		err = put_waits(c, j);
	json_out_array(j, "names");
	for (i = 0; i < names.nr; i++)
		json_out_string(j, NULL, strings_get(&names, i));
	json_out_array_end(j);
	json_out_object_end(j);
	strings_deinit(&names);
	return err;
}
