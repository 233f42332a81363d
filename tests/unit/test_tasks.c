// SPDX-License-Identifier: GPL-2.0-only
/* Whose kernel stack the stack pointer is on. */

#include "build.h"
#include "test.h"
#include "model/clock.h"
#include "model/tasks.h"

#define MS    1000000ull
#define STACK 0xffffc90000010000ull
#define OTHER 0xffffc90000018000ull
#define SIZE  16384

static struct build b;
static struct bundle bundle;
static struct tasks ts;

static void begin(const char *text)
{
	build_header(&b, VMMPROF_FILE_MAPS);
	if (text)
		build_text(&b, text);
}

static void put(__u32 op, __u64 ns, __u64 stack, __u32 pid, __u32 tid,
		__u32 flags, const char *comm)
{
	struct vmmprof_maps_task t = { .ns = ns,
				       .stack = stack,
				       .op = op,
				       .pid = pid,
				       .tid = tid,
				       .flags = flags };

	strncpy(t.comm, comm, sizeof(t.comm) - 1);
	build_item(&b, VMMPROF_MAPS_TASK, &t, sizeof(t), NULL, 0);
}

static int make(bool watched)
{
	struct problems problems = { 0 };
	int ret;

	build_end(&b);
	ret = bundle_init_mem(&bundle, b.data, b.size, "b", &problems);
	return ret ? ret : tasks_init(&ts, &bundle, watched);
}

static void end(void)
{
	tasks_deinit(&ts);
	bundle_deinit(&bundle);
}

/* tid of the task, 0: not known. */
static __u32 tid(__u64 rsp, __u64 ns)
{
	const struct task *t = tasks_find(&ts, rsp, ns);

	return t ? t->tid : 0;
}

TEST(tasks_are_found_from_the_lowest_to_the_last_byte)
{
	begin(NULL);
	put(VMMPROF_OP_SNAP, 5 * MS, OTHER, 11, 12, 0, "b");
	put(VMMPROF_OP_SNAP, 5 * MS, STACK, 10, 10, 0, "a");
	TEST_EQ(make(true), 0);
	TEST_EQ(tid(STACK - 1, 6 * MS), 0);
	TEST_EQ(tid(STACK, 6 * MS), 10);
	TEST_EQ(tid(STACK + SIZE - 1, 6 * MS), 10);
	TEST_EQ(tid(STACK + SIZE, 6 * MS), 0);
	TEST_EQ(tid(OTHER + 1, 6 * MS), 12);
	TEST_EQ(tasks_find(&ts, OTHER, 6 * MS)->pid, 11);
	TEST_EQ(tid(OTHER + SIZE, 6 * MS), 0);
	TEST_EQ(tid(0, 6 * MS), 0);
	TEST_EQ(tid(~0ull, 6 * MS), 0);
	end();
	return 0;
}

TEST(tasks_change_at_the_fork_and_not_before)
{
	begin(NULL);
	put(VMMPROF_OP_SNAP, 5 * MS, STACK, 10, 10, 0, "a");
	put(VMMPROF_OP_FORK, 20 * MS, STACK, 20, 20, 0, "a");
	put(VMMPROF_OP_FORK, 21 * MS, STACK, 20, 21, 0, "a");
	put(VMMPROF_OP_FORK, 20 * MS, OTHER, 22, 22, 0, "a");
	put(VMMPROF_OP_SNAP, 30 * MS, OTHER, 22, 22, 0, "c");
	TEST_EQ(make(true), 0);
	/* a snapshot: it was there before */
	TEST_EQ(tid(STACK, 1 * MS), 10);
	TEST_EQ(tid(STACK, 20 * MS - 1), 10);
	TEST_EQ(tid(STACK, 20 * MS), 20);
	TEST_EQ(tid(STACK, 21 * MS), 21);
	TEST_EQ(tid(STACK, 900 * MS), 21);
	/* a fork, though a snapshot found it later */
	TEST_EQ(tid(OTHER, 20 * MS - 1), 0);
	TEST_EQ(tid(OTHER, 20 * MS), 22);
	end();
	return 0;
}

TEST(tasks_take_the_name_that_a_snapshot_found)
{
	const struct task *t;

	begin(NULL);
	put(VMMPROF_OP_FORK, 20 * MS, STACK, 30, 30, VMMPROF_PROC_F_KTHREAD,
	    "kthreadd");
	put(VMMPROF_OP_FORK, 20 * MS, OTHER, 31, 31, VMMPROF_PROC_F_KTHREAD,
	    "kthreadd");
	put(VMMPROF_OP_SNAP, 30 * MS, STACK, 30, 30, VMMPROF_PROC_F_KTHREAD,
	    "kworker/0:1");
	TEST_EQ(make(true), 0);
	t = tasks_find(&ts, STACK, 25 * MS);
	TEST_OK(t && t->kthread && t->named);
	TEST_STR(t->comm, "kworker/0:1");
	t = tasks_find(&ts, OTHER, 25 * MS);
	TEST_OK(t && t->kthread && !t->named);
	end();
	return 0;
}

/* The same number on the same stack after a fork is another task. */
TEST(tasks_with_a_number_used_again_are_two)
{
	begin(NULL);
	put(VMMPROF_OP_SNAP, 5 * MS, STACK, 10, 10, 0, "a");
	put(VMMPROF_OP_FORK, 20 * MS, STACK, 10, 10, 0, "b");
	TEST_EQ(make(true), 0);
	TEST_EQ(ts.nr, 2);
	TEST_STR(tasks_find(&ts, STACK, 6 * MS)->comm, "a");
	TEST_STR(tasks_find(&ts, STACK, 20 * MS)->comm, "b");
	end();
	return 0;
}

TEST(tasks_between_snapshots_that_differ_are_not_known)
{
	begin(NULL);
	put(VMMPROF_OP_SNAP, 5 * MS, STACK, 10, 10, 0, "a");
	put(VMMPROF_OP_SNAP, 50 * MS, STACK, 11, 11, 0, "b");
	put(VMMPROF_OP_SNAP, 5 * MS, OTHER, 12, 12, 0, "c");
	put(VMMPROF_OP_SNAP, 50 * MS, OTHER, 12, 12, 0, "c");
	TEST_EQ(make(false), 0);
	TEST_EQ(tid(STACK, 5 * MS - 1), 10);
	TEST_EQ(tid(STACK, 20 * MS), 0);
	TEST_EQ(tid(STACK, 50 * MS), 11);
	TEST_EQ(tid(OTHER, 20 * MS), 12);
	end();
	return 0;
}

TEST(tasks_without_a_clock_want_one_owner)
{
	begin(NULL);
	put(VMMPROF_OP_SNAP, 5 * MS, STACK, 10, 10, 0, "a");
	put(VMMPROF_OP_SNAP, 5 * MS, OTHER, 11, 11, 0, "b");
	put(VMMPROF_OP_FORK, 6 * MS, OTHER, 12, 12, 0, "c");
	TEST_EQ(make(true), 0);
	TEST_EQ(tid(STACK, TIME_UNKNOWN), 10);
	TEST_EQ(tid(OTHER, TIME_UNKNOWN), 0);
	end();
	return 0;
}

TEST(tasks_size_of_a_stack_is_the_bundle_s_within_reason)
{
	begin("stack_size=32768\n");
	put(VMMPROF_OP_SNAP, 5 * MS, STACK, 10, 10, 0, "a");
	TEST_EQ(make(true), 0);
	TEST_EQ(tid(STACK + 32767, 6 * MS), 10);
	TEST_EQ(tid(STACK + 32768, 6 * MS), 0);
	end();
	begin("stack_size=99999999999\n");
	put(VMMPROF_OP_SNAP, 5 * MS, STACK, 10, 10, 0, "a");
	TEST_EQ(make(true), 0);
	TEST_EQ(tid(STACK + SIZE, 6 * MS), 0);
	end();
	begin("stack_size=32768\n");
	TEST_EQ(make(true), 0);
	TEST_EQ(tid(STACK, 6 * MS), 0);
	end();
	return 0;
}

TEST(tasks_tell_the_only_thread_of_a_process_that_was_watched)
{
	begin(NULL);
	put(VMMPROF_OP_SNAP, 5 * MS, STACK, 10, 10, 0, "a");
	put(VMMPROF_OP_SNAP, 5 * MS, OTHER, 20, 20, 0, "b");
	put(VMMPROF_OP_FORK, 9 * MS, OTHER + SIZE, 20, 21, 0, "b");
	put(VMMPROF_OP_FORK, 9 * MS, OTHER + 2 * SIZE, 20, 20, 0, "b");
	/* numbers that no kernel has are nobody's */
	put(VMMPROF_OP_SNAP, 5 * MS, OTHER + 3 * SIZE, 30, 0xffffffff, 0, "c");
	put(VMMPROF_OP_SNAP, 5 * MS, OTHER + 4 * SIZE, 31, 0xfffffffe, 0, "c");
	TEST_EQ(make(true), 0);
	TEST_EQ(tasks_only_thread(&ts, 10), 10);
	TEST_EQ(tasks_only_thread(&ts, 20), VMMPROF_NONE);
	TEST_EQ(tasks_only_thread(&ts, 30), VMMPROF_NONE);
	TEST_EQ(tasks_only_thread(&ts, 31), VMMPROF_NONE);
	TEST_EQ(tasks_only_thread(&ts, 40), VMMPROF_NONE);
	end();
	return 0;
}

TEST(tasks_of_a_snapshot_may_have_had_other_threads)
{
	begin(NULL);
	put(VMMPROF_OP_SNAP, 5 * MS, STACK, 10, 10, 0, "a");
	TEST_EQ(make(false), 0);
	TEST_EQ(tasks_only_thread(&ts, 10), VMMPROF_NONE);
	end();
	return 0;
}
