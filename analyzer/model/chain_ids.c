// SPDX-License-Identifier: GPL-2.0-only
/* A table of ids, in the order of their last use. */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/chain_ids.h"

#define NONE VMMPROF_NONE

static __u32 *bucket(struct chain_ids *c, __u32 id)
{
	/* the module counts ids up: neighbours have buckets of their own */
	return &c->buckets[id % CHAIN_IDS];
}

static int chain_ids_init(struct chain_ids *c)
{
	c->ids = calloc(CHAIN_IDS, sizeof(*c->ids));
	c->buckets = malloc(CHAIN_IDS * sizeof(*c->buckets));
	if (!c->ids || !c->buckets)
		return -ENOMEM;
	memset(c->buckets, 0xff, CHAIN_IDS * sizeof(*c->buckets));
	c->newest = NONE;
	c->oldest = NONE;
	return 0;
}

static void take_out(struct chain_ids *c, __u32 i)
{
	struct chain_id *e = &c->ids[i];

	if (e->newer == NONE)
		c->newest = e->older;
	else
		c->ids[e->newer].older = e->older;
	if (e->older == NONE)
		c->oldest = e->newer;
	else
		c->ids[e->older].newer = e->newer;
}

static void put_newest(struct chain_ids *c, __u32 i)
{
	struct chain_id *e = &c->ids[i];

	e->newer = NONE;
	e->older = c->newest;
	if (c->newest == NONE)
		c->oldest = i;
	else
		c->ids[c->newest].newer = i;
	c->newest = i;
}

static void forget_data(struct chain_ids *c, struct chain_id *e)
{
	*c->bytes -= e->cap;
	free(e->data);
	e->data = NULL;
	e->cap = 0;
}

/* Forget the id of the oldest place, which is free then. */
static __u32 evict(struct chain_ids *c)
{
	__u32 i = c->oldest, *at = bucket(c, c->ids[i].head.id);

	while (*at != i)
		at = &c->ids[*at].same;
	*at = c->ids[i].same;
	take_out(c, i);
	return i;
}

static __u32 find(struct chain_ids *c, __u32 id)
{
	__u32 i = c->buckets ? *bucket(c, id) : NONE;

	while (i != NONE && c->ids[i].head.id != id)
		i = c->ids[i].same;
	return i;
}

/* A place for an id: its own, a new one, or that of the oldest. */
static __u32 place(struct chain_ids *c, __u32 id)
{
	__u32 i = find(c, id), *first = bucket(c, id);

	if (i != NONE) {
		take_out(c, i);
	} else {
		i = c->nr < CHAIN_IDS ? c->nr++ : evict(c);
		c->ids[i].same = *first;
		*first = i;
	}
	put_newest(c, i);
	return i;
}

/* Room for that many bytes: the oldest data goes; false: still none. */
static bool make_room(struct chain_ids *c, size_t size)
{
	__u32 i;

	for (i = c->oldest; i != NONE; i = c->ids[i].newer) {
		if (*c->bytes + size <= CHAIN_IDS_BYTES)
			return true;
		forget_data(c, &c->ids[i]);
	}
	return *c->bytes + size <= CHAIN_IDS_BYTES;
}

int chain_ids_put(struct chain_ids *c, const struct vmmprof_rec_chain *head,
		  const void *data, size_t size)
{
	struct chain_id *e;

	if (!c->ids && chain_ids_init(c))
		return -ENOMEM;
	e = &c->ids[place(c, head->id)];
	e->head = *head;
	e->size = size;
	if (size > e->cap) {
		forget_data(c, e);
		if (!make_room(c, size))
			return 0;
		e->data = malloc(size);
		if (!e->data)
			return -ENOMEM;
		e->cap = size;
		*c->bytes += size;
	}
	if (size)
		memcpy(e->data, data, size);
	return 0;
}

const struct chain_id *chain_ids_get(struct chain_ids *c,
				     const struct vmmprof_rec_chain *head)
{
	__u32 i = find(c, head->id);
	struct chain_id *e;

	if (i == NONE)
		return NULL;
	e = &c->ids[i];
	if (e->size > e->cap || e->head.nr_kernel != head->nr_kernel ||
	    e->head.nr_user != head->nr_user ||
	    e->head.stack_size != head->stack_size ||
	    (e->head.hdr.flags ^ head->hdr.flags) & VMMPROF_C_WORDS)
		return NULL;
	take_out(c, i);
	put_newest(c, i);
	return e;
}

void chain_ids_deinit(struct chain_ids *c)
{
	size_t i;

	for (i = 0; i < c->nr; i++)
		free(c->ids[i].data);
	free(c->ids);
	free(c->buckets);
	memset(c, 0, sizeof(*c));
}
