// SPDX-License-Identifier: GPL-2.0-only
/* Stacks with their time. */

#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/sort.h"
#include "base/vec.h"
#include "view/stack_list.h"

int stack_list_frame(struct stack_list *l, const char *function,
		     const char *module, __u32 *ret)
{
	struct stack_frame f = { 0, VMMPROF_NONE };
	__u64 key;
	int err;

	err = strings_add(&l->names, function, strlen(function), &f.function);
	if (!err && module && *module && strcmp(module, "-"))
		err = strings_add(&l->names, module, strlen(module), &f.module);
	if (err)
		return err;
	key = (__u64)f.function << 32 | f.module;
	*ret = hash_get(&l->by_frame, key);
	if (*ret != VMMPROF_NONE)
		return 0;
	err = vec_grow(&l->frames, &l->cap_frames, l->nr_frames, sizeof(f));
	if (!err)
		err = hash_set(&l->by_frame, key, l->nr_frames);
	if (err)
		return err;
	*ret = l->nr_frames;
	l->frames[l->nr_frames++] = f;
	return 0;
}

static int keep(struct stack_list *l, const __u32 *frames, __u32 nr, __u64 ns)
{
	struct stack_time *s;
	__u32 i;
	int err;

	err = vec_grow(&l->stacks, &l->cap, l->nr, sizeof(*s));
	for (i = 0; i < nr && !err; i++)
		err = vec_grow(&l->path, &l->cap_path, l->nr_path + i,
			       sizeof(*l->path));
	if (err)
		return err;
	memcpy(l->path + l->nr_path, frames, nr * sizeof(*frames));
	s = &l->stacks[l->nr++];
	*s = (struct stack_time){ .at = l->nr_path, .nr = nr, .ns = ns };
	l->nr_path += nr;
	return 0;
}

int stack_list_add(struct stack_list *l, const __u32 *frames, __u32 nr,
		   __u64 ns)
{
	__u64 key = hash_bytes(frames, nr * sizeof(*frames));
	struct stack_time *s;
	__u32 at;
	int err;

	/* another one of the same hash has the next place */
	while ((at = hash_get(&l->by_path, key)) != VMMPROF_NONE) {
		s = &l->stacks[at];
		if (s->nr == nr &&
		    !memcmp(l->path + s->at, frames, nr * sizeof(*frames))) {
			sat_sum(&s->ns, ns);
			return 0;
		}
		key++;
	}
	err = hash_set(&l->by_path, key, l->nr);
	return err ? err : keep(l, frames, nr, ns);
}

static int cmp_stack(const void *pa, const void *pb, void *arg)
{
	const struct stack_time *a = pa, *b = pb;
	const struct stack_list *l = arg;
	const struct stack_frame *f, *g;
	__u32 i;
	int c;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	if (a->nr != b->nr)
		return a->nr < b->nr ? -1 : 1;
	for (i = 0; i < a->nr; i++) {
		f = &l->frames[l->path[a->at + i]];
		g = &l->frames[l->path[b->at + i]];
		c = strcmp(strings_get(&l->names, f->function),
			   strings_get(&l->names, g->function));
		if (!c)
			c = strcmp(strings_get(&l->names, f->module),
				   strings_get(&l->names, g->module));
		if (c)
			return c;
	}
	return 0;
}

void stack_list_sort(struct stack_list *l)
{
	sort_array_r(l->stacks, l->nr, sizeof(*l->stacks), cmp_stack, l);
}

void stack_list_deinit(struct stack_list *l)
{
	strings_deinit(&l->names);
	hash_deinit(&l->by_frame);
	hash_deinit(&l->by_path);
	free(l->frames);
	free(l->stacks);
	free(l->path);
	memset(l, 0, sizeof(*l));
}
