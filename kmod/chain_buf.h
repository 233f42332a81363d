/* SPDX-License-Identifier: GPL-2.0-only */
/* A chain that is being taken, and how it gets into the ring. */
#ifndef VMMPROF_CHAIN_BUF_H
#define VMMPROF_CHAIN_BUF_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/page.h>
#include <vmmprof/record.h>

#include "ring.h"

#define VMMPROF_CHAIN_DATA (VMMPROF_CHAIN_WORDS + VMMPROF_CHAIN_DEPTH + 1)

/* Addresses of user mode are below it, with LA57 too. */
#define VMMPROF_USER_END   BIT_ULL(56)

struct vmmprof_chain_buf {
	u32 flags; /* VMMPROF_C_* */
	u32 depth; /* frames of a part, at most */
	u32 nr_kernel;
	u32 nr_user;
	u8 end_kernel; /* enum vmmprof_chain_end */
	u8 end_user;
	u32 stack_most; /* bytes of the user stack, at most */
	u32 stack_size;
	u64 *stack; /* room for these, or NULL */
	struct vmmprof_chain_regs regs;
	struct vmmprof_chain_state state; /* with C_STATE */
	u64 data[VMMPROF_CHAIN_DATA];	  /* the kernel part, the user part */
};

/*
 * A chain that is in the ring, or was: @at is the position of its data, which
 * is there until the writer comes by again.
 */
struct vmmprof_chain_seen {
	unsigned long at;
	u32 hash;
	u16 nr_kernel; /* with nr_user 0: the place is empty */
	u16 nr_user;
};

#define VMMPROF_CHAIN_SEEN_BITS 10

/* Of one context: it has one writer. */
struct vmmprof_chain_table {
	struct vmmprof_chain_seen seen[1 << VMMPROF_CHAIN_SEEN_BITS];
};

/* Begin an empty one. */
static __always_inline void vmmprof_chain_begin(struct vmmprof_chain_buf *buf,
						u32 flags, u32 depth)
{
	buf->flags = flags;
	buf->depth = depth;
	buf->nr_kernel = 0;
	buf->nr_user = 0;
	buf->stack_size = 0;
	buf->end_kernel = VMMPROF_END_NONE;
	buf->end_user = VMMPROF_END_NONE;
	buf->regs = (struct vmmprof_chain_regs){};
}

/* The kernel part is complete before the user part begins. */
static __always_inline void vmmprof_chain_user(struct vmmprof_chain_buf *buf,
					       u64 ip)
{
	buf->data[buf->nr_kernel + buf->nr_user++] = ip;
}

/*
 * Read the two words of a frame, the caller's frame pointer and the return
 * address; VMMPROF_END_NONE, or why that cannot be.
 */
typedef u8 vmmprof_frame_fn(void *arg, u64 at, u64 frame[2]);

/*
 * User frames by their pointers, from @bp on, of a stack that ends at @sp; up to
 * @most in all.  Addresses are below @end.  Returns why there are no more.
 */
static __always_inline u8 vmmprof_chain_frames(struct vmmprof_chain_buf *buf,
					       u64 bp, u64 sp, u32 most,
					       u64 end, vmmprof_frame_fn *read,
					       void *arg)
{
	u64 last = sp, frame[2];
	u8 why;

	for (; buf->nr_user < most; bp = frame[0]) {
		if (!bp)
			return VMMPROF_END_DONE;
		if (bp & 7 || bp < last || bp < PAGE_SIZE || bp >= end)
			return VMMPROF_END_FRAME;
		why = read(arg, bp, frame);
		if (why)
			return why;
		if (!frame[1])
			return VMMPROF_END_DONE;
		if (frame[1] < PAGE_SIZE || frame[1] >= end)
			return VMMPROF_END_FRAME;
		vmmprof_chain_user(buf, frame[1]);
		last = bp + sizeof(frame);
	}
	return VMMPROF_END_DEPTH;
}

/*
 * Write a CHAIN record of the record of @tsc.  Data that the ring still holds
 * is referred to, unless there is a stack.  @nmi: the context, whose table @table is.
 * Context: NMI, IRQ, or interrupts off.
 */
void vmmprof_chain_put(struct vmmprof_ring *ring,
		       struct vmmprof_chain_table *table, bool nmi,
		       const struct vmmprof_chain_buf *buf, u64 tsc);

#endif /* VMMPROF_CHAIN_BUF_H */
