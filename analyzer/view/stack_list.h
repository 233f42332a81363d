/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacks of names with their time, of which those that are the same are one. */
#ifndef VIEW_STACK_LIST_H
#define VIEW_STACK_LIST_H

#include "base/hash.h"
#include "sym/strings.h"

struct stack_frame {
	__u32 function, module; /* in .names; VMMPROF_NONE: of no module */
};

struct stack_time {
	size_t at; /* of its frames in .path, the innermost first */
	__u32 nr;
	__u64 ns;
};

/* A zeroed one is empty. */
struct stack_list {
	struct strings names;
	struct hash by_frame; /* function << 32 | module -> frame */
	struct stack_frame *frames;
	size_t nr_frames, cap_frames;
	struct hash by_path; /* hash of the frames -> stack */
	struct stack_time *stacks;
	size_t nr, cap;
	__u32 *path;
	size_t nr_path, cap_path;
};

/* The number of a frame.  @module: NULL or "-": of none.  0 or -ENOMEM. */
int stack_list_frame(struct stack_list *l, const char *function,
		     const char *module, __u32 *ret);

/* One more stack of @nr frames, or more time of it.  0 or -ENOMEM. */
int stack_list_add(struct stack_list *l, const __u32 *frames, __u32 nr,
		   __u64 ns);

/* By time, those with most first; what is equal by its names. */
void stack_list_sort(struct stack_list *l);
void stack_list_deinit(struct stack_list *l);

#endif /* VIEW_STACK_LIST_H */
