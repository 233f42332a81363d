// SPDX-License-Identifier: GPL-2.0-only
/* Keeps what is inlined at which address. */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/vec.h"
#include "model/chain_inlines.h"

void chain_inlines_init(struct chain_inlines *c, struct resolver *r)
{
	memset(c, 0, sizeof(*c));
	c->r = r;
}

void chain_inlines_deinit(struct chain_inlines *c)
{
	free(c->lists);
	free(c->names);
	hash_deinit(&c->by_code);
	hash_deinit(&c->files);
	memset(c, 0, sizeof(*c));
}

/* Of this process. */
static __u64 cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* The list of an address; VMMPROF_NONE, and *key is where it is due. */
static __u32 known(const struct chain_inlines *c,
		   const struct chain_inline_list *of, __u64 *key)
{
	const struct chain_inline_list *l;
	__u32 i;

	*key = hash_bytes(of, offsetof(struct chain_inline_list, first));
	for (;; ++*key) {
		i = hash_get(&c->by_code, *key);
		if (i == VMMPROF_NONE)
			return i;
		l = &c->lists[i];
		if (l->machine == of->machine && l->file == of->file &&
		    l->link == of->link)
			return i;
	}
}

/* May this file be looked into? */
static bool may_look(struct chain_inlines *c,
		     const struct chain_inline_list *of)
{
	__u64 file = (__u64)of->machine << 32 | of->file;

	if (c->nr >= CHAIN_INLINES_CODES || c->spent_ns >= CHAIN_INLINES_NS)
		return false;
	if (hash_get(&c->files, file) != VMMPROF_NONE)
		return true;
	return c->files.nr < CHAIN_INLINES_FILES &&
	       !hash_set(&c->files, file, 1);
}

/* Ask the file, and keep what it says. */
static int look(struct chain_inlines *c, struct chain_inline_list *l)
{
	struct debuginfo_inline in[CHAIN_INLINES_DEPTH];
	__u64 from = cpu_ns();
	size_t i, nr;
	int err = 0;

	nr = machine_inlines(c->r->machines[l->machine], l->file, l->link, in,
			     CHAIN_INLINES_DEPTH);
	l->first = c->nr_names;
	for (i = 0; i < nr && !err; i++) {
		err = vec_grow(&c->names, &c->cap_names, c->nr_names,
			       sizeof(*c->names));
		if (!err)
			err = strings_add(&c->r->strings, in[i].function,
					  strlen(in[i].function),
					  &c->names[c->nr_names]);
		c->nr_names += !err;
	}
	l->nr = c->nr_names - l->first;
	c->spent_ns += cpu_ns() - from;
	return err;
}

int chain_inlines_find(struct chain_inlines *c, const struct chain_frame *f,
		       const __u32 **names, size_t *nr)
{
	struct chain_inline_list l = { .machine = f->machine,
				       .file = f->file,
				       .link = f->link };
	bool kernel = f->mode == MODE_KERNEL;
	bool has_file = f->file != VMMPROF_NONE;
	__u64 key;
	__u32 i;
	int err;

	*nr = 0;
	/* user code without a file is JIT code */
	if (f->kind != FRAME_CODE || kernel == has_file ||
	    f->machine >= c->r->nr_machines || !c->r->machines[f->machine])
		return 0;
	i = known(c, &l, &key);
	if (i == VMMPROF_NONE) {
		if (!may_look(c, &l)) {
			c->left_out++;
			return 0;
		}
		err = vec_grow(&c->lists, &c->cap, c->nr, sizeof(*c->lists));
		if (!err)
			err = look(c, &l);
		if (!err)
			err = hash_set(&c->by_code, key, c->nr);
		if (err)
			return err;
		i = c->nr++;
		c->lists[i] = l;
	}
	*nr = c->lists[i].nr;
	if (*nr)
		*names = c->names + c->lists[i].first;
	return 0;
}

int chain_inlines_expand(struct chain_inlines *c, struct chain_frames *f)
{
	struct chain_frame was[CHAIN_FRAMES_MAX];
	size_t i, k, nr, left = f->nr;
	const __u32 *names;
	int err = 0;

	memcpy(was, f->frame, left * sizeof(*was));
	f->nr = 0;
	for (i = 0; left > 0 && !err; i++) {
		err = chain_inlines_find(c, &was[i], &names, &nr);
		for (k = 0; k < nr && f->nr + left < CHAIN_FRAMES_MAX; k++)
			f->frame[f->nr++] = chain_inlined(&was[i], names[k]);
		f->frame[f->nr++] = was[i];
		left--;
	}
	return err;
}
