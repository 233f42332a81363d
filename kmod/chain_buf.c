// SPDX-License-Identifier: GPL-2.0-only
/*
 * CHAIN records, and chains met again.
 *
 * The data of a chain that was written lately is still in the ring: nothing but
 * this CPU writes there, and user space maps it read-only.  So a table of
 * positions is enough to find it, and the words are compared with the ring's
 * own: a guest that makes chains of equal hashes gains nothing.  A position is
 * good until resv has gone round the ring; an NMI may move resv while a chain is
 * compared, so that is looked at again afterwards.
 *
 * Each context (NMI or not) has a table and ids of its own, for no table has
 * two writers then.
 */
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "chain_buf.h"

#define HASHED 12 /* words */

/*
 * Of the innermost words and their number: enough to find a chain, which is
 * then compared as a whole.
 */
static __always_inline u64 hash_words(const u64 *w, u32 nr)
{
	u64 h = nr;

	for (nr = min_t(u32, nr, HASHED); nr; nr--)
		h = rol64((h ^ *w++) * GOLDEN_RATIO_64, 29);
	return h * GOLDEN_RATIO_64;
}

/* The position of @p, which was reserved in @ring a moment ago. */
static __always_inline unsigned long position(const struct vmmprof_ring *ring,
					      const void *p)
{
	unsigned long resv = READ_ONCE(ring->resv);

	return resv - ((resv - ((const u8 *)p - ring->data)) & ring->mask);
}

static __always_inline bool still_there(const struct vmmprof_ring *ring,
					unsigned long at)
{
	return READ_ONCE(ring->resv) - at <= ring->mask + 1ul;
}

/* The ring holds the same data at the position of @seen. */
static __always_inline bool same(const struct vmmprof_ring *ring,
				 const struct vmmprof_chain_seen *seen,
				 const struct vmmprof_chain_buf *buf, u32 hash)
{
	u32 i, nr = buf->nr_kernel + buf->nr_user;
	const u64 *data;

	if (seen->hash != hash || seen->nr_kernel != buf->nr_kernel ||
	    seen->nr_user != buf->nr_user || !still_there(ring, seen->at))
		return false;
	data = (const u64 *)(ring->data + (seen->at & ring->mask));
	for (i = 0; i < nr; i++)
		if (READ_ONCE(data[i]) != buf->data[i])
			return false;
	return still_there(ring, seen->at);
}

/* Room for a record of @size bytes, or NULL: it was counted. */
static __always_inline void *begin(struct vmmprof_ring *ring, bool nmi,
				   unsigned int size, u64 tsc)
{
	struct vmmprof_ring_held *held = &ring->chains[nmi];
	void *rec;

	if (!vmmprof_ring_may_take(ring, held, size, tsc))
		return NULL;
	if (unlikely(held->nr))
		vmmprof_ring_tell_held(ring, held, nmi, tsc);
	rec = vmmprof_ring_begin(ring, size, nmi, tsc);
	if (unlikely(!rec)) {
		vmmprof_ring_commit(ring);
		vmmprof_ring_hold(ring, held, tsc);
	}
	return rec;
}

static __always_inline void
write_data(u64 *to, const struct vmmprof_chain_buf *buf, u32 nr)
{
	u32 stack = buf->stack_size / sizeof(u64);

	memcpy(to, buf->data, nr * sizeof(u64));
	if (stack)
		memcpy(to + nr, buf->stack, buf->stack_size);
	if ((nr + stack) & 1)
		to[nr + stack] = 0;
}

notrace void vmmprof_chain_put(struct vmmprof_ring *ring,
			       struct vmmprof_chain_table *table, bool nmi,
			       const struct vmmprof_chain_buf *buf, u64 tsc)
{
	u32 nr = buf->nr_kernel + buf->nr_user, flags = buf->flags, slot;
	struct vmmprof_chain_seen *seen;
	struct vmmprof_rec_chain *rec;
	unsigned int size = sizeof(*rec);
	bool keep, ref;
	u64 hash;
	u8 *to;

	hash = hash_words(buf->data, nr);
	slot = hash >> (64 - VMMPROF_CHAIN_SEEN_BITS);
	seen = &table->seen[slot];
	keep = nr && !buf->stack_size; /* two stacks are hardly ever the same */
	ref = keep && same(ring, seen, buf, hash);
	if (ref)
		flags |= VMMPROF_C_REF;
	if (flags & VMMPROF_C_REGS)
		size += sizeof(buf->regs);
	if (flags & VMMPROF_C_STATE)
		size += sizeof(buf->state);
	if (!ref)
		size += ALIGN(nr * sizeof(u64) + buf->stack_size,
			      VMMPROF_REC_ALIGN);
	rec = begin(ring, nmi, size, tsc);
	if (!rec)
		return;
	*rec = (struct vmmprof_rec_chain){
		.hdr = { .type = VMMPROF_REC_CHAIN,
			 .size = size,
			 .flags = flags,
			 .tsc = tsc },
		.id = keep ? 1 + slot + (nmi << VMMPROF_CHAIN_SEEN_BITS) : 0,
		.nr_kernel = buf->nr_kernel,
		.nr_user = buf->nr_user,
		.end_kernel = buf->end_kernel,
		.end_user = buf->end_user,
		.stack_size = buf->stack_size,
	};
	to = (u8 *)(rec + 1);
	if (flags & VMMPROF_C_REGS) {
		memcpy(to, &buf->regs, sizeof(buf->regs));
		to += sizeof(buf->regs);
	}
	if (flags & VMMPROF_C_STATE) {
		memcpy(to, &buf->state, sizeof(buf->state));
		to += sizeof(buf->state);
	}
	if (!ref)
		write_data((u64 *)to, buf, nr);
	if (keep && !ref)
		*seen = (struct vmmprof_chain_seen){
			.at = position(ring, to),
			.hash = hash,
			.nr_kernel = buf->nr_kernel,
			.nr_user = buf->nr_user,
		};
	vmmprof_ring_commit(ring);
}
NOKPROBE_SYMBOL(vmmprof_chain_put);
