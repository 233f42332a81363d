// SPDX-License-Identifier: GPL-2.0-only
/*
 * Per-CPU rings that never overwrite, for writers that interrupt each other.
 *
 * A ring has one CPU's overflow callbacks as writers: the NMI of a hardware
 * event and the hrtimer interrupt of cpu-clock.  Neither interrupts itself,
 * but the NMI may hit the timer's callback anywhere.  Writers therefore nest
 * like calls: whoever came last is done before the interrupted one goes on.
 *
 *  - resv moves by a compare-and-exchange, so that every writer has bytes of
 *    its own.  It needs no lock prefix: only this CPU writes it.
 *  - nest counts the writers at work.  Only the outermost publishes, and it
 *    publishes resv: at that moment every writer that interrupted it is done,
 *    hence every record below resv is complete.
 *  - A writer that comes after the outermost has read resv and before nest is
 *    0 still sees itself as nested and publishes nothing.  So the outermost
 *    looks at resv again after clearing nest; one that comes later than that
 *    publishes for itself.  The published head never moves back, because it
 *    is only written while nest is 1.
 *  - A writer that finds no room also passes commit: records of those that
 *    interrupted it may wait for publication.
 *
 * Losses are counted per context (NMI or not), so that no counter has two
 * writers; each context tells its own losses before its next record.
 *
 * A writer looks only at limit: up to there it may write without a thought
 * of the tail, the end of the ring or the reader's sleep (ring_set_limit()).
 *
 * The reader owns the tail and may write nonsense there.  It is read once for
 * each decision and only bounds how far resv may go; where that is in memory
 * comes from resv and the mask.  At worst the reader loses or overwrites its
 * own records.
 *
 * The reader is woken through irq_work when a quarter is unread, once for
 * every position of the tail: until it moves there is nothing new to say,
 * poll() looks at the fill itself.  A reader that left nearly a quarter is
 * woken by a sixteenth of the ring too late.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>
#include <linux/kprobes.h>
#include <asm/local.h>

#include "lazy_work.h"
#include "ring.h"

#define RING_GFP \
	(VMMPROF_MAPPED_GFP | __GFP_NOWARN | __GFP_ZERO | __GFP_NORETRY)

static void ring_wake(struct irq_work *work)
{
	wake_up_interruptible(
		container_of(work, struct vmmprof_ring, work)->wait);
}

static int ring_alloc_pages(struct vmmprof_ring *ring, unsigned int nr, int cpu)
{
	ring->pages = kvcalloc(nr, sizeof(*ring->pages), VMMPROF_GFP);
	if (!ring->pages)
		return -ENOMEM;

	while (ring->nr_pages < nr) {
		struct page *page;

		page = alloc_pages_node(cpu_to_node(cpu), RING_GFP, 0);
		if (!page)
			return -ENOMEM;
		ring->pages[ring->nr_pages++] = page;
		cond_resched();
	}
	return 0;
}

int vmmprof_ring_init(struct vmmprof_ring *ring, u32 size, int cpu,
		      wait_queue_head_t *wait)
{
	unsigned int data_pages = size / PAGE_SIZE;
	void *base;

	BUILD_BUG_ON(sizeof(struct vmmprof_ring_head) > PAGE_SIZE);
	BUILD_BUG_ON(sizeof(local_t) != sizeof(u64));

	init_irq_work(&ring->work, ring_wake);
	ring->wait = wait;
	if (ring_alloc_pages(ring, data_pages + 2, cpu))
		goto err_destroy;
	base = vmap(ring->pages, data_pages + 1, VM_MAP, PAGE_KERNEL);
	if (!base)
		goto err_destroy;

	ring->head = base;
	ring->head->size = size;
	ring->data = base + PAGE_SIZE;
	ring->tail = page_address(ring->pages[data_pages + 1]);
	ring->mask = size - 1;
	ring->woken_tail = ~0ul;
	ring->names.flag = VMMPROF_L_NAMES;
	ring->chains[0].flag = VMMPROF_L_CHAINS;
	ring->chains[1].flag = VMMPROF_L_CHAINS;
	return 0;

err_destroy:
	vmmprof_ring_destroy(ring);
	return -ENOMEM;
}

void vmmprof_ring_destroy(struct vmmprof_ring *ring)
{
	if (ring->wait)
		irq_work_sync(&ring->work);
	if (ring->head)
		vunmap(ring->head);
	while (ring->nr_pages)
		__free_page(ring->pages[--ring->nr_pages]);
	kvfree(ring->pages);
	memset(ring, 0, sizeof(*ring));
}

static int ring_map_pages(struct vm_area_struct *vma, struct page **pages,
			  unsigned int nr)
{
	if (vma_pages(vma) != nr)
		return -EINVAL;
	return vm_map_pages_zero(vma, pages, nr);
}

int vmmprof_ring_map(struct vmmprof_ring *ring, struct vm_area_struct *vma)
{
	return ring_map_pages(vma, ring->pages, ring->nr_pages - 1);
}

int vmmprof_ring_map_tail(struct vmmprof_ring *ring, struct vm_area_struct *vma)
{
	return ring_map_pages(vma, ring->pages + ring->nr_pages - 1, 1);
}

/*
 * What may be in the ring at a time: the rest is for LOST records of what did not
 * fit up to the end, one of each kind, and a PAD record (vmmprof_ring_end()).
 */
static __always_inline unsigned long ring_room(const struct vmmprof_ring *ring)
{
	const unsigned long kept = 6 * sizeof(struct vmmprof_rec_lost);

	return ring->mask + 1ul - kept;
}

/* Bytes unread that wake the reader. */
static __always_inline unsigned long
ring_watermark(const struct vmmprof_ring *ring)
{
	return (ring->mask + 1ul) / 4;
}

bool vmmprof_ring_pollin(const struct vmmprof_ring *ring)
{
	return READ_ONCE(ring->head->head) - READ_ONCE(ring->tail->tail) >=
	       ring_watermark(ring);
}

notrace void vmmprof_ring_lose(struct vmmprof_ring *ring, bool nmi, u64 tsc,
			       bool sample)
{
	struct vmmprof_ring_loss *loss = &ring->loss[nmi];

	if (sample) {
		if (!loss->samples++)
			loss->first_tsc = tsc;
		loss->last_tsc = tsc;
		/* Shared by both contexts: a single instruction. */
		local_inc((local_t *)&ring->head->lost);
	} else {
		if (!loss->other++ && !loss->samples)
			loss->first_tsc = tsc;
		if (!loss->samples)
			loss->last_tsc = tsc;
		local_inc((local_t *)&ring->lost_other);
	}
	ring->losing[nmi] = true;
	WRITE_ONCE(ring->limit, 0);
}
NOKPROBE_SYMBOL(vmmprof_ring_lose);

/*
 * How far writers may go from @end without looking: to the end of the ring,
 * to the place where the reader is to be woken, and never further than
 * @tail allows.  A limit that an interrupted writer sets late is lower than
 * necessary, never too high.
 */
static notrace void ring_set_limit(struct vmmprof_ring *ring, unsigned long end,
				   unsigned long tail)
{
	unsigned long size = ring->mask + 1ul, limit;

	if (end - tail < ring_watermark(ring)) {
		limit = tail + ring_watermark(ring) - 1;
	} else {
		if (tail != ring->woken_tail && vmmprof_lazy_work_runs()) {
			ring->woken_tail = tail;
			irq_work_queue(&ring->work);
		}
		/* See from time to time whether the reader came. */
		limit = min(end + size / 16, tail + ring_room(ring));
	}
	WRITE_ONCE(ring->limit, min(limit, (end | ring->mask) + 1));
	barrier();
	/* An NMI may have begun to lose before the last line but one. */
	if (READ_ONCE(ring->losing[0]) || READ_ONCE(ring->losing[1]))
		WRITE_ONCE(ring->limit, 0);
}
NOKPROBE_SYMBOL(ring_set_limit);

/*
 * Move resv by @need bytes that lie in one piece; what is left before the end
 * of the ring becomes a PAD record.  NULL: more than @room would be unread.
 */
static notrace void *ring_take(struct vmmprof_ring *ring, unsigned int need,
			       unsigned long room)
{
	unsigned long old, at, tail;
	struct vmmprof_rec_hdr *pad;
	unsigned int rest;

	do {
		old = READ_ONCE(ring->resv);
		at = old;
		rest = ring->mask + 1 - (old & ring->mask);
		if (rest < need)
			at += rest;
		/* Pairs with the reader's release: it has read up to there. */
		tail = smp_load_acquire(&ring->tail->tail);
		if (at + need - tail > room)
			return NULL;
	} while (cmpxchg_local(&ring->resv, old, at + need) != old);

	if (at != old) {
		pad = (void *)(ring->data + (old & ring->mask));
		*pad = (struct vmmprof_rec_hdr){ .type = VMMPROF_REC_PAD,
						 .size = rest };
	}
	ring_set_limit(ring, at + need, tail);
	return ring->data + (at & ring->mask);
}
NOKPROBE_SYMBOL(ring_take);

/* Room for @need more bytes, wherever the end of the ring cuts? */
static notrace bool ring_has_room(struct vmmprof_ring *ring, unsigned int need)
{
	unsigned long used;

	/* Pairs with the reader's release of the tail. */
	used = READ_ONCE(ring->resv) - smp_load_acquire(&ring->tail->tail);
	return used + 2 * need <= ring_room(ring) && used <= ring_room(ring);
}
NOKPROBE_SYMBOL(ring_has_room);

static notrace void ring_tell_loss(struct vmmprof_ring *ring, bool nmi, u64 tsc)
{
	struct vmmprof_ring_loss *loss = &ring->loss[nmi];
	struct vmmprof_rec_lost *rec;

	rec = ring_take(ring, sizeof(*rec), ring->mask + 1ul);
	if (!rec)
		return;
	*rec = (struct vmmprof_rec_lost){
		.hdr = { .type = VMMPROF_REC_LOST,
			 .size = sizeof(*rec),
			 .tsc = tsc },
		.lost = loss->samples,
		.first_tsc = loss->first_tsc,
		.last_tsc = loss->last_tsc,
		.lost_other = loss->other,
	};
	*loss = (struct vmmprof_ring_loss){};
	ring->losing[nmi] = false;
}
NOKPROBE_SYMBOL(ring_tell_loss);

/*
 * At the limit, interrupted, or losing: then the LOST record comes first, and
 * only if the record after it fits as well.
 */
notrace void *vmmprof_ring_reserve_slow(struct vmmprof_ring *ring,
					unsigned int need, bool nmi, u64 tsc)
{
	if (ring->losing[nmi]) {
		if (!ring_has_room(ring,
				   sizeof(struct vmmprof_rec_lost) + need))
			return NULL;
		ring_tell_loss(ring, nmi, tsc);
	}
	return ring_take(ring, need, ring_room(ring));
}
NOKPROBE_SYMBOL(vmmprof_ring_reserve_slow);

notrace void vmmprof_ring_hold(struct vmmprof_ring *ring,
			       struct vmmprof_ring_held *held, u64 tsc)
{
	if (!held->nr++)
		held->first_tsc = tsc;
	held->last_tsc = tsc;
	local_inc((local_t *)&ring->lost_other);
}
NOKPROBE_SYMBOL(vmmprof_ring_hold);

notrace bool vmmprof_ring_may_take(struct vmmprof_ring *ring,
				   struct vmmprof_ring_held *held,
				   unsigned int need, u64 tsc)
{
	unsigned long used;

	used = READ_ONCE(ring->resv) - READ_ONCE(ring->tail->tail);
	if (used + need <= (ring->mask + 1ul) / 2)
		return true;
	vmmprof_ring_hold(ring, held, tsc);
	return false;
}
NOKPROBE_SYMBOL(vmmprof_ring_may_take);

static notrace void put_held(struct vmmprof_rec_lost *rec,
			     struct vmmprof_ring_held *held, u64 tsc)
{
	*rec = (struct vmmprof_rec_lost){
		.hdr = { .type = VMMPROF_REC_LOST,
			 .size = sizeof(*rec),
			 .flags = held->flag,
			 .tsc = tsc },
		.first_tsc = held->first_tsc,
		.last_tsc = held->last_tsc,
		.lost_other = held->nr,
	};
	held->nr = 0;
}
NOKPROBE_SYMBOL(put_held);

notrace void vmmprof_ring_tell_held(struct vmmprof_ring *ring,
				    struct vmmprof_ring_held *held, bool nmi,
				    u64 tsc)
{
	struct vmmprof_rec_lost *rec;

	if (!held->nr)
		return;
	rec = vmmprof_ring_begin(ring, sizeof(*rec), nmi, tsc);
	if (rec)
		put_held(rec, held, tsc);
	vmmprof_ring_commit(ring);
}
NOKPROBE_SYMBOL(vmmprof_ring_tell_held);

void vmmprof_ring_end(struct vmmprof_ring *ring, u64 tsc)
{
	struct vmmprof_ring_held *held[] = { &ring->names, &ring->chains[0],
					     &ring->chains[1] };
	struct vmmprof_rec_lost *rec;
	unsigned int i;

	ring->nest++;
	for (i = 0; i < ARRAY_SIZE(ring->loss); i++)
		if (ring->losing[i])
			ring_tell_loss(ring, i, tsc);
	for (i = 0; i < ARRAY_SIZE(held); i++) {
		rec = held[i]->nr ?
			      ring_take(ring, sizeof(*rec), ring->mask + 1ul) :
			      NULL;
		if (rec)
			put_held(rec, held[i], tsc);
	}
	vmmprof_ring_commit(ring);
}
