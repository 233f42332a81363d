// SPDX-License-Identifier: GPL-2.0-only
/* analyzer/host/guest_sights.c: what is seen in a ring, of which VM. */

#include <string.h>

#include <vmmprof/record.h>

#include "host/guest_sights.h"
#include "test.h"

enum { SIZE = 16384 };

static struct vmmprof_ring_head head;
static struct vmmprof_ring_tail tail;
static uint8_t data[SIZE];

/* As the module puts it: PAD up to the end, then the record. */
static void put(const void *rec, size_t size)
{
	size_t left = SIZE - head.head % SIZE;

	if (left < size) {
		struct vmmprof_rec_hdr pad = { .size = left };

		memcpy(data + head.head % SIZE, &pad, sizeof(pad));
		head.head += left;
	}
	memcpy(data + head.head % SIZE, rec, size);
	head.head += size;
}

static void sample(__u32 pid, __u32 flags, __u32 cpl, __u64 ip, __u64 cr3,
		   __u32 identity)
{
	const struct vmmprof_rec_sample s = {
		.hdr = { .type = VMMPROF_REC_SAMPLE,
			 .size = sizeof(s),
			 .flags = flags },
		.pid = pid,
		.guest_ip = ip,
		.guest_cr3 = cr3,
		.guest_ss_ar = cpl << 5,
		.identity = identity,
	};

	put(&s, sizeof(s));
}

static void identity(__u32 pid, __u32 id, __u32 tgid, __u64 mm, __u32 flags)
{
	const struct vmmprof_rec_identity i = {
		.hdr = { .type = VMMPROF_REC_IDENTITY,
			 .size = sizeof(i),
			 .flags = flags },
		.id = id,
		.pid = pid,
		.tgid = tgid,
		.mm = mm,
	};

	put(&i, sizeof(i));
}

#define GUEST (VMMPROF_S_VCPU | VMMPROF_S_GUEST | VMMPROF_S_STATE)
#define TEXT  0xffffffff81234567ull

TEST(a_moment_in_the_kernel_is_one_of_its_own_page_table)
{
	struct guest_sights s = { 0 };
	struct mapped_ring ring;
	const struct guest_sight *g;
	int i;

	memset(&head, 0, sizeof(head));
	tail.tail = 0;
	mapped_ring_init(&ring, 0, &head, &tail, data, SIZE);
	sample(7, GUEST & ~VMMPROF_S_GUEST, 0, TEXT, 0x4000, 0);
	TEST_EQ(guest_sights_look(&s, 0, &ring), 0);
	TEST_OK(!guest_sights_find(&s, 7));
	sample(7, GUEST, 3, 0x401000, 0x5000, 0);
	sample(7, GUEST, 3, TEXT, 0x4000, 0);
	sample(7, GUEST, 0, 0xffff888000001000ull, 0x4000, 0);
	sample(7, GUEST, 0, 0xffffffffc0001000ull, 0x4000, 0);
	sample(7, GUEST, 0, TEXT, 0x5000, 0);
	sample(7, GUEST | VMMPROF_S_L2, 0, TEXT, 0x4000, 0);
	sample(7, GUEST | VMMPROF_S_SHADOW, 0, TEXT, 0x4000, 0);
	sample(7, GUEST | VMMPROF_S_UNPAGED, 0, TEXT, 0x4000, 0);
	sample(7, GUEST & ~VMMPROF_S_STATE, 0, TEXT, 0x4000, 0);
	TEST_EQ(guest_sights_look(&s, 0, &ring), 0);
	g = guest_sights_find(&s, 7);
	TEST_OK(g && !g->rip && !g->encrypted);
	/* under page table isolation not so many in a row have that bit */
	for (i = 0; i < 30; i++)
		sample(7, GUEST, 0, TEXT, 0x5000, 0);
	TEST_EQ(guest_sights_look(&s, 0, &ring), 0);
	TEST_EQ(guest_sights_find(&s, 7)->rip, 0);
	sample(7, GUEST, 0, TEXT, 0x5000, 0);
	TEST_EQ(guest_sights_look(&s, 0, &ring), 0);
	TEST_EQ(guest_sights_find(&s, 7)->cr3, 0x5000);
	sample(7, GUEST, 0, TEXT, 0x4000, 0);
	sample(8, GUEST, 0, TEXT + 1, 0x6000, 0);
	TEST_EQ(guest_sights_look(&s, 0, &ring), 0);
	g = guest_sights_find(&s, 7);
	TEST_EQ(g->rip, TEXT);
	TEST_EQ(g->cr3, 0x4000);
	TEST_EQ(guest_sights_find(&s, 8)->cr3, 0x6000);
	sample(9, GUEST | VMMPROF_S_PROTECTED, 0, TEXT, 0x4000, 0);
	sample(10, GUEST, 0, TEXT, 0x4000, VMMPROF_WHO_ENCRYPTED);
	TEST_EQ(guest_sights_look(&s, 0, &ring), 0);
	TEST_OK(guest_sights_find(&s, 9)->encrypted);
	TEST_EQ(guest_sights_find(&s, 9)->rip, 0);
	TEST_OK(guest_sights_find(&s, 10)->encrypted);
	guest_sights_deinit(&s);
	return 0;
}

TEST(samples_whose_tasks_are_not_there_are_counted_in_a_row)
{
	struct guest_sights s = { 0 };
	struct mapped_ring ring;

	memset(&head, 0, sizeof(head));
	tail.tail = 0;
	mapped_ring_init(&ring, 0, &head, &tail, data, SIZE);
	sample(7, GUEST, 3, 0x401000, 0x5000, VMMPROF_WHO_UNMAPPED);
	sample(7, GUEST, 3, 0x401000, 0x5000, VMMPROF_WHO_BUSY);
	sample(7, GUEST, 3, 0x401000, 0x5000, VMMPROF_WHO_NO_LAYOUT);
	sample(7, GUEST, 3, 0x401000, 0x5000, VMMPROF_WHO_LATER);
	identity(7, VMMPROF_WHO_INVALID, 0, 0, VMMPROF_I_SAMPLE);
	sample(8, GUEST, 3, 0x401000, 0x5000, VMMPROF_WHO_INVALID);
	TEST_EQ(guest_sights_look(&s, 0, &ring), 0);
	TEST_EQ(guest_sights_find(&s, 7)->unread, 2);
	TEST_EQ(guest_sights_find(&s, 8)->unread, 1);
	sample(7, GUEST, 3, 0x401000, 0x5000, VMMPROF_WHO_FIRST);
	TEST_EQ(guest_sights_look(&s, 0, &ring), 0);
	TEST_EQ(guest_sights_find(&s, 7)->unread, 0);
	TEST_EQ(guest_sights_find(&s, 8)->unread, 1);
	guest_sights_deinit(&s);
	return 0;
}

TEST(a_process_is_new_once_and_records_are_seen_once)
{
	struct guest_sights s = { 0 };
	struct mapped_ring ring;
	int i;

	memset(&head, 0, sizeof(head));
	tail.tail = 0;
	mapped_ring_init(&ring, 0, &head, &tail, data, SIZE);
	identity(7, 16, 100, 0x1000, 0);
	identity(7, 17, 100, 0x2000, 0); /* an exec */
	identity(7, 18, 100, 0x1000, VMMPROF_I_SAMPLE);
	identity(7, VMMPROF_WHO_LATER, 101, 0x3000, VMMPROF_I_SAMPLE);
	identity(7, 19, 2, 0x1000, VMMPROF_I_KTHREAD);
	identity(7, 20, 3, 0, 0);
	TEST_EQ(guest_sights_look(&s, 1, &ring), 0);
	TEST_EQ(guest_sights_find(&s, 7)->found, 2);
	TEST_EQ(guest_sights_look(&s, 1, &ring), 0);
	TEST_EQ(guest_sights_find(&s, 7)->found, 2);
	/* several times around, drained each time; of another VM it is new */
	for (i = 0; i < 3 * SIZE / 64; i++) {
		tail.tail = head.head;
		identity(8, 16, 100, 0x1000, 0);
		TEST_EQ(guest_sights_look(&s, 1, &ring), 0);
	}
	TEST_EQ(guest_sights_find(&s, 8)->found, 1);
	/* a size that cannot be ends the look, not the process */
	memset(data, 0, sizeof(data));
	head.head += 64;
	TEST_EQ(guest_sights_look(&s, 1, &ring), 0);
	guest_sights_deinit(&s);
	return 0;
}

TEST(vmms_that_were_sampled_are_told_once)
{
	struct guest_sights s = { 0 };
	struct mapped_ring ring;
	uint32_t vmms[4];

	memset(&head, 0, sizeof(head));
	tail.tail = 0;
	mapped_ring_init(&ring, 0, &head, &tail, data, SIZE);
	TEST_EQ(guest_sights_sampled(&s, vmms, 4), 0);
	identity(9, VMMPROF_WHO_FIRST, 1, 0x1000, 0);
	sample(7, GUEST, 3, 0x401000, 0x5000, 0);
	sample(8, GUEST, 0, TEXT, 0x4000, 0);
	sample(7, GUEST, 0, TEXT, 0x4000, 0);
	TEST_EQ(guest_sights_look(&s, 0, &ring), 0);
	TEST_EQ(guest_sights_sampled(&s, vmms, 1), 1);
	TEST_EQ(vmms[0], 7);
	TEST_EQ(guest_sights_sampled(&s, vmms, 4), 1);
	TEST_EQ(vmms[0], 8);
	TEST_EQ(guest_sights_sampled(&s, vmms, 4), 0);
	sample(7, GUEST, 3, 0x401000, 0x5000, 0);
	TEST_EQ(guest_sights_look(&s, 0, &ring), 0);
	TEST_EQ(guest_sights_sampled(&s, vmms, 4), 1);
	guest_sights_deinit(&s);
	return 0;
}
