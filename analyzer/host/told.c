// SPDX-License-Identifier: GPL-2.0-only
/* Remembers VCPU and IDENTITY records that are not told again. */

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "host/told.h"

void told_deinit(struct told *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++) {
		free(t->cpus[i].tasks);
		free(t->cpus[i].vcpus);
	}
	free(t->cpus);
	memset(t, 0, sizeof(*t));
}

/*
 * Where the module has a task (id_of() in kmod/identity.c): another one at the same
 * place takes it, and the number of the one before is not referred to again.
 */
static unsigned int told_place(const struct vmmprof_rec_identity *task)
{
	return ((task->tid ^ task->mm >> 6) * 0x9e3779b97f4a7c15ull) >> 56;
}

static int put_task(struct told_cpu *c, const struct vmmprof_rec_identity *task)
{
	_Static_assert(TOLD_TASKS == 1 << 8, "told_place()");

	/* of one sample, which stands right before it */
	if (task->hdr.flags & VMMPROF_I_SAMPLE || task->id < VMMPROF_WHO_FIRST)
		return 0;
	if (!c->tasks)
		c->tasks = calloc(TOLD_TASKS, sizeof(*c->tasks));
	if (!c->tasks)
		return 1;
	c->tasks[told_place(task)] = *task;
	return 0;
}

static void remove_vcpu(struct told_cpu *c, size_t i)
{
	c->nr_vcpus--;
	memmove(&c->vcpus[i], &c->vcpus[i + 1],
		(c->nr_vcpus - i) * sizeof(*c->vcpus));
}

static size_t find_vcpu(const struct told_cpu *c,
			const struct vmmprof_rec_vcpu *vcpu)
{
	size_t i;

	for (i = 0; i < c->nr_vcpus; i++)
		if (c->vcpus[i].pid == vcpu->pid &&
		    c->vcpus[i].tid == vcpu->tid &&
		    c->vcpus[i].vcpu_id == vcpu->vcpu_id)
			break;
	return i;
}

/*
 * What was told of a vCPU last, on whichever CPU, holds: all else is forgotten, as it
 * would be told again after that.  False: there is a later one than this.
 */
static bool is_last(struct told *t, const struct told_cpu *c,
		    const struct vmmprof_rec_vcpu *vcpu)
{
	struct told_cpu *other;
	size_t i, k;

	for (i = 0; i < t->nr; i++) {
		other = &t->cpus[i];
		k = other == c ? other->nr_vcpus : find_vcpu(other, vcpu);
		if (k == other->nr_vcpus)
			continue;
		if (other->vcpus[k].hdr.tsc > vcpu->hdr.tsc)
			return false;
		remove_vcpu(other, k);
	}
	return true;
}

/* Returns how many are forgotten for it. */
static int put_vcpu(struct told *t, struct told_cpu *c,
		    const struct vmmprof_rec_vcpu *vcpu)
{
	int lost = 0;
	size_t i;

	if (!is_last(t, c, vcpu))
		return 0;
	i = find_vcpu(c, vcpu);
	if (i < c->nr_vcpus) {
		remove_vcpu(c, i);
	} else if (i == TOLD_VCPUS) {
		lost = !kill(c->vcpus[0].pid, 0) || errno != ESRCH;
		remove_vcpu(c, 0);
	}
	if (vec_grow(&c->vcpus, &c->cap_vcpus, c->nr_vcpus, sizeof(*vcpu)))
		return lost + 1;
	c->vcpus[c->nr_vcpus++] = *vcpu;
	return lost;
}

static int see(struct told *t, struct told_cpu *c,
	       const struct vmmprof_rec_hdr *hdr)
{
	if (hdr->type != VMMPROF_REC_PAD && hdr->tsc > c->tsc)
		c->tsc = hdr->tsc;
	if (hdr->type == VMMPROF_REC_VCPU &&
	    hdr->size == sizeof(struct vmmprof_rec_vcpu))
		return put_vcpu(t, c, (const void *)hdr);
	if (hdr->type == VMMPROF_REC_IDENTITY &&
	    hdr->size == sizeof(struct vmmprof_rec_identity))
		return put_task(c, (const void *)hdr);
	return 0;
}

static struct told_cpu *cpu_of(struct told *t, unsigned int i)
{
	while (t->nr <= i) {
		if (vec_grow(&t->cpus, &t->cap, t->nr, sizeof(*t->cpus)))
			return NULL;
		t->cpus[t->nr++] = (struct told_cpu){ 0 };
	}
	return &t->cpus[i];
}

void told_look(struct told *t, unsigned int i, const struct mapped_ring *ring,
	       uint64_t head)
{
	const struct vmmprof_rec_hdr *hdr;
	uint64_t at = ring->tail->tail;
	struct told_cpu *c = cpu_of(t, i);

	if (!c)
		t->lost++;
	while (c && (hdr = ring_next(ring, &at, head)))
		t->lost += see(t, c, hdr);
}

void *told_records(const struct told *t, unsigned int i, size_t *bytes)
{
	const struct told_cpu *c = i < t->nr ? &t->cpus[i] : NULL;
	struct vmmprof_rec_vcpu *vcpu;
	struct vmmprof_rec_identity *task;
	uint64_t tsc;
	void *ret;
	size_t j;

	*bytes = 0;
	if (!c || (!c->nr_vcpus && !c->tasks))
		return NULL;
	*bytes = c->nr_vcpus * sizeof(*vcpu) + TOLD_TASKS * sizeof(*task);
	ret = malloc(*bytes);
	if (!ret)
		return NULL;
	tsc = c->tsc > t->until ? c->tsc : t->until;
	vcpu = ret;
	for (j = 0; j < c->nr_vcpus; j++) {
		*vcpu = c->vcpus[j];
		vcpu++->hdr.tsc = tsc;
	}
	task = (void *)vcpu;
	for (j = 0; c->tasks && j < TOLD_TASKS; j++) {
		if (!c->tasks[j].id)
			continue;
		*task = c->tasks[j];
		task++->hdr.tsc = tsc;
	}
	*bytes = (uint8_t *)task - (uint8_t *)ret;
	return ret;
}
