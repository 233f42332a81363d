// SPDX-License-Identifier: GPL-2.0-only
/* What was told before is told again where the records of before are not. */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/top/recorder.h"
#include "told_ring.h"

static __u32 id_of(const void *rec)
{
	return ((const struct vmmprof_rec_identity *)rec)->id;
}

static __u64 offset_of(const void *rec)
{
	return ((const struct vmmprof_rec_vcpu *)rec)->tsc_offset;
}

TEST(a_vcpu_is_what_was_told_of_it_last)
{
	const struct vmmprof_rec_vcpu *v;
	struct told t = { .until = 50 };
	size_t bytes;

	ring_begin();
	put_vcpu(10, 1, 11, 100);
	put_vcpu(20, 1, 12, 200);
	put_vcpu(30, 1, 11, 300);
	/* behind the head, which was read before: not in the file, either */
	told_look(&t, 2, &ring, head.head);
	put_vcpu(40, 1, 12, 400);
	v = told_records(&t, 2, &bytes);
	TEST_EQ(bytes, 2 * sizeof(*v));
	TEST_EQ(offset_of(&v[0]), 200);
	TEST_EQ(offset_of(&v[1]), 300);
	TEST_EQ(v[0].tid, 12);
	TEST_EQ(v[1].tid, 11);
	TEST_EQ(v[0].hdr.tsc, 50);
	free((void *)v);
	t.until = 1;
	v = told_records(&t, 2, &bytes);
	TEST_EQ(v[0].hdr.tsc, 30);
	TEST_EQ(v[1].hdr.tsc, 30);
	free((void *)v);
	TEST_OK(!told_records(&t, 0, &bytes));
	TEST_EQ(bytes, 0);
	TEST_OK(!told_records(&t, 3, &bytes));
	TEST_EQ(bytes, 0);
	told_deinit(&t);
	return 0;
}

/* Its guest's TSC was set meanwhile, and it did not come back to the first CPU. */
TEST(what_another_cpu_told_of_a_vcpu_last_is_so)
{
	const struct vmmprof_rec_vcpu *v;
	struct told t = { .until = 50 };
	size_t bytes;
	int i;

	/* rings are looked at in either order */
	for (i = 0; i < 2; i++) {
		ring_begin();
		put_vcpu(10, 1, 11, 100);
		told_look(&t, i, &ring, head.head);
		ring_begin();
		put_vcpu(30, 1, 11, 300);
		told_look(&t, !i, &ring, head.head);
		ring_begin();
		put_vcpu(20, 1, 11, 200);
		told_look(&t, 2, &ring, head.head);
		TEST_OK(!told_records(&t, i, &bytes));
		TEST_OK(!told_records(&t, 2, &bytes));
		v = told_records(&t, !i, &bytes);
		TEST_EQ(bytes, sizeof(*v));
		TEST_EQ(offset_of(v), 300);
		free((void *)v);
		told_deinit(&t);
		t.until = 50;
	}
	return 0;
}

/* As in kmod/identity.c. */
static unsigned int place_of(__u32 tid)
{
	const __u64 mm = mm_of(tid);
	const __u64 h = (tid ^ mm >> 6) * 0x9e3779b97f4a7c15ull;

	return h >> 56;
}

/* As the module has them: one at each place of 256. */
TEST(a_task_is_told_until_another_one_has_its_place)
{
	const struct vmmprof_rec_identity *task;
	struct told t = { 0 };
	__u32 last[TOLD_TASKS];
	size_t bytes;
	int i;

	ring_begin();
	put_task(1, 16, 100, 0);
	put_task(2, 17, 100, VMMPROF_I_SAMPLE);
	put_task(3, VMMPROF_WHO_BITS, 101, 0);
	told_look(&t, 0, &ring, head.head);
	task = told_records(&t, 0, &bytes);
	TEST_EQ(bytes, sizeof(*task));
	TEST_EQ(id_of(task), 16);
	free((void *)task);
	for (i = 0; i < 5000; i++) {
		put_task(4 + i, 17 + i, 1000 + i, 0);
		told_look(&t, 0, &ring, head.head);
		tail.tail = head.head;
		last[place_of(1000 + i)] = 17 + i;
	}
	task = told_records(&t, 0, &bytes);
	TEST_EQ(bytes, TOLD_TASKS * sizeof(*task));
	TEST_EQ(t.lost, 0);
	for (i = 0; i < TOLD_TASKS; i++)
		TEST_EQ(task[i].id, last[i]);
	free((void *)task);
	told_deinit(&t);
	return 0;
}

TEST(more_vcpus_than_there_is_room_for_are_counted)
{
	struct told t = { 0 };
	size_t bytes;
	int i;

	ring_begin();
	for (i = 0; i < TOLD_VCPUS + 3; i++) {
		/* of the first two the process has ended */
		put_vcpu(1, i < 2 ? 0x7ffffff0 : getpid(), 100 + i, i);
		told_look(&t, 0, &ring, head.head);
		tail.tail = head.head;
	}
	TEST_EQ(t.lost, 1);
	free(told_records(&t, 0, &bytes));
	TEST_EQ(bytes, TOLD_VCPUS * sizeof(struct vmmprof_rec_vcpu));
	told_deinit(&t);
	return 0;
}

TEST(another_reader_is_told_what_the_one_before_was)
{
	struct top_recorder t = { .r.live = true };
	struct vmmprof_rec_hdr hdr[8];
	const off_t at = sizeof(struct vmmprof_file_hdr);
	FILE *f = tmpfile();
	int fd = fileno(f);

	ring_begin();
	t.r.files = &fd;
	t.r.nr_files = 1;
	t.r.dev.rings = &ring;
	t.r.dev.nr_rings = 1;
	t.r.told.until = 5;
	TEST_EQ(lseek(fd, at, SEEK_SET), at);
	put_vcpu(10, 1, 11, 100);
	put_task(20, 16, 100, 0);
	TEST_EQ(record_drain_hold(&t.r), 0);
	put_task(30, 17, 101, 0); /* comes behind it */
	TEST_EQ(top_recorder_empty(&t, true), 0);
	TEST_EQ(record_drain_hold(&t.r), 0);
	TEST_EQ(lseek(fd, 0, SEEK_END), at + 3 * 64);
	TEST_EQ(pread(fd, &hdr[0], 16, at), 16);
	TEST_EQ(pread(fd, &hdr[1], 16, at + 64), 16);
	TEST_EQ(pread(fd, &hdr[2], 16, at + 128), 16);
	TEST_EQ(hdr[0].type, VMMPROF_REC_VCPU);
	TEST_EQ(hdr[0].tsc, 20);
	TEST_EQ(hdr[1].type, VMMPROF_REC_IDENTITY);
	TEST_EQ(hdr[1].tsc, 20);
	TEST_EQ(hdr[2].type, VMMPROF_REC_IDENTITY);
	TEST_EQ(hdr[2].tsc, 30);
	/* the same one knows it */
	TEST_EQ(top_recorder_empty(&t, false), 0);
	TEST_EQ(lseek(fd, 0, SEEK_END), at);
	told_deinit(&t.r.told);
	fclose(f);
	return 0;
}
