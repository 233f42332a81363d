// SPDX-License-Identifier: GPL-2.0-only
/* Samples that wait for their chains, one for each CPU. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/chain_join.h"

struct chain_cpu {
	struct chain_ids ids;
	bool waits; /* .sample is one */
	bool out_waits;
	struct chain_sample sample;
	struct chain_out out;
};

void chain_join_init(struct chain_join *j, chain_fn *fn, void *arg)
{
	memset(j, 0, sizeof(*j));
	j->fn = fn;
	j->arg = arg;
}

/* NULL without memory. */
static struct chain_cpu *cpu_of(struct chain_join *j, __u32 cpu)
{
	__u32 i = hash_get(&j->by_cpu, cpu);
	struct chain_cpu *c;

	if (i != VMMPROF_NONE)
		return j->cpus[i];
	if (vec_grow(&j->cpus, &j->cap, j->nr, sizeof(*j->cpus)))
		return NULL;
	c = calloc(1, sizeof(*c));
	if (!c || hash_set(&j->by_cpu, cpu, j->nr)) {
		free(c);
		return NULL;
	}
	c->ids.bytes = &j->bytes;
	j->cpus[j->nr++] = c;
	return c;
}

static int complete(struct chain_join *j, struct chain_cpu *c)
{
	if (!c->waits)
		return 0;
	c->waits = false;
	return j->fn(j->arg, &c->sample);
}

int chain_join_sample(struct chain_join *j, __u32 cpu,
		      const struct vmmprof_rec_sample *rec,
		      const struct resolved *where, size_t bucket)
{
	struct chain_cpu *c = cpu_of(j, cpu);
	int err;

	if (!c)
		return -ENOMEM;
	err = complete(j, c);
	c->sample.rec = *rec;
	c->sample.where = *where;
	c->sample.bucket = bucket;
	c->sample.host.there = false;
	c->sample.guest.there = false;
	c->waits = true;
	return err;
}

int chain_join_out_now(struct chain_join *j, __u32 cpu)
{
	__u32 i = hash_get(&j->by_cpu, cpu);
	struct chain_cpu *c;

	if (i == VMMPROF_NONE || !j->cpus[i]->out_waits)
		return 0;
	c = j->cpus[i];
	c->out_waits = false;
	return j->out_fn(j->out_arg, &c->out);
}

int chain_join_out(struct chain_join *j, __u32 cpu,
		   const struct vmmprof_rec_switch *rec, __u32 track)
{
	struct chain_cpu *c = cpu_of(j, cpu);
	int err;

	if (!c)
		return -ENOMEM;
	err = chain_join_out_now(j, cpu);
	c->out.rec = *rec;
	c->out.has_state = false;
	c->out.track = track;
	c->out.host.there = false;
	c->out.guest.there = false;
	c->out_waits = true;
	return err;
}

/* Of a part that is known .data is an address, of no words, too. */
static int take_data(struct chain_part *p, const void *data, size_t size)
{
	__u64 *more;

	if (size > p->cap || !p->data) {
		more = realloc(p->data, size + sizeof(*more));
		if (!more)
			return -ENOMEM;
		p->data = more;
		p->cap = size;
	}
	if (size)
		memcpy(p->data, data, size);
	p->known = true;
	return 0;
}

static int take_part(struct chain_cpu *c, struct chain_part *p,
		     const struct rec_chain *rec, const void *data)
{
	const struct chain_id *id;

	p->there = true;
	p->known = false;
	p->head = rec->head;
	memset(&p->regs, 0, sizeof(p->regs));
	if (rec->head.hdr.flags & VMMPROF_C_REGS)
		memcpy(&p->regs, rec->rest, sizeof(p->regs));
	if (!(rec->head.hdr.flags & VMMPROF_C_REF))
		return take_data(p, data, chain_data_size(&rec->head));
	id = chain_ids_get(&c->ids, &rec->head);
	return id ? take_data(p, id->data, id->size) : 0;
}

/* A part of the OUT record that the CPU has now. */
static int take_out(struct chain_join *j, struct chain_cpu *c,
		    const struct rec_chain *rec, const void *data)
{
	bool guest = rec->head.hdr.flags & VMMPROF_C_GUEST;
	struct chain_part *p = guest ? &c->out.guest : &c->out.host;

	if (!j->out_fn)
		return 0;
	if (!c->out_waits || c->out.rec.hdr.tsc != rec->head.hdr.tsc ||
	    p->there) {
		j->stray++;
		return 0;
	}
	if (guest)
		c->out.has_state = rec_chain_state(rec, &c->out.state);
	return take_part(c, p, rec, data);
}

int chain_join_chain(struct chain_join *j, __u32 cpu,
		     const struct rec_chain *rec)
{
	const struct vmmprof_rec_chain *head = &rec->head;
	struct chain_cpu *c = cpu_of(j, cpu);
	const char *data = rec_chain_data(rec);
	struct chain_part *p;
	int err = 0;

	if (!c)
		return -ENOMEM;
	/* others may refer to it, whatever became of its sample */
	if (head->id && !(head->hdr.flags & VMMPROF_C_REF))
		err = chain_ids_put(&c->ids, head, data, chain_data_size(head));
	if (err)
		return err;
	if (head->hdr.flags & VMMPROF_C_OUT)
		return take_out(j, c, rec, data);
	p = head->hdr.flags & VMMPROF_C_GUEST ? &c->sample.guest :
						&c->sample.host;
	if (!c->waits || c->sample.rec.hdr.tsc != head->hdr.tsc || p->there) {
		j->stray++;
		return 0;
	}
	return take_part(c, p, rec, data);
}

int chain_join_before(struct chain_join *j, __u64 tsc)
{
	struct chain_cpu *c;
	size_t i;
	int err = 0;

	for (i = 0; i < j->nr && !err; i++) {
		c = j->cpus[i];
		if (c->waits && c->sample.rec.hdr.tsc < tsc)
			err = complete(j, c);
	}
	return err;
}

int chain_join_end(struct chain_join *j)
{
	size_t i;
	int err = 0;

	for (i = 0; i < j->nr && !err; i++)
		err = complete(j, j->cpus[i]);
	return err;
}

void chain_join_deinit(struct chain_join *j)
{
	size_t i;

	for (i = 0; i < j->nr; i++) {
		chain_ids_deinit(&j->cpus[i]->ids);
		free(j->cpus[i]->sample.host.data);
		free(j->cpus[i]->sample.guest.data);
		free(j->cpus[i]->out.host.data);
		free(j->cpus[i]->out.guest.data);
		free(j->cpus[i]);
	}
	free(j->cpus);
	hash_deinit(&j->by_cpu);
	memset(j, 0, sizeof(*j));
}
