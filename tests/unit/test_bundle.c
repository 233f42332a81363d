// SPDX-License-Identifier: GPL-2.0-only
/* Bundles: nothing in them is believed before it was checked. */

#include "build.h"
#include "test.h"
#include "format/bundle.h"
#include "model/unwind_tables.h"

static struct build b;
static struct problems problems;

static int read_bundle(struct bundle *ret)
{
	problems_deinit(&problems);
	return bundle_init_mem(ret, b.data, b.size, "x", &problems);
}

static void put_file(__u32 id, const char *path)
{
	struct vmmprof_maps_file f = { .id = id };

	build_item(&b, VMMPROF_MAPS_FILE, &f, sizeof(f), path,
		   strlen(path) + 1);
}

static struct vmmprof_maps_symtab *put_symtab(__u32 file, __u32 name)
{
	struct {
		struct vmmprof_maps_symtab t;
		struct vmmprof_segment seg;
		struct vmmprof_symbol sym;
		char strings[8];
	} s = {
		.t = { .file = file,
		       .nr_segments = 1,
		       .nr_symbols = 1,
		       .strings_size = 8 },
		.seg = { 0, 0x1000, 0x1000 },
		.sym = { 0x1000, 16, name },
		.strings = "\0main",
	};

	return build_item(&b, VMMPROF_MAPS_SYMTAB, &s, sizeof(s), NULL, 0);
}

/* A table of one rule for 16 bytes from @start on. */
static struct vmmprof_maps_unwind *put_unwind(__u32 file, __u64 start,
					      __s32 cfa)
{
	struct {
		struct vmmprof_maps_unwind u;
		struct vmmprof_unwind_rule rule;
		__u8 row[2];
	} __attribute__((packed)) s = {
		.u = { .file = file, .unwind = { start, start + 16, 1, 1 } },
		.rule = { .cfa = cfa, .kind = VMMPROF_UNWIND_CALL },
	};

	return build_item(&b, VMMPROF_MAPS_UNWIND, &s, sizeof(s), NULL, 0);
}

TEST(unwind_tables_are_found_by_file_and_of_the_kernel_by_address)
{
	const struct vmmprof_unwind_rule *r;
	struct unwind_tables t;
	struct bundle bundle;

	build_header(&b, VMMPROF_FILE_MAPS);
	put_unwind(VMMPROF_NONE, 0xffffffffc0000000, 24);
	/* another one begins inside of it */
	put_unwind(VMMPROF_NONE, 0xffffffffc0000004, 32)->unwind.end -= 8;
	put_unwind(VMMPROF_NONE, 0xffffffff81000000, 16);
	put_unwind(7, 0x1000, 8);
	put_unwind(8, 0x1000, 8); /* there is no such file */
	put_unwind(7, 0x1000, 8); /* a second one */
	/* damaged behind its head, which nobody looks at here */
	put_unwind(VMMPROF_NONE, 0xffffffffd0000000, 8)->unwind.nr_rows = 9;
	put_file(7, "/bin/x");
	build_end(&b);
	TEST_EQ(read_bundle(&bundle), 0);
	TEST_EQ(bundle.bad, 2);
	TEST_EQ(bundle.nr_unwinds, 4);
	TEST_EQ(unwind_tables_init(&t, &bundle), 0);
	r = unwind_tables_find(&t, &bundle, 7, 0x100f);
	TEST_OK(r && r->cfa == 8);
	TEST_OK(!unwind_tables_find(&t, &bundle, 7, 0x1010));
	TEST_OK(!unwind_tables_find(&t, &bundle, 9, 0x1000));
	r = unwind_tables_find(&t, &bundle, VMMPROF_NONE, 0xffffffff81000000);
	TEST_OK(r && r->cfa == 16);
	TEST_OK(!unwind_tables_find(&t, &bundle, VMMPROF_NONE,
				    0xffffffff80ffffff));
	r = unwind_tables_find(&t, &bundle, VMMPROF_NONE, 0xffffffffc0000001);
	TEST_OK(r && r->cfa == 24);
	r = unwind_tables_find(&t, &bundle, VMMPROF_NONE, 0xffffffffc000000b);
	TEST_OK(r && r->cfa == 32);
	r = unwind_tables_find(&t, &bundle, VMMPROF_NONE, 0xffffffffc000000c);
	TEST_OK(r && r->cfa == 24);
	TEST_EQ(t.damaged, 0);
	TEST_OK(!unwind_tables_find(&t, &bundle, VMMPROF_NONE,
				    0xffffffffd0000000));
	TEST_EQ(t.damaged, 1);
	unwind_tables_deinit(&t);
	bundle_deinit(&bundle);
	return 0;
}

TEST(bundle_keeps_symbols_with_their_file)
{
	const struct bundle_file *f;
	struct bundle bundle;

	build_header(&b, VMMPROF_FILE_MAPS);
	put_symtab(7, 1);
	put_file(7, "/bin/x");
	build_end(&b);
	TEST_EQ(read_bundle(&bundle), 0);
	TEST_EQ(problems.nr, 0);
	f = bundle_find_file(&bundle, 7);
	TEST_OK(f && f->symtab);
	TEST_STR(f->item->path, "/bin/x");
	TEST_STR(symtab_strings(f->symtab) + symtab_symbols(f->symtab)->name,
		 "main");
	TEST_OK(!bundle_find_file(&bundle, 8));
	bundle_deinit(&bundle);
	return 0;
}

/* Each change makes the item lie about its own size. */
TEST(bundle_skips_symbol_tables_that_lie)
{
	struct vmmprof_maps_symtab *t;
	struct bundle bundle;
	int i;

	for (i = 0; i < 7; i++) {
		build_header(&b, VMMPROF_FILE_MAPS);
		put_file(7, "/bin/x");
		/* outside of the strings, the end of another name */
		t = put_symtab(7, i == 5 ? 8 : i == 6 ? 3 : 1);
		if (i == 0)
			t->nr_segments = 0xffffffff;
		if (i == 1)
			t->nr_symbols = 0x10000001;
		if (i == 2)
			t->strings_size = 9;
		if (i == 3)
			((char *)t)[t->hdr.size - 1] = 'x';
		if (i == 4)
			t->hdr.size = 23;
		build_end(&b);
		TEST_EQ(read_bundle(&bundle), 0);
		TEST_OK(bundle.bad || bundle.items.cut);
		TEST_OK(problems.nr);
		TEST_OK(!bundle_find_file(&bundle, 7)->symtab);
		bundle_deinit(&bundle);
	}
	return 0;
}

TEST(bundle_skips_strings_without_an_end)
{
	struct vmmprof_maps_proc p = { .pid = 1 };
	struct vmmprof_maps_file f = { .id = 1 };
	struct bundle bundle;

	build_header(&b, VMMPROF_FILE_MAPS);
	build_item(&b, VMMPROF_MAPS_PROC, &p, sizeof(p), "abcdefgh", 8);
	build_item(&b, VMMPROF_MAPS_PROC, &p, sizeof(p), NULL, 0);
	build_item(&b, VMMPROF_MAPS_FILE, &f, sizeof(f), "/bin/sh1", 8);
	f.build_id_size = 21;
	build_item(&b, VMMPROF_MAPS_FILE, &f, sizeof(f), "/bin/sh", 8);
	build_end(&b);
	TEST_EQ(read_bundle(&bundle), 0);
	TEST_EQ(bundle.bad, 4);
	TEST_EQ(bundle.nr_procs + bundle.nr_files, 0);
	bundle_deinit(&bundle);
	return 0;
}

TEST(bundle_takes_the_first_of_two_files_with_one_id)
{
	struct bundle bundle;

	build_header(&b, VMMPROF_FILE_MAPS);
	put_file(7, "/first");
	put_file(7, "/second");
	build_end(&b);
	TEST_EQ(read_bundle(&bundle), 0);
	TEST_EQ(bundle.nr_files, 1);
	TEST_STR(bundle.files[0].item->path, "/first");
	bundle_deinit(&bundle);
	return 0;
}

TEST(bundle_sorts_events_by_time)
{
	struct bundle bundle;

	build_header(&b, VMMPROF_FILE_MAPS);
	build_mm(&b, VMMPROF_OP_DROP, 30, 0x1000, 1, "");
	build_mm(&b, VMMPROF_OP_FORK, 10, 0x1000, 1, "a");
	build_mm(&b, VMMPROF_OP_EXEC, 10, 0x2000, 1, "b");
	build_end(&b);
	TEST_EQ(read_bundle(&bundle), 0);
	TEST_EQ(bundle.nr_mms, 3);
	TEST_EQ(bundle.mms[0]->op, VMMPROF_OP_FORK);
	TEST_EQ(bundle.mms[1]->op, VMMPROF_OP_EXEC);
	TEST_EQ(bundle.mms[2]->op, VMMPROF_OP_DROP);
	bundle_deinit(&bundle);
	return 0;
}

TEST(bundle_survives_truncation_at_every_byte)
{
	struct bundle bundle;
	size_t size;
	int ret;

	build_header(&b, VMMPROF_FILE_MAPS);
	build_text(&b, "from=watch\npti=1\n");
	put_file(7, "/bin/x");
	put_symtab(7, 1);
	build_mm(&b, VMMPROF_OP_SNAP, 30, 0x1000, 1, "a");
	build_end(&b);
	size = b.size;
	for (b.size = 0; b.size < size; b.size++) {
		ret = read_bundle(&bundle);
		TEST_EQ(ret, b.size < 32 ? -ENODATA : 0);
		if (ret)
			continue;
		TEST_OK(!bundle.complete);
		TEST_EQ(problems.nr, 1);
		bundle_deinit(&bundle);
	}
	TEST_EQ(read_bundle(&bundle), 0);
	TEST_OK(bundle.complete);
	TEST_EQ(problems.nr, 0);
	bundle_deinit(&bundle);
	return 0;
}

TEST(bundle_survives_every_flipped_bit)
{
	struct bundle bundle;
	size_t bit;

	build_header(&b, VMMPROF_FILE_MAPS);
	build_text(&b, "from=watch\npti=1\n");
	put_file(7, "/bin/x");
	put_symtab(7, 1);
	build_mm(&b, VMMPROF_OP_SNAP, 30, 0x1000, 1, "a");
	build_end(&b);
	for (bit = 0; bit < b.size * 8; bit++) {
		b.data[bit / 8] ^= 1 << bit % 8;
		if (!read_bundle(&bundle))
			bundle_deinit(&bundle);
		b.data[bit / 8] ^= 1 << bit % 8;
	}
	problems_deinit(&problems);
	return 0;
}

TEST(text_takes_the_last_value_and_whole_keys_only)
{
	struct bundle bundle;
	char buf[8];

	build_header(&b, VMMPROF_FILE_MAPS);
	build_text(&b, "pti=0\nxpti=7\nphys_mask=0xffe000\n");
	build_text(&b, "pti=1\nlong=0123456789\nneg=-1");
	build_end(&b);
	TEST_EQ(read_bundle(&bundle), 0);
	TEST_EQ(text_number(&bundle.text, "pti", 10, 9), 1);
	TEST_EQ(text_number(&bundle.text, "ti", 10, 9), 9);
	TEST_EQ(text_number(&bundle.text, "neg", 10, 9), 9);
	TEST_EQ(text_number(&bundle.text, "phys_mask", 16, 0), 0xffe000);
	TEST_EQ(text_get(&bundle.text, "long", buf, sizeof(buf)), 7);
	TEST_STR(buf, "0123456");
	TEST_EQ(text_get(&bundle.text, "none", buf, sizeof(buf)), -ENOENT);
	bundle_deinit(&bundle);
	return 0;
}

static struct vmmprof_maps_code *put_code(__u32 file, __u64 addr,
					  const char *code, size_t size)
{
	struct vmmprof_maps_code c = { .file = file, .addr = addr };

	return build_item(&b, VMMPROF_MAPS_CODE, &c, sizeof(c), code, size);
}

TEST(bundle_has_code_by_file_and_address)
{
	struct bundle bundle;
	const __u8 *p;
	size_t size;
	bool ia32;

	build_header(&b, VMMPROF_FILE_MAPS);
	put_code(VMMPROF_NONE, 0xffffffff81000000, "abc", 3);
	put_code(2, 0x200, "defg", 4)->flags = VMMPROF_CODE_F_IA32;
	put_code(2, 0x100, "hi", 2);
	put_code(2, 0x1fe, "jklm", 4);
	build_end(&b);
	TEST_EQ(read_bundle(&bundle), 0);
	TEST_EQ(bundle.nr_codes, 4);
	TEST_EQ(bundle.codes[0]->addr, 0x100);
	/* of two that have it the one that goes on longer */
	p = bundle_code(&bundle, 2, 0x201, &size, &ia32);
	TEST_OK(p && !memcmp(p, "efg", size) && size == 3 && ia32);
	p = bundle_code(&bundle, 2, 0x1ff, &size, &ia32);
	TEST_OK(p && !memcmp(p, "klm", size) && size == 3 && !ia32);
	p = bundle_code(&bundle, VMMPROF_NONE, 0xffffffff81000002, &size,
			&ia32);
	TEST_OK(p && size == 1 && *p == 'c');
	TEST_OK(!bundle_code(&bundle, 2, 0x102, &size, &ia32));
	TEST_OK(!bundle_code(&bundle, 2, 0xff, &size, &ia32));
	TEST_OK(!bundle_code(&bundle, 1, 0x100, &size, &ia32));
	bundle_deinit(&bundle);
	return 0;
}

TEST(bundle_skips_code_that_is_none)
{
	static char large[VMMPROF_CODE_RANGE + 1];
	struct vmmprof_maps_code c = { .hdr = { VMMPROF_MAPS_CODE,
						sizeof(c) + sizeof(large) } };
	struct bundle bundle;
	char *file;

	build_header(&b, VMMPROF_FILE_MAPS);
	put_code(1, 0, NULL, 0);
	put_code(1, ~0ull, "ab", 2);
	build_item(&b, VMMPROF_MAPS_CODE, &c, 24, NULL, 0);
	file = malloc(b.size + c.hdr.size + 8);
	memcpy(file, b.data, b.size);
	memcpy(file + b.size, &c, sizeof(c));
	memset(file + b.size + sizeof(c), 'x', sizeof(large) + 7);
	problems_deinit(&problems);
	TEST_EQ(bundle_init_mem(&bundle, file, b.size + c.hdr.size + 7, "x",
				&problems),
		0);
	TEST_EQ(bundle.nr_codes, 0);
	TEST_EQ(bundle.bad, 4);
	bundle_deinit(&bundle);
	free(file);
	return 0;
}
