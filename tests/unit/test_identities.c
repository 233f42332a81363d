// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "format/task_layout.h"
#include "model/identities.h"
#include "tests/unit/test.h"

static struct vmmprof_rec_identity record(__u32 id, __u32 tgid, __u32 tid,
					  __u32 flags)
{
	struct vmmprof_rec_identity r = {
		.hdr = { VMMPROF_REC_IDENTITY, sizeof(r), flags, 1 },
		.id = id,
		.pid = 50,
		.tgid = tgid,
		.tid = tid,
		.start_ns = 9,
		.comm = "sixteen bytes 16",
	};

	return r;
}

static const struct identity *find(const struct identities *ids, __u32 cpu,
				   __u32 id, __u32 pid)
{
	struct vmmprof_rec_sample s = { .cpu = cpu,
					.identity = id,
					.pid = pid };

	return identities_find(ids, &s);
}

TEST(identities_by_cpu_and_number)
{
	struct vmmprof_rec_identity r = record(16, 7, 8, VMMPROF_I_START);
	struct identities ids = { 0 };
	const struct identity *i;

	TEST_EQ(identities_add(&ids, 3, &r), 0);
	i = find(&ids, 3, 16, 50);
	TEST_OK(i);
	TEST_EQ(i->tid, 8);
	TEST_EQ(i->start_ns, 9);
	TEST_EQ(memcmp(i->comm, "sixteen bytes 16", 16), 0);
	TEST_EQ(find(&ids, 2, 16, 50), NULL);
	TEST_EQ(find(&ids, 3, 17, 50), NULL);
	TEST_EQ(find(&ids, 3, 16, 51), NULL);
	TEST_EQ(find(&ids, 3, VMMPROF_WHO_NOT_PRESENT, 50), NULL);
	/* the number is used again */
	r.tgid = 70;
	TEST_EQ(identities_add(&ids, 3, &r), 0);
	TEST_EQ(find(&ids, 3, 16, 50)->tgid, 70);
	/* a record of one sample only is none of a number */
	r = record(20, 1, 1, VMMPROF_I_SAMPLE);
	TEST_EQ(identities_add(&ids, 3, &r), 0);
	TEST_EQ(find(&ids, 3, 20, 50), NULL);
	identities_deinit(&ids);
	return 0;
}

TEST(identities_left_out_take_no_other_away)
{
	struct identities ids = { 0 };
	struct vmmprof_rec_identity r;
	__u32 id, nr;

	for (id = 1000; id < 3000; id++) {
		r = record(id, id, id, 0);
		TEST_EQ(identities_add(&ids, 0, &r), 0);
	}
	nr = ids.nr;
	ids.nr = IDENTITIES_MAX;
	for (id = 1000; id < 4000; id += 2) {
		r = record(id, 7, 7, 0);
		TEST_EQ(identities_add(&ids, 0, &r), 0);
		TEST_EQ(find(&ids, 0, id, 50), NULL);
	}
	TEST_EQ(ids.left_out, 1500);
	for (id = 1001; id < 3000; id += 2) {
		TEST_OK(find(&ids, 0, id, 50));
		TEST_EQ(find(&ids, 0, id, 50)->tid, id);
	}
	ids.nr = nr;
	identities_deinit(&ids);
	return 0;
}

TEST(identities_process_has_its_leaders_name)
{
	struct vmmprof_rec_identity r = record(16, 7, 8, 0);
	struct identities ids = { 0 };
	const struct identity *i;

	TEST_EQ(identities_add(&ids, 0, &r), 0);
	i = find(&ids, 0, 16, 50);
	TEST_EQ(identities_leader(&ids, i), i);
	r = record(17, 7, 7, 0);
	TEST_EQ(identities_add(&ids, 1, &r), 0);
	r = record(18, 7, 9, 0);
	TEST_EQ(identities_add(&ids, 0, &r), 0);
	i = find(&ids, 0, 18, 50);
	TEST_EQ(identities_leader(&ids, i)->tid, 7);
	identities_deinit(&ids);
	return 0;
}

/* The thread @id of process 7 on CPU 0: the first thread that is its leader. */
static const struct identity *leader_of(struct identities *ids, __u32 id,
					__u64 mm)
{
	struct vmmprof_rec_identity r = record(id, 7, id, 0);

	r.mm = mm;
	if (identities_add(ids, 0, &r))
		return NULL;
	return identities_leader(ids, find(ids, 0, id, 50));
}

TEST(identities_of_another_memory_have_another_leader)
{
	struct vmmprof_rec_identity r = record(16, 7, 7, 0);
	struct identities ids = { 0 };

	r.mm = 0x1000;
	memcpy(r.comm, "sh", 3);
	TEST_EQ(identities_add(&ids, 1, &r), 0);
	TEST_STR(leader_of(&ids, 20, 0x1000)->comm, "sh");
	/* an exec, or another process with that number: its first one waits */
	TEST_EQ(leader_of(&ids, 21, 0x2000)->tid, 21);
	r.mm = 0x2000;
	r.id = 17;
	memcpy(r.comm, "java", 5);
	TEST_EQ(identities_add(&ids, 1, &r), 0);
	TEST_STR(leader_of(&ids, 22, 0x2000)->comm, "java");
	/* told late of a thread that ran before; one that ends has no memory */
	TEST_STR(leader_of(&ids, 23, 0x1000)->comm, "sh");
	TEST_STR(leader_of(&ids, 24, 0)->comm, "java");
	identities_deinit(&ids);
	return 0;
}

TEST(task_layout_of_a_bundle)
{
	struct vmmprof_guest_layout l = { .current_task = 0x17c40,
					  .task_tgid = 1260,
					  .task_pid = 1256,
					  .task_mm = 1200,
					  .task_comm = 1800,
					  .task_flags = 44,
					  .task_start = VMMPROF_NONE },
				    got;
	static const char *const bad[] = {
		"",
		"17c40",
		"0 1260 1256 1200 1800 44 0",
		"17c44 1260 1256 1200 1800 44 0",
		"17c40 1261 1256 1200 1800 44 0",
		"17c40 1260 1256 1204 1800 44 0",
		"17c40 1260 1256 1200 65536 44 0",
		"17c40 1260 1256 1200 1800 44 0 1",
		"17c40 4294967295 1256 1200 1800 44 0",
	};
	char text[TASK_LAYOUT_TEXT];
	size_t i;

	task_layout_format(&l, text, sizeof(text));
	TEST_STR(text, "17c40 1260 1256 1200 1800 44 4294967295");
	TEST_EQ(task_layout_parse(text, false, &got), true);
	TEST_EQ(memcmp(&l, &got, sizeof(l)), 0);
	TEST_EQ(task_layout_parse(text, true, &got), true);
	TEST_EQ(got.flags, VMMPROF_GUEST_LAYOUT_F_PTI);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		TEST_EQ(task_layout_parse(bad[i], false, &got), false);
	return 0;
}
