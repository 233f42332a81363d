// SPDX-License-Identifier: GPL-2.0-only
/* Bundles and the cache of symbols: what they fill, what they are filled from. */

#include "symcache_dir.h"

/* The bundle in @b in a file. */
static int bundle_fd(const struct build *b)
{
	int fd = open(base, O_TMPFILE | O_RDWR, 0600);

	if (write(fd, b->data, b->size) != (ssize_t)b->size)
		abort();
	return fd;
}

static const struct symcache_merge_count *symbols(const struct import_stat *st)
{
	return &st->cache.of[SYMCACHE_SYMBOLS];
}

static int reread(int fd, struct bundle *b)
{
	struct problems problems = { 0 };
	int ret;

	lseek(fd, 0, SEEK_SET);
	ret = bundle_init(b, fd, "b", &problems);
	problems_deinit(&problems);
	return ret;
}

TEST(first_bundle_fills_the_cache_the_second_is_filled_from_it)
{
	struct symcache_guest a;
	struct import_stat st;
	const struct vmmprof_item_hdr *item;
	struct bundle b;
	struct items it;
	int fd;

	TEST_EQ(begin(), 0);
	TEST_EQ(open_guest(1, "a", &a), 0);
	build_header(&built, VMMPROF_FILE_MAPS);
	build_file(&built, 3, 0x33, 0);
	build_symtab(&built, 3, "three");
	build_file(&built, 4, 0x44, 0);
	build_symtab(&built, 4, "four_");
	build_end(&built);
	fd = bundle_fd(&built);
	TEST_EQ(import_bundle(fd, &a, &st, NULL), 0);
	TEST_EQ(symbols(&st)->stored, 2);
	TEST_EQ(symbols(&st)->cached + symbols(&st)->lost, 0);
	TEST_EQ(lseek(fd, 0, SEEK_END), built.size);
	close(fd);
	TEST_EQ(nr_have(&a), 2);

	build_header(&built, VMMPROF_FILE_MAPS);
	build_file(&built, 9, 0x44, VMMPROF_FILE_F_CACHED);
	build_file(&built, 8, 0x33, VMMPROF_FILE_F_CACHED);
	build_file(&built, 7, 0x77, VMMPROF_FILE_F_CACHED);
	build_file(&built, 6, 0x33, 0);
	build_end(&built);
	fd = bundle_fd(&built);
	TEST_EQ(import_bundle(fd, &a, &st, NULL), 0);
	TEST_EQ(symbols(&st)->stored, 0);
	TEST_EQ(symbols(&st)->cached, 2);
	TEST_EQ(symbols(&st)->lost, 1);
	TEST_EQ(reread(fd, &b), 0);
	TEST_OK(b.complete && !b.bad && !b.items.cut);
	TEST_STR(first_name(bundle_find_file(&b, 9)), "four_");
	TEST_STR(first_name(bundle_find_file(&b, 8)), "three");
	TEST_OK(!bundle_find_file(&b, 7)->symtab);
	TEST_OK(!bundle_find_file(&b, 6)->symtab);
	TEST_OK(bundle_find_file(&b, 9)->item->flags & VMMPROF_FILE_F_CACHED);
	bundle_deinit(&b);
	/* END counts what was added */
	lseek(fd, 0, SEEK_SET);
	TEST_EQ(items_init(&it, fd, VMMPROF_FILE_MAPS), 0);
	while (items_next(&it, &item))
		if (item->type == VMMPROF_ITEM_END)
			TEST_EQ(((struct vmmprof_item_end *)item)->items, 6);
	items_deinit(&it);
	close(fd);
	symcache_guest_close(&a);
	end();
	return 0;
}

/* A user of the guest writes any build-id: his file may not stay for it. */
TEST(files_of_a_guest_s_users_are_not_kept)
{
	struct symcache_guest a;
	struct import_stat st;
	int fd;

	TEST_EQ(begin(), 0);
	TEST_EQ(open_guest(1, "a", &a), 0);
	build_header(&built, VMMPROF_FILE_MAPS);
	build_owned(&built, 3, 0x33, 0);
	build_symtab(&built, 3, "fake");
	build_file(&built, 4, 0x33, 0);
	build_symtab(&built, 4, "real");
	build_end(&built);
	fd = bundle_fd(&built);
	TEST_EQ(import_bundle(fd, &a, &st, NULL), 0);
	TEST_EQ(symbols(&st)->stored, 1);
	close(fd);

	build_header(&built, VMMPROF_FILE_MAPS);
	build_file(&built, 9, 0x33, VMMPROF_FILE_F_CACHED);
	build_owned(&built, 8, 0x33, VMMPROF_FILE_F_CACHED);
	build_end(&built);
	fd = bundle_fd(&built);
	TEST_EQ(import_bundle(fd, &a, &st, NULL), 0);
	TEST_EQ(symbols(&st)->cached, 1);
	close(fd);
	symcache_guest_close(&a);
	end();
	return 0;
}

TEST(bundle_that_is_cut_stays_cut)
{
	struct symcache_guest a;
	struct import_stat st;
	struct bundle b;
	int fd;

	TEST_EQ(begin(), 0);
	TEST_EQ(open_guest(1, "a", &a), 0);
	TEST_EQ(put(&a, bid(3), symtab("x")), 0);
	build_header(&built, VMMPROF_FILE_MAPS);
	build_file(&built, 1, 3, VMMPROF_FILE_F_CACHED);
	built.size -= 1; /* of the padding */
	fd = bundle_fd(&built);
	TEST_EQ(import_bundle(fd, &a, &st, NULL), 0);
	TEST_EQ(symbols(&st)->cached, 1);
	TEST_EQ(reread(fd, &b), 0);
	TEST_OK(!b.complete && !b.items.cut);
	TEST_STR(first_name(&b.files[0]), "x");
	bundle_deinit(&b);
	close(fd);
	built.size = 8;
	fd = bundle_fd(&built);
	TEST_EQ(import_bundle(fd, &a, &st, NULL), -ENOEXEC);
	close(fd);
	symcache_guest_close(&a);
	end();
	return 0;
}

TEST(hostile_build_ids_reach_no_other_entry)
{
	struct vmmprof_maps_file f = { .id = 1, .build_id_size = 1 };
	struct symcache_guest a;
	struct import_stat st;
	int fd;

	TEST_EQ(begin(), 0);
	TEST_EQ(open_guest(1, "a", &a), 0);
	/* one byte, but more behind it; none at all */
	memset(f.build_id, 5, 20);
	build_header(&built, VMMPROF_FILE_MAPS);
	build_item(&built, VMMPROF_MAPS_FILE, &f, sizeof(f), "/bin/x", 7);
	build_symtab(&built, 1, "x");
	f.id = 2;
	f.build_id_size = 0;
	build_item(&built, VMMPROF_MAPS_FILE, &f, sizeof(f), "/bin/x", 7);
	build_symtab(&built, 2, "y");
	build_end(&built);
	fd = bundle_fd(&built);
	TEST_EQ(import_bundle(fd, &a, &st, NULL), 0);
	TEST_EQ(symbols(&st)->stored, 0);
	TEST_EQ(nr_have(&a), 0);
	close(fd);
	symcache_guest_close(&a);
	end();
	return 0;
}

/* Bytes that this thread has read; processes it waited for do not count. */
static long bytes_read(void)
{
	FILE *f = fopen("/proc/thread-self/io", "r");
	long n = -1;

	if (!f)
		return -1;
	if (fscanf(f, "rchar: %ld", &n) != 1)
		n = -1;
	fclose(f);
	return n;
}

/* The process with rights looks into nothing that a guest wrote. */
TEST(bundle_is_not_read_by_who_imports_it)
{
	static char text[200000];
	struct symcache_guest a;
	struct import_stat st;
	struct vmmprof_item_hdr item;
	long before, after;
	int fd;

	TEST_EQ(begin(), 0);
	TEST_EQ(open_guest(1, "a", &a), 0);
	TEST_EQ(put(&a, bid(3), symtab("x")), 0);
	memset(text, 'x', sizeof(text));
	build_header(&built, VMMPROF_FILE_MAPS);
	build_file(&built, 1, 3, VMMPROF_FILE_F_CACHED);
	build_end(&built);
	fd = bundle_fd(&built);
	/* behind what it begins with, so that build.h's room suffices */
	item.type = 9999;
	item.size = sizeof(item) + sizeof(text);
	TEST_EQ(ftruncate(fd, built.size - sizeof(struct vmmprof_item_end)), 0);
	lseek(fd, 0, SEEK_END);
	TEST_EQ(write(fd, &item, sizeof(item)), sizeof(item));
	TEST_EQ(write(fd, text, sizeof(text)), sizeof(text));
	before = bytes_read();
	TEST_EQ(import_bundle(fd, &a, &st, NULL), 0);
	after = bytes_read();
	TEST_EQ(symbols(&st)->cached, 1);
	TEST_EQ(before < 0, after < 0);
	TEST_OK(after - before < (long)sizeof(text) / 10);
	close(fd);
	symcache_guest_close(&a);
	end();
	return 0;
}

/* Unwind tables: kept without -g's symbols and with them, and completed. */
TEST(unwind_tables_are_kept_and_completed)
{
	const struct symcache_merge_count *u;
	struct symcache_guest a;
	struct import_stat st;
	struct bundle b;
	int fd;

	TEST_EQ(begin(), 0);
	TEST_EQ(open_guest(1, "a", &a), 0);
	u = &st.cache.of[SYMCACHE_UNWIND];
	build_header(&built, VMMPROF_FILE_MAPS);
	build_file(&built, 3, 0x33, 0);
	build_symtab(&built, 3, "three");
	build_unwind(&built, 3, 24);
	build_owned(&built, 4, 0x44, 0);
	build_unwind(&built, 4, 8);
	build_file(&built, 5, 0x55, 0);
	/* damaged: it is kept, but not used */
	((struct vmmprof_maps_unwind *)build_unwind(&built, 5, 8))
		->unwind.nr_rows = 9;
	build_end(&built);
	fd = bundle_fd(&built);
	TEST_EQ(import_bundle(fd, &a, &st, NULL), 0);
	TEST_EQ(symbols(&st)->stored, 1);
	TEST_EQ(u->stored, 2);
	TEST_EQ(u->cached + u->lost, 0);
	close(fd);

	build_header(&built, VMMPROF_FILE_MAPS);
	build_file(&built, 9, 0x33,
		   VMMPROF_FILE_F_CACHED | VMMPROF_FILE_F_UNWIND_CACHED);
	build_owned(&built, 8, 0x33, VMMPROF_FILE_F_UNWIND_CACHED);
	build_file(&built, 7, 0x55, VMMPROF_FILE_F_UNWIND_CACHED);
	build_file(&built, 6, 0x33, VMMPROF_FILE_F_CACHED);
	build_end(&built);
	fd = bundle_fd(&built);
	TEST_EQ(import_bundle(fd, &a, &st, NULL), 0);
	TEST_EQ(symbols(&st)->cached, 2);
	TEST_EQ(u->cached, 1);
	TEST_EQ(u->lost, 1);
	TEST_EQ(reread(fd, &b), 0);
	TEST_OK(b.complete && !b.bad && !b.items.cut);
	TEST_STR(first_name(bundle_find_file(&b, 9)), "three");
	TEST_EQ(bundle_find_file(&b, 9)->unwind->unwind.start, 0x1000);
	TEST_OK(!bundle_find_file(&b, 8)->unwind);
	TEST_OK(!bundle_find_file(&b, 7)->unwind);
	TEST_OK(!bundle_find_file(&b, 6)->unwind);
	bundle_deinit(&b);
	close(fd);
	/* the damaged one is gone */
	TEST_EQ(symcache_get(&a, key(0x55, SYMCACHE_UNWIND)), -ENOENT);
	symcache_guest_close(&a);
	end();
	return 0;
}
