// SPDX-License-Identifier: GPL-2.0-only
/* analyzer/os/btf.c: a small blob made here, damaged ones, the kernel's. */

#include "os/btf.c"

#include "btf_make.h"
#include "test.h"

/*
 * struct inner { int x; };
 * struct task { long a; int bit : 3; union { struct { char c[16]; void *p; };
 * int q; }; struct inner named; };
 */
static const char strings[] = "\0inner\0x\0task\0a\0bit\0c\0p\0q\0named\0int";
enum { INNER = 1, X = 7, TASK = 9, A = 14, BIT = 16, C = 20, P = 22, Q = 24 };
enum { NAMED = 26, INT = 32 };

static const __u32 types[] = {
	/* 1: int */
	INT,
	BTF_KIND_INT << 24,
	4,
	32,
	/* 2: struct inner */
	INNER,
	BTF_KIND_STRUCT << 24 | 1,
	4,
	X,
	1,
	0,
	/* 3: the anonymous struct */
	0,
	BTF_KIND_STRUCT << 24 | 2,
	24,
	C,
	1,
	0,
	P,
	1,
	128,
	/* 4: const of it */
	0,
	BTF_KIND_CONST << 24,
	3,
	/* 5: the anonymous union */
	0,
	BTF_KIND_UNION << 24 | 2,
	24,
	0,
	4,
	0,
	Q,
	1,
	0,
	/* 6: struct task, with bit fields: sizes in bits 31:24 of offsets */
	TASK,
	1U << 31 | BTF_KIND_STRUCT << 24 | 4,
	64,
	A,
	1,
	0,
	BIT,
	1,
	3U << 24 | 64,
	0,
	5,
	128,
	NAMED,
	2,
	320,
	/* 7: a union named like nothing that is asked for */
	X,
	BTF_KIND_UNION << 24 | 1,
	4,
	A,
	1,
	0,
};

static size_t make(char *blob)
{
	const struct btf_header h = {
		.magic = BTF_MAGIC,
		.version = 1,
		.hdr_len = sizeof(h),
		.type_len = sizeof(types),
		.str_off = sizeof(types),
		.str_len = sizeof(strings),
	};

	memcpy(blob, &h, sizeof(h));
	memcpy(blob + sizeof(h), types, sizeof(types));
	memcpy(blob + sizeof(h) + sizeof(types), strings, sizeof(strings));
	return sizeof(h) + sizeof(types) + sizeof(strings);
}

TEST(btf_finds_members_through_anonymous_ones)
{
	char blob[1024];
	struct btf b;

	TEST_EQ(btf_parse(blob, make(blob), NULL, &b), 0);
	TEST_EQ(b.nr, 7);
	TEST_EQ(btf_offset(&b, "task", "a"), 0);
	TEST_EQ(btf_offset(&b, "task", "c"), 16);
	TEST_EQ(btf_offset(&b, "task", "p"), 32);
	TEST_EQ(btf_offset(&b, "task", "q"), 16);
	TEST_EQ(btf_offset(&b, "task", "named"), 40);
	btf_free(&b);
	return 0;
}

TEST(btf_tells_what_is_not_there)
{
	char blob[1024];
	struct btf b;

	TEST_EQ(btf_parse(blob, make(blob), NULL, &b), 0);
	TEST_EQ(btf_offset(&b, "task", "bit"), -EINVAL);
	/* Named members are not looked into; unions are no structs. */
	TEST_EQ(btf_offset(&b, "task", "x"), -ENOENT);
	TEST_EQ(btf_offset(&b, "x", "a"), -ENOENT);
	TEST_EQ(btf_offset(&b, "nobody", "a"), -ENOENT);
	/* Structs are no unions either. */
	TEST_EQ(btf_union_size(&b, "x"), 4);
	TEST_EQ(btf_union_size(&b, "task"), -ENOENT);
	btf_free(&b);
	return 0;
}

TEST(btf_survives_damage)
{
	char blob[1024];
	size_t size = make(blob), i;
	struct btf b;
	int v;

	for (i = 0; i < size; i++) {
		if (!btf_parse(blob, i, NULL, &b))
			return 1;
		btf_free(&b);
	}
	for (i = 0; i < size; i++) {
		for (v = 0; v < 256; v += 15) {
			make(blob);
			blob[i] = v;
			if (btf_parse(blob, size, NULL, &b))
				continue;
			btf_offset(&b, "task", "p");
			btf_offset(&b, "task", "none");
			btf_union_size(&b, "none");
			btf_free(&b);
		}
	}
	return 0;
}

/* Anonymous structs that hold each other many times over. */
TEST(btf_gives_up_on_a_maze)
{
	char blob[8192];
	struct btf_make m;
	struct btf b;
	int i;

	btf_make_init(&m, NULL);
	btf_make_type(&m, "maze", BTF_KIND_STRUCT, 40, 8);
	for (i = 0; i < 40; i++)
		btf_make_member(&m, "", 1, 0);
	TEST_EQ(btf_parse(blob, btf_make_blob(&m, blob), NULL, &b), 0);
	TEST_EQ(btf_offset(&b, "maze", "exit"), -EBADMSG);
	btf_free(&b);
	return 0;
}

/* Arrays of themselves, and names of types of themselves. */
TEST(btf_of_endless_types_has_no_size)
{
	__u32 offset, size;
	char blob[1024];
	struct btf_make m;
	struct btf b;

	btf_make_init(&m, NULL);
	btf_make_type(&m, "s", BTF_KIND_STRUCT, 3, 8);
	btf_make_member(&m, "a", 2, 0);
	btf_make_member(&m, "t", 3, 8);
	btf_make_member(&m, "n", 99, 16);
	btf_make_type(&m, "", BTF_KIND_ARRAY, 0, 0);
	btf_make_word(&m, 2);
	btf_make_word(&m, 2);
	btf_make_word(&m, 1000);
	btf_make_type(&m, "t", BTF_KIND_TYPEDEF, 0, 3);
	TEST_EQ(btf_parse(blob, btf_make_blob(&m, blob), NULL, &b), 0);
	TEST_EQ(btf_find_member(&b, "s", "a", &offset, &size), 0);
	TEST_EQ(size, 0);
	TEST_EQ(btf_find_member(&b, "s", "t", &offset, &size), 0);
	TEST_EQ(offset, 8);
	TEST_EQ(size, 0);
	TEST_EQ(btf_find_member(&b, "s", "n", &offset, &size), 0);
	TEST_EQ(size, 0);
	btf_free(&b);
	return 0;
}

TEST(btf_of_the_kernel_has_what_the_walk_needs)
{
	struct btf b;
	int err = btf_open_kernel(&b);
	long size;

	if (err) {
		printf("# skipped: /sys/kernel/btf/vmlinux: %s\n",
		       strerror(-err));
		return 0;
	}
	TEST_OK(btf_offset(&b, "task_struct", "mm") > 0);
	TEST_OK(btf_offset(&b, "mm_struct", "pgd") > 0);
	TEST_EQ(btf_offset(&b, "list_head", "prev"), 8);
	size = btf_union_size(&b, "thread_union");
	TEST_OK(size == -ENOENT || size == 16384 || size == 32768);
	btf_free(&b);
	return 0;
}
