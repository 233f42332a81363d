/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One CPU's ring of records: written by that CPU, read by the mapping process.
 * ring.c says why an interrupted writer never shows an unfinished record.
 */
#ifndef VMMPROF_RING_H
#define VMMPROF_RING_H

#include <linux/irq_work.h>
#include <linux/wait.h>
#include <vmmprof/ioctl.h>
#include <vmmprof/record.h>

struct vm_area_struct;

/*
 * What user space asks for and is told that there is no memory for: nothing is
 * said of it in the kernel's log.
 */
#define VMMPROF_GFP (GFP_KERNEL_ACCOUNT | __GFP_NOWARN)

/* Losses not yet told by a LOST record. */
struct vmmprof_ring_loss {
	u64 samples;
	u64 other;
	u64 first_tsc; /* of the samples; without such, of the others */
	u64 last_tsc;
};

/* Records of one kind that others' space had no place for, not yet told of. */
struct vmmprof_ring_held {
	u64 nr;
	u32 flag; /* VMMPROF_L_*: of which kind */
	u64 first_tsc;
	u64 last_tsc;
};

struct vmmprof_ring {
	/* Used by every record.  Positions count all bytes ever written. */
	unsigned long resv;  /* reserved up to here */
	unsigned long limit; /* no need to look at anything else before here */
	struct vmmprof_ring_head *head;
	u8 *data;
	u32 mask;	   /* size - 1 */
	unsigned int nest; /* writers at work: interrupted ones and this */

	const struct vmmprof_ring_tail *tail; /* the reader writes: distrust */
	unsigned long woken_tail; /* the tail that the reader was woken for */
	unsigned long lost_other; /* ever; written like a local_t */
	bool losing[2];		  /* by context: [1] NMI */
	struct vmmprof_ring_loss loss[2];
	struct vmmprof_ring_held names;	    /* SWITCH; not in NMI */
	struct vmmprof_ring_held chains[2]; /* CHAIN, by context: [1] NMI */
	struct irq_work work;
	wait_queue_head_t *wait;
	struct page **pages; /* head page, data; last one: the tail's */
	unsigned int nr_pages;
};

/*
 * Allocate a ring of @size data bytes (checked by the caller) on @cpu's node;
 * @wait is woken when it is a quarter full.  Context: may sleep.  Returns 0 or
 * -ENOMEM, without a word in the kernel log.
 */
int vmmprof_ring_init(struct vmmprof_ring *ring, u32 size, int cpu,
		      wait_queue_head_t *wait);

/* No writer may be left.  Also for a zeroed ring.  Context: may sleep. */
void vmmprof_ring_destroy(struct vmmprof_ring *ring);

/*
 * Map head page and data, or the tail's page.  The mapping's length has to be
 * exact (-EINVAL).  Context: mmap handler.
 */
int vmmprof_ring_map(struct vmmprof_ring *ring, struct vm_area_struct *vma);
int vmmprof_ring_map_tail(struct vmmprof_ring *ring,
			  struct vm_area_struct *vma);

/* True when the reader has a quarter of the ring to read.  Any context. */
bool vmmprof_ring_pollin(const struct vmmprof_ring *ring);

/* Count a record that did not fit.  Context: NMI or IRQ, see ring.c. */
void vmmprof_ring_lose(struct vmmprof_ring *ring, bool nmi, u64 tsc,
		       bool sample);

/*
 * A record that others can be read without (@held says of which kind) may take
 * space up to half of the ring, so that such ones never crowd out those that
 * cannot be done without.  False: it is held back, counted, and told of by
 * vmmprof_ring_tell_held().  Context: that of @held.
 */
bool vmmprof_ring_may_take(struct vmmprof_ring *ring,
			   struct vmmprof_ring_held *held, unsigned int need,
			   u64 tsc);

/* Count one of that kind that did not fit.  Context: as above. */
void vmmprof_ring_hold(struct vmmprof_ring *ring,
		       struct vmmprof_ring_held *held, u64 tsc);

/*
 * Write a LOST record of what was held back, if there is room; before the next
 * record of that kind (names: of a switch).
 */
void vmmprof_ring_tell_held(struct vmmprof_ring *ring,
			    struct vmmprof_ring_held *held, bool nmi, u64 tsc);

/*
 * Tell of all that was lost or held back up to now, for which there is always room.
 * Context: no writer is left; may sleep.
 */
void vmmprof_ring_end(struct vmmprof_ring *ring, u64 tsc);

/*
 * Reserve @need bytes (a multiple of VMMPROF_REC_ALIGN) for a record: *@rec
 * is where to write it.  False: try vmmprof_ring_reserve_slow(), which
 * returns NULL if the ring is full.  In every case call vmmprof_ring_commit()
 * next, on the same CPU.  @nmi: the context; @tsc: for a LOST record that is
 * due.  Context: NMI or IRQ.
 */
static __always_inline bool vmmprof_ring_reserve(struct vmmprof_ring *ring,
						 unsigned int need, void **rec)
{
	unsigned long old, end;

	ring->nest++;
	barrier();
	old = READ_ONCE(ring->resv);
	end = old + need;
	*rec = ring->data + (old & ring->mask);
	return likely(end <= READ_ONCE(ring->limit)) &&
	       likely(cmpxchg_local(&ring->resv, old, end) == old);
}

void *vmmprof_ring_reserve_slow(struct vmmprof_ring *ring, unsigned int need,
				bool nmi, u64 tsc);

/* Both, where speed is no concern. */
static inline void *vmmprof_ring_begin(struct vmmprof_ring *ring,
				       unsigned int need, bool nmi, u64 tsc)
{
	void *rec;

	if (vmmprof_ring_reserve(ring, need, &rec))
		return rec;
	return vmmprof_ring_reserve_slow(ring, need, nmi, tsc);
}

/* Show the reader what is complete. */
static __always_inline void vmmprof_ring_commit(struct vmmprof_ring *ring)
{
	unsigned long resv;

	barrier();
	if (unlikely(ring->nest != 1)) {
		ring->nest--;
		return;
	}
	for (;;) {
		resv = READ_ONCE(ring->resv);
		/* Pairs with the reader's acquire of head. */
		smp_store_release(&ring->head->head, resv);
		barrier();
		WRITE_ONCE(ring->nest, 0);
		barrier();
		if (likely(READ_ONCE(ring->resv) == resv))
			return;
		WRITE_ONCE(ring->nest, 1);
		barrier();
	}
}

#endif /* VMMPROF_RING_H */
