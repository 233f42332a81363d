/* SPDX-License-Identifier: GPL-2.0-only */
/* A ring with what the module tells of vCPUs and tasks, for tests. */
#ifndef VMMPROF_TEST_TOLD_RING
#define VMMPROF_TEST_TOLD_RING

#include <stdlib.h>
#include <string.h>

#include <vmmprof/record.h>

#include "host/told.h"
#include "test.h"

static struct vmmprof_ring_head head;
static struct vmmprof_ring_tail tail;
static uint8_t data[4096];
static struct mapped_ring ring;

static inline void ring_begin(void)
{
	memset(&head, 0, sizeof(head));
	tail.tail = 0;
	mapped_ring_init(&ring, 0, &head, &tail, data, sizeof(data));
}

/* All have the same size here, so that none is cut. */
static inline void put(const void *rec)
{
	memcpy(data + head.head % sizeof(data), rec, 64);
	head.head += 64;
}

static inline void put_vcpu(__u64 tsc, __u32 pid, __u32 tid, __u64 offset)
{
	const struct vmmprof_rec_vcpu v = {
		.hdr = { .type = VMMPROF_REC_VCPU,
			 .size = sizeof(v),
			 .tsc = tsc },
		.pid = pid,
		.tid = tid,
		.vcpu_id = tid - 11,
		.tsc_offset = offset,
	};

	put(&v);
}

static inline __u64 mm_of(__u32 tid)
{
	return 0xffff888000000000 + tid * 0x1000ull;
}

static inline void put_task(__u64 tsc, __u32 id, __u32 tid, __u32 flags)
{
	const struct vmmprof_rec_identity task = {
		.hdr = { .type = VMMPROF_REC_IDENTITY,
			 .size = sizeof(task),
			 .flags = flags,
			 .tsc = tsc },
		.id = id,
		.pid = 1,
		.tgid = tid,
		.tid = tid,
		.mm = mm_of(tid),
	};

	put(&task);
}

#endif /* VMMPROF_TEST_TOLD_RING */
