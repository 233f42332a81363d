// SPDX-License-Identifier: GPL-2.0-only
/* Looks at samples of guests and at IDENTITY records while they are in a ring. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <vmmprof/record.h>

#include "base/vec.h"
#include "host/guest_sights.h"

/* Where Linux maps its kernel: arch/x86/include/asm/pgtable_64_types.h. */
#define KERNEL_MAP     0xffffffff80000000ull
#define KERNEL_MAP_END 0xffffffffc0000000ull
/*
 * Under page table isolation the kernel still has the page table of user mode in
 * its first and last instructions.  Without it (newer kernels: if it is off, older
 * ones: if they were built so), the bit is one of the address, and in a guest that runs
 * one process all samples may have it.
 */
#define CR3_PTI_USER   0x1000ull
#define CR3_USER_ROW   32

void guest_sights_deinit(struct guest_sights *s)
{
	free(s->all);
	free(s->at);
	hash_deinit(&s->vmms);
	hash_deinit(&s->tasks);
	memset(s, 0, sizeof(*s));
}

const struct guest_sight *guest_sights_find(const struct guest_sights *s,
					    uint32_t vmm)
{
	uint32_t i = hash_get(&s->vmms, vmm);

	return i == VMMPROF_NONE ? NULL : &s->all[i];
}

size_t guest_sights_sampled(struct guest_sights *s, uint32_t *vmms, size_t max)
{
	size_t i, nr = 0;

	for (i = 0; i < s->nr && nr < max; i++) {
		if (!s->all[i].sampled)
			continue;
		s->all[i].sampled = false;
		vmms[nr++] = s->all[i].vmm;
	}
	return nr;
}

/* The one of @vmm, perhaps a new one.  NULL: no memory. */
static struct guest_sight *find_sight(struct guest_sights *s, uint32_t vmm)
{
	uint32_t i = hash_get(&s->vmms, vmm);

	if (i == VMMPROF_NONE) {
		if (vec_grow(&s->all, &s->cap, s->nr, sizeof(*s->all)) ||
		    hash_set(&s->vmms, vmm, s->nr))
			return NULL;
		i = s->nr++;
		s->all[i] = (struct guest_sight){ .vmm = vmm };
	}
	s->last = i;
	return &s->all[i];
}

/* The same; most samples of a CPU are of the VM that the one before was of. */
static inline struct guest_sight *sight_of(struct guest_sights *s, uint32_t vmm)
{
	if (s->last < s->nr && s->all[s->last].vmm == vmm)
		return &s->all[s->last];
	return find_sight(s, vmm);
}

/* Where the kernel's layout has its task, there was none?  Or there was. */
static void see_who(struct guest_sight *g, uint32_t identity)
{
	switch (identity) {
	case VMMPROF_WHO_UNMAPPED:
	case VMMPROF_WHO_NO_MEMORY:
	case VMMPROF_WHO_NOT_PRESENT:
	case VMMPROF_WHO_INVALID:
		g->unread++;
		break;
	default:
		if (identity >= VMMPROF_WHO_FIRST)
			g->unread = 0;
	}
}

static int see_sample(struct guest_sights *s,
		      const struct vmmprof_rec_sample *sample)
{
	const uint32_t need = VMMPROF_S_VCPU | VMMPROF_S_GUEST;
	const uint32_t other = VMMPROF_S_L2 | VMMPROF_S_SHADOW | VMMPROF_S_SMM |
			       VMMPROF_S_UNPAGED;
	const uint32_t flags = sample->hdr.flags;
	struct guest_sight *g;

	if ((flags & need) != need)
		return 0;
	g = sight_of(s, sample->pid);
	if (!g)
		return -ENOMEM;
	g->sampled = true;
	see_who(g, sample->identity);
	if (flags & VMMPROF_S_PROTECTED ||
	    sample->identity == VMMPROF_WHO_ENCRYPTED)
		g->encrypted = true;
	if (!(flags & VMMPROF_S_STATE) ||
	    flags & (other | VMMPROF_S_PROTECTED) ||
	    sample->guest_ss_ar >> 5 & 3 || sample->guest_ip < KERNEL_MAP ||
	    sample->guest_ip >= KERNEL_MAP_END)
		return 0;
	g->odd = sample->guest_cr3 & CR3_PTI_USER ? g->odd + 1 : 0;
	if (g->odd && g->odd < CR3_USER_ROW)
		return 0;
	g->cr3 = sample->guest_cr3;
	g->rip = sample->guest_ip;
	return 0;
}

static int see_task(struct guest_sights *s,
		    const struct vmmprof_rec_identity *task)
{
	const uint64_t of[] = { (uint64_t)task->pid << 32 | task->tgid,
				task->mm };
	struct guest_sight *g = sight_of(s, task->pid);
	uint64_t key;

	if (!g)
		return -ENOMEM;
	if (task->id == VMMPROF_WHO_ENCRYPTED)
		g->encrypted = true;
	see_who(g, task->id);
	if (task->id < VMMPROF_WHO_FIRST || !task->mm ||
	    task->hdr.flags & VMMPROF_I_KTHREAD)
		return 0;
	if (s->nr_tasks >= GUEST_SIGHTS_TASKS) {
		/* each is found once more, which is a reading of its guest */
		hash_deinit(&s->tasks);
		s->nr_tasks = 0;
	}
	key = hash_bytes(of, sizeof(of));
	if (hash_get(&s->tasks, key) != VMMPROF_NONE)
		return 0;
	if (hash_set(&s->tasks, key, s->nr_tasks))
		return -ENOMEM;
	s->nr_tasks++;
	g->found++;
	return 0;
}

static int see(struct guest_sights *s, const struct vmmprof_rec_hdr *hdr)
{
	if (hdr->type == VMMPROF_REC_SAMPLE &&
	    hdr->size >= sizeof(struct vmmprof_rec_sample))
		return see_sample(s, (const void *)hdr);
	if (hdr->type == VMMPROF_REC_IDENTITY &&
	    hdr->size >= sizeof(struct vmmprof_rec_identity))
		return see_task(s, (const void *)hdr);
	return 0;
}

static int room_for(struct guest_sights *s, unsigned int i)
{
	while (s->nr_at <= i) {
		int err = vec_grow(&s->at, &s->cap_at, s->nr_at,
				   sizeof(*s->at));

		if (err)
			return err;
		s->at[s->nr_at++] = 0;
	}
	return 0;
}

int guest_sights_look(struct guest_sights *s, unsigned int i,
		      const struct mapped_ring *ring)
{
	const struct vmmprof_rec_hdr *hdr;
	uint64_t head = ring_head(ring), at = ring->tail->tail;
	int err = room_for(s, i);

	if (err)
		return err;
	if (at < s->at[i])
		at = s->at[i];
	while (!err && (hdr = ring_next(ring, &at, head)))
		err = see(s, hdr);
	s->at[i] = head;
	return err;
}
