// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code that is named by one bundle of a guest and asked for by another: by
 * build-id, by place where there is none, within the bounds of a list.
 */

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "build.h"
#include "test.h"
#include "format/code_identity.h"
#include "transport/import.h"

static struct build built;
static char list[CODE_LIST_MAX + 1];

static void put_file(__u32 id, __u8 build_id, __u64 dev, __u64 ino)
{
	struct vmmprof_maps_file f = { .id = id, .dev = dev, .ino = ino };

	memset(f.build_id, build_id, sizeof(f.build_id));
	f.build_id_size = build_id ? sizeof(f.build_id) : 0;
	build_item(&built, VMMPROF_MAPS_FILE, &f, sizeof(f), "/f", 3);
}

static int bundle(struct bundle *b)
{
	struct problems problems = { 0 };

	build_end(&built);
	return bundle_init_mem(b, built.data, built.size, "b", &problems);
}

static int before(struct bundle *b)
{
	build_header(&built, VMMPROF_FILE_MAPS);
	put_file(1, 0x11, 8, 100);
	put_file(2, 0, 8, 200);
	put_file(3, 0, 0, 0);
	return bundle(b);
}

/* The same guest later. */
static int after(struct bundle *b)
{
	build_header(&built, VMMPROF_FILE_MAPS);
	put_file(1, 0x22, 8, 100); /* its file was replaced */
	put_file(5, 0x11, 9, 7);   /* a copy of it */
	put_file(6, 0x11, 8, 101);
	put_file(7, 0, 9, 200);
	put_file(8, 0, 8, 200);
	put_file(9, 0, 0, 0);
	return bundle(b);
}

/* The list for one function of file @file of the bundle before. */
static const char *find(__u32 file)
{
	struct code_want want = { .addr = 0x1000, .file = file, .size = 64 };
	struct code_identity what;
	struct bundle b;
	bool known;

	if (before(&b))
		abort();
	known = code_identity_init(&what, &b, &want);
	bundle_deinit(&b);
	if (!known)
		return "not known";
	if (after(&b))
		abort();
	memset(list, 0, sizeof(list));
	code_identity_list(&b, &what, 1, list);
	bundle_deinit(&b);
	return list;
}

TEST(a_file_is_found_in_a_later_bundle)
{
	/* what has another build-id is another file, wherever it lies */
	TEST_STR(find(1), "5 1000 64\n");
	TEST_STR(find(2), "8 1000 64\n");
	TEST_STR(find(VMMPROF_NONE), "kernel 1000 64\n");
	/* nothing that it could be known by */
	TEST_STR(find(3), "");
	TEST_STR(find(4), "not known");
	return 0;
}

TEST(of_copies_the_one_that_lies_there_is_meant)
{
	struct code_identity what = {
		.addr = 1, .size = 2, .dev = 8, .ino = 101, .build_id_size = 20
	};
	struct bundle b;

	memset(what.build_id, 0x11, sizeof(what.build_id));
	TEST_EQ(after(&b), 0);
	memset(list, 0, sizeof(list));
	code_identity_list(&b, &what, 1, list);
	TEST_STR(list, "6 1 2\n");
	bundle_deinit(&b);
	return 0;
}

/* @n kernel functions of @size bytes: the list's lines. */
static int lines(unsigned int n, __u32 size)
{
	static struct code_want wants[VMMPROF_CODE_RANGES];
	static struct code_identity whats[300];
	struct bundle b;
	unsigned int i;
	size_t len;

	for (i = 0; i < n; i++)
		whats[i] = (struct code_identity){ .addr = i + 1,
						   .size = size,
						   .kernel = 1 };
	if (after(&b))
		abort();
	len = code_identity_list(&b, whats, n, list);
	bundle_deinit(&b);
	return code_list_parse(list, len, wants);
}

TEST(what_is_wanted_stays_within_the_bounds_of_a_list)
{
	static const struct code_identity odd[] = {
		{ .addr = 1, .size = 0, .kernel = 1 },
		{ .addr = 1, .size = VMMPROF_CODE_RANGE + 1, .kernel = 1 },
		{ .addr = ~0ull, .size = 1, .kernel = 1 },
		{ .addr = 1, .size = 1, .build_id_size = 255 },
		{ .addr = 1, .size = 3, .kernel = 255 },
	};
	struct bundle b;

	TEST_EQ(lines(32, 100), 32);
	TEST_EQ(lines(300, 10), 256);
	TEST_EQ(lines(300, 0x40000), 4);
	TEST_EQ(after(&b), 0);
	memset(list, 0, sizeof(list));
	code_identity_list(&b, odd, 5, list);
	TEST_STR(list, "kernel 1 3\n");
	bundle_deinit(&b);
	return 0;
}

TEST(the_list_is_made_without_rights)
{
	const struct code_identity what = {
		.addr = 0x1000, .size = 64, .dev = 8, .ino = 200
	};
	int fd = memfd_create("bundle", 0);
	struct bundle b;

	TEST_EQ(after(&b), 0);
	bundle_deinit(&b);
	TEST_EQ(write(fd, built.data, built.size), built.size);
	memset(list, 0, sizeof(list));
	TEST_EQ(import_list(fd, &what, 1, list, NULL), 10);
	TEST_STR(list, "8 1000 64\n");
	TEST_EQ(import_list(fd, &what, 0, list, NULL), 0);
	TEST_EQ(ftruncate(fd, 8), 0);
	TEST_EQ(import_list(fd, &what, 1, list, NULL), -ENOEXEC);
	close(fd);
	return 0;
}
