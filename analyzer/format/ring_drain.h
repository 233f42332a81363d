/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Empties the module's rings into the session's files, straight from the
 * mapping: one write per contiguous stretch, no record is looked at.
 */
#ifndef FORMAT_RING_DRAIN_H
#define FORMAT_RING_DRAIN_H

#include <stddef.h>
#include <stdint.h>

#include <vmmprof/ioctl.h>

/* One CPU's ring as this process sees it. */
struct mapped_ring {
	unsigned int cpu;
	uint32_t size; /* data bytes, a power of two */
	const struct vmmprof_ring_head *head;
	struct vmmprof_ring_tail *tail;
	const uint8_t *data;
	uint64_t bytes; /* written to the file so far */
};

/* The memory stays the caller's. */
void mapped_ring_init(struct mapped_ring *ring, unsigned int cpu,
		      const void *head, void *tail, const void *data,
		      uint32_t size);

/*
 * Writes what is in the ring to fd and frees its place.  Returns the bytes
 * written or -errno: -EBADMSG if the indices cannot be (the ring is then left
 * as it is), else that of write(), with everything before it kept and freed.
 */
int64_t ring_drain(struct mapped_ring *ring, int fd);

/* The same, up to @head, which ring_head() has said. */
int64_t ring_drain_until(struct mapped_ring *ring, uint64_t head, int fd);
uint64_t ring_head(const struct mapped_ring *ring);

/*
 * The record at *at, which is then behind it; NULL: none before @head, or what is
 * there is no record.  *at is at or behind the tail.
 */
const struct vmmprof_rec_hdr *ring_next(const struct mapped_ring *ring,
					uint64_t *at, uint64_t head);

#endif /* FORMAT_RING_DRAIN_H */
