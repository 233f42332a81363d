// SPDX-License-Identifier: GPL-2.0-only
/* BPF programs that come and go: the time of a sample decides whose it is. */

#include "build.h"
#include "model/clock.h"
#include "model/ksym.h"
#include "test.h"

#define UNKNOWN TIME_UNKNOWN
#define GONE	VMMPROF_KSYM_F_GONE

static struct build built;
static struct bundle bundle;
static struct ksyms ksyms;
static struct ksym_hit hit;

static void put(__u64 ns, __u64 addr, __u32 len, __u32 flags, const char *name)
{
	const struct vmmprof_maps_ksym s = {
		.ns = ns,
		.addr = addr,
		.len = len,
		.flags = flags,
	};

	build_item(&built, VMMPROF_MAPS_KSYM, &s, sizeof(s), name,
		   strlen(name) + 1);
}

static int load(void)
{
	struct problems problems = { 0 };
	int ret;

	build_end(&built);
	ret = bundle_init_mem(&bundle, built.data, built.size, "b", &problems);
	problems_deinit(&problems);
	return ret ? ret : ksyms_init(&ksyms, &bundle);
}

static void unload(void)
{
	ksyms_deinit(&ksyms);
	bundle_deinit(&bundle);
}

static const char *at(__u64 addr, __u64 ns)
{
	if (!ksyms_find(&ksyms, addr, ns, &hit))
		return "nothing";
	return hit.name ? hit.name : "unknown";
}

TEST(address_that_is_used_again_is_told_by_time)
{
	build_header(&built, VMMPROF_FILE_MAPS);
	/* not in order: rings are read CPU by CPU */
	put(20, 0x1000, 0x100, 0, "second");
	put(5, 0x1000, 0x100, 0, "first");
	put(9, 0x1000, 0x100, GONE, "first");
	put(30, 0x1000, 0x100, GONE, "second");
	TEST_EQ(load(), 0);
	TEST_STR(at(0x10ff, 4), "unknown");
	TEST_EQ(hit.end, 5);
	TEST_STR(at(0x10ff, 5), "first");
	TEST_EQ(hit.from, 5);
	TEST_EQ(hit.end, 20);
	/* it runs on while its grace period lasts */
	TEST_STR(at(0x1000, 12), "first");
	TEST_STR(at(0x1000, 20), "second");
	TEST_EQ(hit.from, 20);
	TEST_EQ(hit.end, UNKNOWN);
	TEST_STR(at(0x1000, 1000), "second");
	TEST_STR(at(0x1000, UNKNOWN), "unknown");
	TEST_STR(at(0x1100, 12), "nothing");
	TEST_STR(at(0xfff, 12), "nothing");
	unload();
	return 0;
}

TEST(what_only_went_was_there_before)
{
	build_header(&built, VMMPROF_FILE_MAPS);
	put(9, 0x1000, 0x100, GONE, "old");
	put(12, 0x1000, 0x80, 0, "new");
	/* the loading of these two was lost */
	put(20, 0x1000, 0x80, GONE, "other");
	put(30, 0x1000, 0x80, GONE, "another");
	TEST_EQ(load(), 0);
	TEST_STR(at(0x1000, 1), "old");
	TEST_STR(at(0x1000, 11), "old");
	/* one of both: when the first made room for the second is lost */
	TEST_STR(at(0x1000, 12), "unknown");
	TEST_STR(at(0x1000, 19), "unknown");
	TEST_STR(at(0x1000, 25), "another");
	/* beyond the shorter ones nothing else came */
	TEST_STR(at(0x10ff, 50), "old");
	TEST_STR(at(0x10ff, UNKNOWN), "old");
	unload();
	return 0;
}

TEST(overlapping_code_is_what_came_last)
{
	build_header(&built, VMMPROF_FILE_MAPS);
	put(5, 0x1000, 0x1000, 0, "long");
	put(8, 0x1800, 0x100, 0, "inside");
	put(8, 0x1880, 0x100, 0, "same_time");
	TEST_EQ(load(), 0);
	TEST_STR(at(0x1810, 7), "long");
	TEST_EQ(hit.end, 8);
	TEST_STR(at(0x1810, 8), "inside");
	TEST_STR(at(0x1890, 9), "unknown");
	TEST_STR(at(0x1a00, 9), "long");
	unload();
	return 0;
}

TEST(hostile_overlaps_end)
{
	char name[16];
	int i;

	build_header(&built, VMMPROF_FILE_MAPS);
	for (i = 0; i < 1100; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		put(i, 0x1000 + i, 0x10000, 0, name);
	}
	TEST_EQ(load(), 0);
	TEST_STR(at(0x2000, 5), "unknown");
	TEST_STR(at(0x1000, 5), "n0");
	unload();
	return 0;
}
