/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of the frames of chains, safe to print. */
#ifndef VIEW_CHAIN_NAMES_H
#define VIEW_CHAIN_NAMES_H

#include "model/chain_tree.h"
#include "view/table.h"

/*
 * A function, or what stands in brackets: "[exit: HLT]", "[broken: why]",
 * "[truncated]"; of a machine or a process its name.  As name_function().
 */
void chain_frame_name(struct names *n, const struct chain_frame *f, char *buf,
		      size_t size);

/* As name_module(); "" of what is no code. */
void chain_frame_module(struct names *n, const struct chain_frame *f, char *buf,
			size_t size);

/* The key of the row that a frame's function has; @leaf: of its chain. */
struct bucket_key chain_frame_key(const struct chain_frame *f,
				  const struct bucket_key *leaf);

#endif /* VIEW_CHAIN_NAMES_H */
