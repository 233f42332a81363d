// SPDX-License-Identifier: GPL-2.0-only
/*
 * Empties the module's rings into the session's files, straight from the
 * mapping: one write per contiguous stretch, no record is looked at.  Those that
 * have to be seen are, before that.
 */

#include <errno.h>
#include <unistd.h>

#include <vmmprof/record.h>

#include "format/ring_drain.h"

void mapped_ring_init(struct mapped_ring *ring, unsigned int cpu,
		      const void *head, void *tail, const void *data,
		      uint32_t size)
{
	ring->cpu = cpu;
	ring->size = size;
	ring->head = head;
	ring->tail = tail;
	ring->data = data;
	ring->bytes = 0;
}

uint64_t ring_head(const struct mapped_ring *ring)
{
	return __atomic_load_n(&ring->head->head, __ATOMIC_ACQUIRE);
}

const struct vmmprof_rec_hdr *ring_next(const struct mapped_ring *ring,
					uint64_t *at, uint64_t head)
{
	const uint64_t offset = *at & (ring->size - 1);
	const struct vmmprof_rec_hdr *hdr = (const void *)(ring->data + offset);

	if (*at >= head || head - *at > ring->size ||
	    hdr->size < sizeof(*hdr) || hdr->size > ring->size - offset)
		return NULL;
	*at += hdr->size;
	return hdr;
}

int64_t ring_drain(struct mapped_ring *ring, int fd)
{
	return ring_drain_until(ring, ring_head(ring), fd);
}

int64_t ring_drain_until(struct mapped_ring *ring, uint64_t head, int fd)
{
	uint64_t tail = ring->tail->tail; /* written by this process alone */
	int64_t done = 0;

	if (head - tail > ring->size)
		return -EBADMSG;
	while (tail != head) {
		uint64_t offset = tail & (ring->size - 1);
		uint64_t len = head - tail;
		ssize_t n;

		if (len > ring->size - offset)
			len = ring->size - offset;
		n = write(fd, ring->data + offset, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		tail += n;
		done += n;
		ring->bytes += n;
		__atomic_store_n(&ring->tail->tail, tail, __ATOMIC_RELEASE);
	}
	return done;
}
