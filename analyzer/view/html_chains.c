// SPDX-License-Identifier: GPL-2.0-only
/* Writes the tree of chains, packed; analyzer/view/html/chains.js reads it. */

#include <errno.h>
#include <string.h>

#include "sym/strings.h"
#include "view/chain_names.h"
#include "view/html_chains.h"
#include "view/packed.h"

static int name_number(struct strings *names, const char *name, __u32 *ret)
{
	return strings_add(names, name, strlen(name), ret);
}

/* Of each frame: name, module, kind, mode, machine. */
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
		packed_add(&p, f->mode);
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
	json_out_array(j, "names");
	for (i = 0; i < names.nr; i++)
		json_out_string(j, NULL, strings_get(&names, i));
	json_out_array_end(j);
	json_out_object_end(j);
	strings_deinit(&names);
	return err;
}
