// SPDX-License-Identifier: GPL-2.0-only
/* analyzer/model/jit.c: which code was at an address, and when. */

#include "build.h"
#include "model/clock.h"
#include "model/jit.h"
#include "test.h"

static void put_jit(struct build *b, __u32 pid, __u64 ns, __u64 addr,
		    __u64 size, __u32 source, const char *name)
{
	struct vmmprof_maps_jit j = { .ns = ns,
				      .addr = addr,
				      .size = size,
				      .pid = pid,
				      .source = source };

	build_item(b, VMMPROF_MAPS_JIT, &j, sizeof(j), name, strlen(name) + 1);
}

struct model {
	struct bundle bundle;
	struct procs procs;
	struct jit jit;
};

static int model_init(struct model *m, struct build *b)
{
	struct problems none = { 0 };

	build_end(b);
	TEST_EQ(bundle_init_mem(&m->bundle, b->data, b->size, "t", &none), 0);
	TEST_EQ(procs_init(&m->procs, &m->bundle), 0);
	TEST_EQ(jit_init(&m->jit, &m->bundle, &m->procs), 0);
	return 0;
}

static void model_deinit(struct model *m)
{
	jit_deinit(&m->jit);
	procs_deinit(&m->procs);
	bundle_deinit(&m->bundle);
}

/* The name at addr at ns, "" for none; its times must hold ns. */
static const char *name_at(struct model *m, __u32 pid, __u64 ns, __u64 addr)
{
	struct image *im = procs_find(&m->procs, pid, ns);
	const struct vmmprof_maps_jit *item;
	__u64 from, end;

	item = jit_find(&m->jit, &m->procs, im, ns, addr, &from, &end);
	if (ns < from || ns >= end)
		return "times are wrong";
	return item ? item->name : "";
}

#define DUMP VMMPROF_JIT_DUMP
#define MAP  VMMPROF_JIT_PERF_MAP

TEST(jit_addresses_are_used_again)
{
	static struct build b;
	struct model m;

	build_header(&b, VMMPROF_FILE_MAPS);
	build_proc(&b, VMMPROF_OP_SNAP, 0, 5, 1, "jit");
	put_jit(&b, 5, 300, 0x1040, 0x40, DUMP, "third");
	put_jit(&b, 5, 100, 0x1000, 0x100, DUMP, "first");
	put_jit(&b, 5, 200, 0x1000, 0x80, DUMP, "second");
	TEST_EQ(model_init(&m, &b), 0);
	TEST_STR(name_at(&m, 5, 99, 0x1000), "");
	TEST_STR(name_at(&m, 5, 100, 0x1000), "first");
	TEST_STR(name_at(&m, 5, 199, 0x10ff), "first");
	TEST_STR(name_at(&m, 5, 199, 0x1100), "");
	TEST_STR(name_at(&m, 5, 199, 0xfff), "");
	TEST_STR(name_at(&m, 5, 200, 0x107f), "second");
	/* first is gone as a whole: its memory was given away */
	TEST_STR(name_at(&m, 5, 200, 0x1080), "");
	TEST_STR(name_at(&m, 5, 299, 0x1040), "second");
	TEST_STR(name_at(&m, 5, 300, 0x1040), "third");
	TEST_STR(name_at(&m, 5, 300, 0x1000), "");
	model_deinit(&m);
	return 0;
}

TEST(jit_perf_map_counts_before_it_was_read_if_nothing_was_there)
{
	const __u64 s = 1000000000;
	static struct build b;
	struct model m;

	build_header(&b, VMMPROF_FILE_MAPS);
	build_proc(&b, VMMPROF_OP_SNAP, 0, 5, 1, "jit");
	put_jit(&b, 5, 5 * s, 0x1000, 0x100, MAP, "seen_late");
	put_jit(&b, 5, 0, 0x2000, 0x100, MAP, "old");
	put_jit(&b, 5, 5 * s, 0x2080, 0x100, MAP, "new");
	put_jit(&b, 6, 1000, 0x1000, 0x100, DUMP, "exact");
	build_proc(&b, VMMPROF_OP_SNAP, 0, 6, 1, "jit");
	TEST_EQ(model_init(&m, &b), 0);
	TEST_STR(name_at(&m, 5, 500, 0x1000), "seen_late");
	TEST_STR(name_at(&m, 5, 500, 0x2090), "old");
	/* its neighbour was still there */
	TEST_STR(name_at(&m, 5, 500, 0x2110), "");
	TEST_STR(name_at(&m, 5, 5 * s, 0x2110), "new");
	TEST_STR(name_at(&m, 6, 999, 0x1000), "");
	TEST_STR(name_at(&m, 6, 1000, 0x1000), "exact");
	model_deinit(&m);
	return 0;
}

/* Nobody knows when a line of a perf map was written. */
TEST(jit_perf_map_is_not_certain_before_it_was_read)
{
	const __u64 s = 1000000000;
	static struct build b;
	struct model m;

	build_header(&b, VMMPROF_FILE_MAPS);
	build_proc(&b, VMMPROF_OP_SNAP, 0, 5, 1, "jit");
	put_jit(&b, 5, 0, 0x1000, 0x100, MAP, "old");
	put_jit(&b, 5, 5 * s, 0x1080, 0x100, MAP, "new");
	put_jit(&b, 5, 9 * s, 0x1080, 0x100, MAP, "new");
	put_jit(&b, 5, 5 * s, 0x2000, 0x100, MAP, "either");
	put_jit(&b, 5, 5 * s, 0x2000, 0x100, MAP, "or");
	TEST_EQ(model_init(&m, &b), 0);
	TEST_STR(name_at(&m, 5, 3 * s, 0x1000), "old");
	TEST_STR(name_at(&m, 5, 4 * s, 0x1000), "");
	TEST_STR(name_at(&m, 5, 5 * s - 1, 0x10ff), "");
	TEST_STR(name_at(&m, 5, 5 * s, 0x1080), "new");
	TEST_STR(name_at(&m, 5, 9 * s - 1, 0x1080), "new");
	TEST_STR(name_at(&m, 5, 9 * s, 0x1080), "new");
	TEST_STR(name_at(&m, 5, 4 * s, 0x2000), "");
	TEST_STR(name_at(&m, 5, 5 * s, 0x2000), "or");
	model_deinit(&m);
	return 0;
}

TEST(jit_belongs_to_an_image_and_its_forks)
{
	static struct build b;
	struct model m;

	build_header(&b, VMMPROF_FILE_MAPS);
	build_proc(&b, VMMPROF_OP_SNAP, 0, 5, 1, "jit");
	put_jit(&b, 5, 100, 0x1000, 0x100, DUMP, "parent");
	build_proc(&b, VMMPROF_OP_FORK, 200, 6, 5, "jit");
	put_jit(&b, 5, 300, 0x1000, 0x100, DUMP, "after_fork");
	put_jit(&b, 6, 400, 0x1000, 0x100, DUMP, "child");
	build_proc(&b, VMMPROF_OP_EXEC, 500, 6, 0, "jit");
	TEST_EQ(model_init(&m, &b), 0);
	TEST_STR(name_at(&m, 6, 350, 0x1000), "parent");
	TEST_STR(name_at(&m, 6, 450, 0x1000), "child");
	TEST_STR(name_at(&m, 6, 500, 0x1000), "");
	TEST_STR(name_at(&m, 5, 350, 0x1000), "after_fork");
	model_deinit(&m);
	return 0;
}

TEST(jit_dump_makes_the_perf_map_void)
{
	static struct build b;
	struct model m;

	build_header(&b, VMMPROF_FILE_MAPS);
	build_proc(&b, VMMPROF_OP_SNAP, 0, 5, 1, "jit");
	put_jit(&b, 5, 100, 0x1000, 0x100, DUMP, "dump");
	put_jit(&b, 5, 200, 0x1000, 0x100, MAP, "map");
	TEST_EQ(model_init(&m, &b), 0);
	TEST_STR(name_at(&m, 5, 250, 0x1000), "dump");
	model_deinit(&m);
	return 0;
}

/* Random code against the rule, applied one item after the other. */
TEST(jit_agrees_with_the_rule_on_random_code)
{
	static struct build b;
	const char *owner[256] = { 0 };
	static char names[400][16];
	struct {
		unsigned int at, size;
	} code[400];
	struct model m;
	int i, k, n, wrong = 0;

	srand(1);
	build_header(&b, VMMPROF_FILE_MAPS);
	build_proc(&b, VMMPROF_OP_SNAP, 0, 5, 1, "jit");
	for (i = 0; i < 400; i++) {
		code[i].at = rand() % 240;
		code[i].size = 1 + rand() % 16;
		snprintf(names[i], sizeof(names[i]), "f%d", i);
		put_jit(&b, 5, 1 + i, code[i].at, code[i].size, DUMP, names[i]);
	}
	TEST_EQ(model_init(&m, &b), 0);
	for (i = 0; i < 400; i++) {
		for (k = 0; k < (int)code[i].size; k++) {
			const char *old = owner[code[i].at + k];

			for (n = 0; old && n < 256; n++)
				if (owner[n] == old)
					owner[n] = NULL;
		}
		for (k = 0; k < (int)code[i].size; k++)
			owner[code[i].at + k] = names[i];
		for (k = 0; k < 256; k++)
			wrong += !!strcmp(name_at(&m, 5, 1 + i, k),
					  owner[k] ? owner[k] : "");
	}
	TEST_EQ(wrong, 0);
	model_deinit(&m);
	return 0;
}
