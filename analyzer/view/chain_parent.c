// SPDX-License-Identifier: GPL-2.0-only
/* Looks for the function that is the parent of each node of a tree. */

#include <errno.h>
#include <stdlib.h>

#include "view/chain_names.h"
#include "view/chain_parent.h"

/* 1 + the function of a frame that matches, else 0; names as shown. */
static __u32 match(struct names *n, const struct chain_frame *f,
		   const regex_t *regex)
{
	struct chain_frame plain = *f;
	char name[NAME_MAX_BYTES];

	if (f->kind != FRAME_CODE || f->func == VMMPROF_NONE)
		return 0;
	plain.inlined = 0;
	chain_frame_name(n, &plain, name, sizeof(name));
	return regexec(regex, name, 0, NULL, 0) ? 0 : f->func + 1;
}

int chain_parents(struct names *n, const struct chain_tree *tree,
		  const regex_t *regex, __u32 **ret)
{
	__u32 *matches = calloc(tree->nr_frames + 1, sizeof(*matches));
	__u32 *parents = calloc(tree->nr_nodes + 1, sizeof(*parents));
	const struct chain_node *node;
	size_t i;

	*ret = parents;
	for (i = 0; matches && i < tree->nr_frames; i++)
		matches[i] = match(n, &tree->frames[i], regex);
	/* a node's parent is before it */
	for (i = 1; matches && parents && i < tree->nr_nodes; i++) {
		node = &tree->nodes[i];
		parents[i] = matches[node->frame] ?: parents[node->parent];
	}
	free(matches);
	return matches && parents ? 0 : -ENOMEM;
}
