// SPDX-License-Identifier: GPL-2.0-only
/* Who owned a CR3 when. */

#include "build.h"
#include "test.h"
#include "model/address_space.h"
#include "model/clock.h"

#define MS   1000000ull
#define MASK 0x000fffffffffe000ull

static struct build b;
static struct address_space as;

/* Build from the MM items in b, in their order. */
static int make(__u64 mask, bool watched)
{
	const struct vmmprof_maps_mm *mms[64];
	size_t i, nr = b.size / sizeof(struct vmmprof_maps_mm);

	for (i = 0; i < nr; i++)
		mms[i] = (void *)(b.data + i * sizeof(*mms[0]));
	return address_space_init(&as, mms, nr, mask, watched);
}

/* pid of the owner, or minus how it was not found. */
static int owner(__u64 cr3, __u64 ns)
{
	struct space *s;
	int how = address_space_find(&as, cr3, ns, &s);

	return s ? (int)s->pid : -how;
}

static int how(__u64 cr3, __u64 ns)
{
	struct space *s;

	return address_space_find(&as, cr3, ns, &s);
}

TEST(addrspace_tells_reuse_of_a_cr3_by_time)
{
	b.size = 0;
	build_mm(&b, VMMPROF_OP_FORK, 100 * MS, 0x2000, 10, "a");
	build_mm(&b, VMMPROF_OP_DROP, 200 * MS, 0x2000, 0, "");
	build_mm(&b, VMMPROF_OP_FORK, 201 * MS, 0x2000, 11, "b");
	TEST_EQ(make(MASK, true), 0);
	TEST_EQ(owner(0x2000, 100 * MS), 10);
	TEST_EQ(owner(0x2000, 200 * MS - 1), 10);
	/* nobody's, but born again within 5 ms: the exec window */
	TEST_EQ(owner(0x2000, 200 * MS), 11);
	TEST_EQ(how(0x2000, 200 * MS), OWNER_EXEC);
	TEST_EQ(owner(0x2000, 900 * MS), 11);
	TEST_EQ(how(0x2000, 900 * MS), OWNER_INTERVAL);
	TEST_EQ(how(0x2000, 10 * MS), OWNER_NOT_THEN);
	TEST_EQ(owner(0x2000, 95 * MS), 10);
	TEST_EQ(how(0x2000, 95 * MS - 1), OWNER_NOT_THEN);
	TEST_EQ(how(0x4000, 100 * MS), OWNER_UNKNOWN);
	address_space_deinit(&as);
	return 0;
}

TEST(addrspace_ignores_pcid_noflush_and_the_pti_half)
{
	b.size = 0;
	build_mm(&b, VMMPROF_OP_SNAP, 1, 0x2000, 10, "a");
	build_mm(&b, VMMPROF_OP_SNAP, 1, 0x4000, 11, "b");
	TEST_EQ(make(MASK, true), 0);
	TEST_EQ(owner(0x8000000000003803ull, 5), 10);
	TEST_EQ(owner(0x6000000000004001ull, 5), 11);
	address_space_deinit(&as);
	return 0;
}

TEST(addrspace_without_a_mask_tries_exact_first)
{
	b.size = 0;
	build_mm(&b, VMMPROF_OP_SNAP, 1, 0x2000, 10, "a");
	build_mm(&b, VMMPROF_OP_SNAP, 1, 0x4000, 11, "b");
	build_mm(&b, VMMPROF_OP_SNAP, 1, 0x5000, 12, "c");
	TEST_EQ(make(0, true), 0);
	TEST_EQ(owner(0x3803, 5), 10);
	TEST_EQ(owner(0x5000, 5), 12);
	TEST_EQ(owner(0x4000, 5), 11);
	address_space_deinit(&as);
	return 0;
}

TEST(addrspace_marks_what_only_a_snapshot_says)
{
	b.size = 0;
	build_mm(&b, VMMPROF_OP_SNAP, 50 * MS, 0x2000, 10, "a");
	TEST_EQ(make(MASK, true), 0);
	TEST_EQ(how(0x2000, 10 * MS), OWNER_SNAPSHOT);
	TEST_EQ(how(0x2000, 60 * MS), OWNER_INTERVAL);
	/* nobody watched how long it had that page table */
	as.watched_until = 70 * MS;
	TEST_EQ(how(0x2000, 70 * MS), OWNER_INTERVAL);
	TEST_EQ(how(0x2000, 70 * MS + 1), OWNER_SNAPSHOT);
	address_space_deinit(&as);
	TEST_EQ(make(MASK, false), 0);
	TEST_EQ(how(0x2000, 60 * MS), OWNER_SNAPSHOT);
	address_space_deinit(&as);
	return 0;
}

TEST(addrspace_knows_nobody_between_snapshots_that_differ)
{
	b.size = 0;
	build_mm(&b, VMMPROF_OP_SNAP, 1000 * MS, 0x2000, 10, "a");
	/* a thread or vfork child in the same snapshot */
	build_mm(&b, VMMPROF_OP_SNAP, 1001 * MS, 0x2000, 11, "a");
	build_mm(&b, VMMPROF_OP_SNAP, 1001 * MS, 0x4000, 12, "c");
	build_mm(&b, VMMPROF_OP_SNAP, 5000 * MS, 0x2000, 20, "b");
	build_mm(&b, VMMPROF_OP_SNAP, 5000 * MS, 0x4000, 12, "c");
	TEST_EQ(make(MASK, false), 0);
	TEST_EQ(owner(0x2000, 500 * MS), 10);
	TEST_EQ(owner(0x2000, 1000 * MS), 10);
	TEST_EQ(how(0x2000, 3000 * MS), OWNER_NOT_THEN);
	TEST_EQ(owner(0x2000, 6000 * MS), 20);
	TEST_EQ(owner(0x4000, 3000 * MS), 12);
	address_space_deinit(&as);
	return 0;
}

TEST(addrspace_without_a_clock_wants_one_owner)
{
	b.size = 0;
	build_mm(&b, VMMPROF_OP_FORK, 1 * MS, 0x2000, 10, "a");
	build_mm(&b, VMMPROF_OP_FORK, 1 * MS, 0x4000, 11, "b");
	build_mm(&b, VMMPROF_OP_DROP, 2 * MS, 0x4000, 0, "");
	build_mm(&b, VMMPROF_OP_FORK, 3 * MS, 0x4000, 12, "c");
	TEST_EQ(make(MASK, true), 0);
	TEST_EQ(owner(0x2000, TIME_UNKNOWN), 10);
	TEST_EQ(how(0x2000, TIME_UNKNOWN), OWNER_UNIQUE);
	TEST_EQ(how(0x4000, TIME_UNKNOWN), OWNER_SEVERAL);
	TEST_EQ(how(0x6000, TIME_UNKNOWN), OWNER_UNKNOWN);
	address_space_deinit(&as);
	return 0;
}

/* A vfork child runs in its parent's address space until its exec. */
TEST(addrspace_stays_the_parents_during_vfork)
{
	struct space *s;

	b.size = 0;
	build_mm(&b, VMMPROF_OP_SNAP, 1 * MS, 0x2000, 10, "sh");
	/* no FORK: it has no page table of its own; in exec the rename comes first, with the new page table */
	build_mm(&b, VMMPROF_OP_RENAME, 6 * MS, 0x4000, 20, "ls");
	build_mm(&b, VMMPROF_OP_EXEC, 7 * MS, 0x4000, 20, "ls");
	TEST_EQ(make(MASK, true), 0);
	TEST_EQ(owner(0x2000, 5 * MS), 10);
	TEST_EQ(owner(0x4000, 6 * MS), 20);
	address_space_find(&as, 0x4000, 8 * MS, &s);
	TEST_STR(s->comm, "ls");
	address_space_deinit(&as);
	return 0;
}

TEST(addrspace_closes_an_interval_whose_end_was_missed)
{
	b.size = 0;
	build_mm(&b, VMMPROF_OP_FORK, 1 * MS, 0x4000, 20, "c");
	build_mm(&b, VMMPROF_OP_EXEC, 1 * MS, 0x4000, 20, "d");
	build_mm(&b, VMMPROF_OP_FORK, 5 * MS, 0x4000, 21, "e");
	build_mm(&b, VMMPROF_OP_EXEC, 1 * MS, 0x2000, 10, "a");
	build_mm(&b, VMMPROF_OP_EXEC, 9 * MS, 0x2000, 11, "b");
	TEST_EQ(make(MASK, true), 0);
	TEST_EQ(owner(0x2000, 2 * MS), 10);
	TEST_EQ(owner(0x2000, 9 * MS), 11);
	TEST_EQ(owner(0x4000, 4 * MS), 20);
	TEST_EQ(owner(0x4000, 5 * MS), 21);
	address_space_deinit(&as);
	return 0;
}

TEST(addrspace_of_a_fork_without_exec_is_the_childs)
{
	struct space *s;

	b.size = 0;
	build_mm(&b, VMMPROF_OP_SNAP, 1 * MS, 0x2000, 10, "sh");
	build_mm(&b, VMMPROF_OP_FORK, 5 * MS, 0x4000, 20, "sh");
	build_mm(&b, VMMPROF_OP_DROP, 8 * MS, 0x4000, 0, "");
	TEST_EQ(make(MASK, true), 0);
	TEST_EQ(owner(0x2000, 6 * MS), 10);
	TEST_EQ(owner(0x4000, 6 * MS), 20);
	TEST_EQ(how(0x4000, 6 * MS), OWNER_INTERVAL);
	address_space_find(&as, 0x4000, 6 * MS, &s);
	TEST_STR(s->comm, "sh");
	TEST_EQ(how(0x4000, 8 * MS), OWNER_NOT_THEN);
	address_space_deinit(&as);
	return 0;
}

/* A new page table, the old one is freed; number and name stay. */
TEST(addrspace_changes_when_a_process_execs_its_own_file)
{
	struct space *s;

	b.size = 0;
	build_mm(&b, VMMPROF_OP_SNAP, 1 * MS, 0x2000, 10, "sh");
	build_mm(&b, VMMPROF_OP_RENAME, 6 * MS, 0x4000, 10, "");
	build_mm(&b, VMMPROF_OP_DROP, 6 * MS + 1, 0x2000, 0, "");
	build_mm(&b, VMMPROF_OP_EXEC, 7 * MS, 0x4000, 10, "sh");
	/* another one gets the old page table at once */
	build_mm(&b, VMMPROF_OP_FORK, 7 * MS + 1, 0x2000, 11, "ls");
	TEST_EQ(make(MASK, true), 0);
	TEST_EQ(owner(0x2000, 6 * MS), 10);
	TEST_EQ(owner(0x4000, 6 * MS), 10);
	TEST_EQ(owner(0x4000, 9 * MS), 10);
	TEST_EQ(owner(0x2000, 7 * MS + 1), 11);
	address_space_find(&as, 0x4000, 9 * MS, &s);
	TEST_STR(s->comm, "sh");
	/* the same page table from rename to exec is one interval */
	TEST_EQ(as.nr, 3);
	address_space_deinit(&as);
	return 0;
}

/* The snapshot sees a thread: tid is not pid, the process still owns it. */
TEST(addrspace_stays_the_process_s_whose_leader_died)
{
	struct space *s;

	b.size = 0;
	build_mm(&b, VMMPROF_OP_SNAP, 1 * MS, 0x2000, 10, "srv")->tid = 12;
	/* a thread's name is not the process's */
	build_mm(&b, VMMPROF_OP_RENAME, 5 * MS, 0x2000, 10, "worker")->tid = 12;
	TEST_EQ(make(MASK, true), 0);
	TEST_EQ(owner(0x2000, 6 * MS), 10);
	address_space_find(&as, 0x2000, 6 * MS, &s);
	TEST_STR(s->comm, "srv");
	address_space_deinit(&as);
	return 0;
}

TEST(addrspace_tells_reuse_within_a_millisecond)
{
	__u32 i;

	b.size = 0;
	for (i = 0; i < 8; i++) {
		build_mm(&b, VMMPROF_OP_FORK, i * MS / 4 + 10, 0x2000, 20 + i,
			 "c");
		build_mm(&b, VMMPROF_OP_DROP, i * MS / 4 + 200000, 0x2000, 0,
			 "");
	}
	TEST_EQ(make(MASK, true), 0);
	for (i = 0; i < 8; i++) {
		TEST_EQ(owner(0x2000, i * MS / 4 + 10), 20 + i);
		TEST_EQ(owner(0x2000, i * MS / 4 + 199999), 20 + i);
		TEST_EQ(how(0x2000, i * MS / 4 + 199999), OWNER_INTERVAL);
		/* nobody's: never the one before */
		if (i < 7)
			TEST_EQ(owner(0x2000, i * MS / 4 + 200000), 21 + i);
	}
	TEST_EQ(how(0x2000, 2 * MS), OWNER_NOT_THEN);
	address_space_deinit(&as);
	return 0;
}

TEST(addrspace_knows_the_kernels_own)
{
	b.size = 0;
	build_mm(&b, VMMPROF_OP_INIT, 0, 0x10000, 0, "");
	TEST_EQ(make(MASK, true), 0);
	TEST_EQ(how(0x10001, 5), OWNER_KERNEL);
	TEST_EQ(how(0x10000, TIME_UNKNOWN), OWNER_KERNEL);
	address_space_deinit(&as);
	return 0;
}

TEST(clock_goes_through_its_pairs)
{
	struct vmmprof_item_clock p[3] = {
		{ .tsc = 5000000000, .mono_ns = 3000000000 },
		{ .tsc = 1000000000, .mono_ns = 1000000000 },
		/* contradicts the others: left out */
		{ .tsc = 6000000000, .mono_ns = 10 },
	};
	const struct vmmprof_item_clock *items[] = { &p[0], &p[1], &p[2] };
	struct clock c;

	clock_init(&c, items, 3, 0);
	TEST_EQ(clock_to_ns(&c, 1000000000), 1000000000);
	TEST_EQ(clock_to_ns(&c, 3000000000), 2000000000);
	TEST_EQ(clock_to_ns(&c, 7000000000), 4000000000);
	TEST_EQ(clock_to_ns(&c, 0), 500000000);
	clock_init(&c, items, 1, 0);
	TEST_EQ(clock_to_ns(&c, 1), TIME_UNKNOWN);
	clock_init(&c, items, 1, 2000000);
	TEST_EQ(clock_to_ns(&c, 5000000200), 3000000100);
	return 0;
}

TEST(clock_trusts_no_slope_of_pairs_close_together)
{
	struct vmmprof_item_clock p[3] = {
		{ .tsc = 0, .mono_ns = 0 },
		{ .tsc = 1000000, .mono_ns = 1500000 },
		{ .tsc = 1000000000, .mono_ns = 1000000000 },
	};
	const struct vmmprof_item_clock *items[] = { &p[0], &p[1], &p[2] };
	struct clock c;

	clock_init(&c, items, 3, 0);
	TEST_EQ(clock_to_ns(&c, 500000000), 500000000);
	return 0;
}

static __u64 residual(const struct vmmprof_item_clock *p, size_t nr)
{
	const struct vmmprof_item_clock *items[100];
	struct clock c;
	size_t i;

	for (i = 0; i < nr; i++)
		items[i] = &p[i];
	clock_init(&c, items, nr, 1000000);
	TEST_EQ(c.pairs, nr);
	return c.residual;
}

TEST(clock_residual_is_the_largest_deviation)
{
	struct vmmprof_item_clock p[100];
	size_t i;

	for (i = 0; i < 100; i++) {
		p[i].tsc = i * 5000000000ull + 1000;
		p[i].mono_ns = i * 2500000000ull;
	}
	TEST_EQ(residual(p, 0), 0);
	TEST_EQ(residual(p, 1), TIME_UNKNOWN);
	TEST_EQ(residual(p, 2), TIME_UNKNOWN);
	TEST_EQ(residual(p, 3), 0);
	TEST_EQ(residual(p, 100), 0);
	p[1].mono_ns += 1200;
	TEST_EQ(residual(p, 3), 1200);
	TEST_EQ(residual(p, 4), 1200);
	p[1].mono_ns -= 4000;
	TEST_EQ(residual(p, 3), 2800);
	/* more pairs than points: one that is none counts too */
	TEST_EQ(residual(p, 100), 2800);
	p[1].mono_ns += 2800;
	/* the ends are only compared through their neighbours */
	p[3].mono_ns += 600;
	TEST_EQ(residual(p, 4), 300);
	/* left out as a point, because it contradicts the others */
	p[2].mono_ns = 10;
	TEST_OK(residual(p, 4) > 4000000000ull);
	return 0;
}

TEST(guest_tsc_is_scaled_and_shifted)
{
	struct vmmprof_rec_vcpu v = { .tsc_offset = -1000ull };

	TEST_EQ(guest_tsc(&v, 5000), 4000);
	v.hdr.flags = VMMPROF_V_TSC_SCALED;
	v.tsc_ratio = 3ull << 47;
	v.tsc_frac_bits = 48;
	TEST_EQ(guest_tsc(&v, 5000), 6500);
	return 0;
}
