/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sort key "parent", as perf report has it: the function of a chain, from the one
 * that was hit outwards, whose name matches an expression first.
 */
#ifndef VIEW_CHAIN_PARENT_H
#define VIEW_CHAIN_PARENT_H

#include <regex.h>

#include "model/chain_tree.h"
#include "view/table.h"

/*
 * perf's default, "^sys_|^do_page_fault", by the names that kernels have had
 * since: how the kernel was entered.
 */
#define CHAIN_PARENT_DEFAULT \
	"^(__x64_|__ia32_)?sys_|^(asm_)?exc_page_fault$|^do_page_fault$"

/*
 * Of each node of the tree: 1 + string id of that function, 0: none matches.
 * *ret is to be freed.  0 or -ENOMEM.
 */
int chain_parents(struct names *n, const struct chain_tree *tree,
		  const regex_t *regex, __u32 **ret);

#endif /* VIEW_CHAIN_PARENT_H */
