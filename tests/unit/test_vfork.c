// SPDX-License-Identifier: GPL-2.0-only
/* Which forks share their parent's page table, and until when. */

#include "build.h"
#include "test.h"
#include "model/clock.h"
#include "model/vfork.h"

#define MS 1000000ull

static struct build b;
static struct bundle bundle;
static struct procs ps;
static struct vforks vs;

static bool shared(const struct vforks *v, __u32 pid, __u64 ns)
{
	struct holds h;
	bool ret;

	holds_time(&h, ns);
	ret = vforks_shared(v, pid, ns, &h);
	/* the same at both ends of what it says to hold for */
	assert(holds_at(&h, ns));
	assert(ret == vforks_shared(v, pid, h.from, &h));
	assert(ret == vforks_shared(v, pid, h.last, &h));
	return ret;
}

static void put_task(__u64 ns, __u32 pid, __u32 tid, __u32 flags)
{
	struct vmmprof_maps_task t = { .ns = ns,
				       .stack = 0xffffc90000010000ull,
				       .op = VMMPROF_OP_FORK,
				       .pid = pid,
				       .tid = tid,
				       .flags = flags };

	build_item(&b, VMMPROF_MAPS_TASK, &t, sizeof(t), NULL, 0);
}

static void begin(void)
{
	build_header(&b, VMMPROF_FILE_MAPS);
	build_mm(&b, VMMPROF_OP_SNAP, 1 * MS, 0x2000, 10, "make");
	build_proc(&b, VMMPROF_OP_SNAP, 1 * MS, 10, 1, "c");
}

static int make(void)
{
	struct problems problems = { 0 };
	int ret;

	build_end(&b);
	ret = bundle_init_mem(&bundle, b.data, b.size, "b", &problems);
	if (!ret)
		ret = procs_init(&ps, &bundle);
	return ret ? ret : vforks_init(&vs, &bundle, &ps);
}

static void end(void)
{
	vforks_deinit(&vs);
	procs_deinit(&ps);
	bundle_deinit(&bundle);
}

TEST(vfork_shares_until_the_exec)
{
	begin();
	build_proc(&b, VMMPROF_OP_FORK, 20 * MS - 100, 11, 10, "c");
	put_task(20 * MS, 11, 11, 0);
	build_mm(&b, VMMPROF_OP_RENAME, 22 * MS, 0x4000, 11, "make");
	build_mm(&b, VMMPROF_OP_EXEC, 23 * MS, 0x4000, 11, "cc");
	build_proc(&b, VMMPROF_OP_EXEC, 23 * MS, 11, 0, "c");
	TEST_EQ(make(), 0);
	TEST_EQ(vs.nr, 1);
	TEST_OK(!shared(&vs, 10, 20 * MS - 1));
	TEST_OK(shared(&vs, 10, 20 * MS));
	TEST_OK(shared(&vs, 10, 22 * MS - 1));
	TEST_OK(!shared(&vs, 10, 22 * MS));
	TEST_OK(!shared(&vs, 11, 21 * MS));
	TEST_OK(!shared(&vs, 9, 21 * MS));
	TEST_OK(!shared(&vs, 10, TIME_UNKNOWN));
	end();
	return 0;
}

TEST(vfork_shares_until_the_exit_where_there_is_no_exec)
{
	begin();
	build_proc(&b, VMMPROF_OP_FORK, 20 * MS, 11, 10, "c");
	put_task(20 * MS, 11, 11, 0);
	build_proc(&b, VMMPROF_OP_DROP, 25 * MS, 11, 0, "c");
	/* the number is used again, by a fork with its own page table */
	build_proc(&b, VMMPROF_OP_FORK, 30 * MS, 11, 10, "c");
	put_task(30 * MS, 11, 11, 0);
	build_mm(&b, VMMPROF_OP_FORK, 30 * MS, 0x6000, 11, "make");
	TEST_EQ(make(), 0);
	TEST_EQ(vs.nr, 1);
	TEST_OK(shared(&vs, 10, 25 * MS - 1));
	TEST_OK(!shared(&vs, 10, 25 * MS));
	TEST_OK(!shared(&vs, 10, 31 * MS));
	end();
	return 0;
}

TEST(vfork_is_no_fork_thread_kernel_thread_or_open_end)
{
	begin();
	build_proc(&b, VMMPROF_OP_FORK, 20 * MS, 11, 10, "c");
	put_task(20 * MS, 11, 11, 0);
	build_mm(&b, VMMPROF_OP_FORK, 20 * MS, 0x4000, 11, "make");
	put_task(21 * MS, 11, 12, 0);
	build_proc(&b, VMMPROF_OP_DROP, 22 * MS, 11, 0, "c");
	build_proc(&b, VMMPROF_OP_FORK, 40 * MS, 13, 10, "c");
	put_task(40 * MS, 13, 13, VMMPROF_PROC_F_KTHREAD);
	build_proc(&b, VMMPROF_OP_DROP, 41 * MS, 13, 0, "c");
	/* whose end was lost */
	build_proc(&b, VMMPROF_OP_FORK, 50 * MS, 14, 10, "c");
	put_task(50 * MS, 14, 14, 0);
	/* of an unknown parent */
	put_task(60 * MS, 15, 15, 0);
	TEST_EQ(make(), 0);
	TEST_EQ(vs.nr, 0);
	end();
	return 0;
}

/* Of a process with threads: a long one and a short one within it. */
TEST(vforks_of_two_threads_overlap)
{
	begin();
	build_proc(&b, VMMPROF_OP_FORK, 20 * MS, 11, 10, "c");
	put_task(20 * MS, 11, 11, 0);
	build_proc(&b, VMMPROF_OP_FORK, 21 * MS, 12, 10, "c");
	put_task(21 * MS, 12, 12, 0);
	build_proc(&b, VMMPROF_OP_DROP, 22 * MS, 12, 0, "c");
	build_proc(&b, VMMPROF_OP_DROP, 29 * MS, 11, 0, "c");
	TEST_EQ(make(), 0);
	TEST_EQ(vs.nr, 2);
	TEST_OK(shared(&vs, 10, 25 * MS));
	TEST_OK(!shared(&vs, 10, 29 * MS));
	end();
	return 0;
}
