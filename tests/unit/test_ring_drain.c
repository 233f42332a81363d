// SPDX-License-Identifier: GPL-2.0-only
/* Draining a ring made up in memory: wrap, PAD, LOST, indices that cannot be. */

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <vmmprof/record.h>

#include "test.h"
#include "format/ring_drain.h"

enum { SIZE = 256 };

static struct vmmprof_ring_head head;
static struct vmmprof_ring_tail tail;
static uint8_t data[SIZE];
static struct mapped_ring ring;
static int file;

static void begin(void)
{
	char path[] = "/tmp/vmmprof-test-XXXXXX";

	file = mkstemp(path);
	if (file < 0 || unlink(path))
		abort();
	head.size = SIZE;
	mapped_ring_init(&ring, 3, &head, &tail, data, SIZE);
}

/* Puts one record as the module would: PAD up to the end, then the record. */
static void produce(uint16_t type, uint16_t size, uint64_t tsc)
{
	struct vmmprof_rec_hdr rec = { .type = type, .size = size, .tsc = tsc };
	uint64_t left = SIZE - (head.head & (SIZE - 1));

	if (left < size) {
		struct vmmprof_rec_hdr pad = { .size = left };

		memcpy(data + (head.head & (SIZE - 1)), &pad, sizeof(pad));
		head.head += left;
	}
	memcpy(data + (head.head & (SIZE - 1)), &rec, sizeof(rec));
	head.head += size;
}

/* The next record of the file that is no PAD. */
static int expect(uint16_t type, uint64_t tsc)
{
	struct vmmprof_rec_hdr rec;

	do {
		TEST_EQ(read(file, &rec, sizeof(rec)), sizeof(rec));
		TEST_OK(rec.size >= sizeof(rec));
		lseek(file, rec.size - sizeof(rec), SEEK_CUR);
	} while (rec.type == VMMPROF_REC_PAD);
	TEST_EQ(rec.type, type);
	TEST_EQ(rec.tsc, tsc);
	return 0;
}

TEST(drain_of_empty_ring_writes_nothing)
{
	begin();
	TEST_EQ(ring_drain(&ring, file), 0);
	TEST_EQ(lseek(file, 0, SEEK_END), 0);
	return 0;
}

TEST(drain_keeps_order_over_the_wrap)
{
	begin();
	produce(VMMPROF_REC_SAMPLE, 80, 1);
	produce(VMMPROF_REC_SAMPLE, 80, 2);
	TEST_EQ(ring_drain(&ring, file), 160);
	TEST_EQ(tail.tail, 160);
	produce(VMMPROF_REC_LOST, 48, 3);
	produce(VMMPROF_REC_SAMPLE, 80, 4); /* 48 bytes of PAD before it */
	TEST_EQ(ring_drain(&ring, file), 48 + 48 + 80);
	TEST_EQ(tail.tail, SIZE + 80);
	TEST_EQ(ring.bytes, SIZE + 80);
	lseek(file, 0, SEEK_SET);
	TEST_EQ(expect(VMMPROF_REC_SAMPLE, 1), 0);
	TEST_EQ(expect(VMMPROF_REC_SAMPLE, 2), 0);
	TEST_EQ(expect(VMMPROF_REC_LOST, 3), 0);
	TEST_EQ(expect(VMMPROF_REC_SAMPLE, 4), 0);
	return 0;
}

TEST(drain_takes_a_full_ring)
{
	begin();
	head.head = 128;
	tail.tail = 128;
	produce(VMMPROF_REC_SAMPLE, 128, 1);
	produce(VMMPROF_REC_SAMPLE, 128, 2);
	TEST_EQ(ring_drain(&ring, file), SIZE);
	lseek(file, 0, SEEK_SET);
	TEST_EQ(expect(VMMPROF_REC_SAMPLE, 1), 0);
	TEST_EQ(expect(VMMPROF_REC_SAMPLE, 2), 0);
	return 0;
}

TEST(drain_refuses_impossible_indices)
{
	begin();
	head.head = SIZE + 16;
	TEST_EQ(ring_drain(&ring, file), -EBADMSG);
	head.head = 0;
	tail.tail = 16;
	TEST_EQ(ring_drain(&ring, file), -EBADMSG);
	TEST_EQ(tail.tail, 16);
	return 0;
}

TEST(drain_tells_a_write_error_and_keeps_the_rest)
{
	int full;

	begin();
	full = open("/dev/full", O_WRONLY);
	produce(VMMPROF_REC_SAMPLE, 80, 1);
	TEST_EQ(ring_drain(&ring, full), -ENOSPC);
	TEST_EQ(tail.tail, 0);
	TEST_EQ(ring_drain(&ring, file), 80);
	return 0;
}
