// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cache of guests' symbol tables: whose they are, what damaged and hostile
 * files in it do, what bundles get from it, what has to leave it.
 */

#include "sym/unwind_table.h"
#include "symcache_dir.h"

TEST(guest_is_known_by_user_uuid_and_name)
{
	char want[64], long_name[256];

	TEST_EQ(begin(), 0);
	snprintf(want, sizeof(want), "u%u-none-61", geteuid());
	write_vm(1, "qemu|-name|a|-m|1|");
	TEST_STR(id_of(1), want);
	write_vm(2, "qemu|-name|guest=a,x=y|-uuid|" UUID_A "|");
	snprintf(want, sizeof(want), "u%u-123456789abcdef0123456789abcdef0-61",
		 geteuid());
	TEST_STR(id_of(2), want);
	write_vm(3,
		 "qemu|-name|a|-smbios|type=0|-smbios|type=1,uuid=" UUID_A "|");
	TEST_STR(id_of(3), want);
	write_vm(4, "qemu|-uuid|00000000-0000-0000-0000-000000000000|");
	TEST_STR(id_of(4), "none");
	write_vm(5, "qemu|-uuid|1234|-m|1|");
	TEST_STR(id_of(5), "none");
	TEST_STR(id_of(6), "none");
	/* a name is no path */
	write_vm(7, "qemu|-name|../../x|");
	TEST_OK(!strchr(id_of(7), '/') && !strchr(id_of(7), '.'));
	memset(long_name, 'x', sizeof(long_name));
	memcpy(long_name, "qemu|-name|", 11);
	strcpy(long_name + 120, "|");
	write_vm(8, long_name);
	TEST_STR(id_of(8), "error");
	end();
	return 0;
}

TEST(symbol_table_comes_back_to_its_guest_only)
{
	struct symcache_guest a, b;
	struct bundle e;
	struct stat st;

	TEST_EQ(begin(), 0);
	TEST_EQ(open_guest(1, "a", &a), 0);
	TEST_EQ(open_guest(2, "b", &b), 0);
	TEST_EQ(symcache_have(&a, false), -ENOENT);
	TEST_EQ(put(&a, bid(5), symtab("true_name")), 0);
	TEST_EQ(nr_have(&a), 1);
	TEST_EQ(nr_have(&b), 0);
	TEST_EQ(get(&b, bid(5), &e), -ENOENT);
	TEST_EQ(put(&b, bid(5), symtab("a_lie")), 0);
	TEST_EQ(get(&a, bid(5), &e), 0);
	TEST_STR(first_name(&e.files[0]), "true_name");
	bundle_deinit(&e);
	TEST_EQ(get(&b, bid(5), &e), 0);
	TEST_STR(first_name(&e.files[0]), "a_lie");
	bundle_deinit(&e);
	/* a later one replaces */
	TEST_EQ(put(&b, bid(5), symtab("new")), 0);
	TEST_EQ(get(&b, bid(5), &e), 0);
	TEST_STR(first_name(&e.files[0]), "new");
	bundle_deinit(&e);
	TEST_EQ(nr_have(&b), 1);
	/* entries are found by small digits, so others are none */
	TEST_EQ(linkat(b.dirfd, "0505050505050505050505050505050505050505.fun",
		       b.dirfd, "ABABABABABABABABABABABABABABABABABABABAB.fun",
		       0),
		0);
	TEST_EQ(nr_have(&b), 1);
	TEST_EQ(fstat(a.dirfd, &st), 0);
	TEST_EQ(st.st_mode & 0777, 0700);
	TEST_EQ(fstat(cache.dirfd, &st), 0);
	TEST_EQ(st.st_mode & 0777, 0700);
	TEST_EQ(fstatat(a.dirfd, "0505050505050505050505050505050505050505.fun",
			&st, 0),
		0);
	TEST_EQ(st.st_mode & 0777, 0600);
	symcache_guest_close(&a);
	symcache_guest_close(&b);
	end();
	return 0;
}

TEST(two_vms_of_one_identity_get_nothing)
{
	struct symcache_guest a, b, c;

	TEST_EQ(begin(), 0);
	TEST_EQ(open_guest(1, "a", &a), 0);
	TEST_OK(symcache_guest_alone(&a));
	TEST_EQ(open_guest(2, "a", &b), -EEXIST);
	TEST_OK(!symcache_guest_alone(&a));
	symcache_guest_close(&a);
	TEST_EQ(symcache_guest_open(&cache, 1, "a", &a), -EEXIST);
	/* without any identity */
	write_vm(3, "qemu|-m|1|");
	TEST_EQ(symcache_claim(&cache, base, 3), 0);
	TEST_EQ(symcache_guest_open(&cache, 3, "pid-3", &c), -ENOENT);
	TEST_EQ(symcache_guest_open(&cache, 4, "pid-4", &c), -ENOENT);
	end();
	return 0;
}

/* It is shut down, and started again: by the agent's life it is one VM. */
TEST(vm_that_ended_is_in_no_others_way)
{
	struct symcache_guest a, b;

	TEST_EQ(begin(), 0);
	TEST_EQ(open_guest(1, "a", &a), 0);
	symcache_unclaim(&cache, 1);
	/* what is under way for it keeps nothing */
	TEST_OK(!symcache_guest_alone(&a));
	symcache_guest_close(&a);
	TEST_EQ(open_guest(2, "a", &b), 0);
	TEST_OK(symcache_guest_alone(&b));
	symcache_guest_close(&b);
	/* another VM has the pid: it is not taken for the one that had it */
	TEST_EQ(open_guest(1, "b", &a), 0);
	TEST_OK(symcache_guest_alone(&a));
	TEST_EQ(symcache_guest_open(&cache, 2, "a", &b), 0);
	symcache_guest_close(&a);
	symcache_guest_close(&b);
	/* one that was never claimed */
	symcache_unclaim(&cache, 77);
	TEST_EQ(cache.nr_claims, 2);
	end();
	return 0;
}

TEST(directory_is_used_by_one_recording_at_a_time)
{
	struct symcache_guest a, b;
	struct symcache other;
	char dir[96];

	TEST_EQ(begin(), 0);
	TEST_EQ(open_guest(1, "a", &a), 0);
	snprintf(dir, sizeof(dir), "%s/var/cache", base);
	TEST_EQ(symcache_open(&other, dir, false), 0);
	TEST_EQ(symcache_claim(&other, base, 1), 0);
	TEST_EQ(symcache_guest_open(&other, 1, "a", &b), -EBUSY);
	symcache_guest_close(&a);
	TEST_EQ(symcache_guest_open(&other, 1, "a", &b), 0);
	symcache_guest_close(&b);
	symcache_close(&other);
	end();
	return 0;
}

TEST(directory_others_may_write_to_is_refused)
{
	struct symcache c;
	char dir[96];

	TEST_EQ(begin(), 0);
	snprintf(dir, sizeof(dir), "%s/var/cache", base);
	TEST_EQ(chmod(dir, 0770), 0);
	TEST_EQ(symcache_open(&c, dir, true), -EPERM);
	shell("mv var/cache var/x; ln -s x var/cache; chmod 700 var/x");
	TEST_OK(symcache_open(&c, dir, true) < 0);
	end();
	return 0;
}

/* Every way to cut or change one byte of an entry: found, or still whole. */
TEST(damaged_entry_is_none_and_goes)
{
	static const char name[] =
		"0505050505050505050505050505050505050505.fun";
	struct symcache_guest a;
	struct bundle e;
	uint8_t bytes[1024], bad;
	ssize_t size, i;
	int fd, gone = 0;

	TEST_EQ(begin(), 0);
	TEST_EQ(open_guest(1, "a", &a), 0);
	TEST_EQ(put(&a, bid(5), symtab("name")), 0);
	fd = openat(a.dirfd, name, O_RDONLY);
	size = read(fd, bytes, sizeof(bytes));
	close(fd);
	TEST_OK(size > 100 && size < (ssize_t)sizeof(bytes));
	for (i = 0; i < 2 * size; i++) {
		fd = openat(a.dirfd, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		TEST_EQ(write(fd, bytes, i < size ? i : size),
			i < size ? i : size);
		bad = i < size ? 0 : bytes[i - size] ^ 0xff;
		if (i >= size)
			TEST_EQ(pwrite(fd, &bad, 1, i - size), 1);
		close(fd);
		if (get(&a, bid(5), &e)) {
			TEST_OK(faccessat(a.dirfd, name, F_OK, 0));
			gone++;
			continue;
		}
		TEST_OK(i >= size);
		TEST_EQ(e.nr_files, 1);
		TEST_OK(first_name(&e.files[0]));
		bundle_deinit(&e);
	}
	TEST_OK(gone >= size + 40);
	symcache_guest_close(&a);
	end();
	return 0;
}

/* Take VMMPROF_FILE_F_ROOT from the FILE item, the first, of entry 05... */
static void unroot(const struct symcache_guest *g)
{
	const off_t at = sizeof(struct vmmprof_file_hdr) +
			 offsetof(struct vmmprof_maps_file, flags);
	int fd = openat(g->dirfd,
			"0505050505050505050505050505050505050505.fun", O_RDWR);
	__u32 flags;

	if (pread(fd, &flags, sizeof(flags), at) != sizeof(flags) ||
	    flags != VMMPROF_FILE_F_ROOT)
		abort();
	flags = 0;
	if (pwrite(fd, &flags, sizeof(flags), at) != sizeof(flags))
		abort();
	close(fd);
}

TEST(hostile_entries_are_none)
{
	static const char *const makes[] = {
		"ln -s /etc/passwd $f",
		"mkfifo $f",
		"mkdir $f",
		"echo nonsense > $f",
		": > $f",
		/* another file's symbols */
		"cp $(echo $f | sed s/05/06/g) $f",
	};
	struct symcache_guest a;
	struct bundle e;
	char line[256];
	size_t i;

	TEST_EQ(begin(), 0);
	TEST_EQ(open_guest(1, "a", &a), 0);
	for (i = 0; i < sizeof(makes) / sizeof(makes[0]); i++) {
		TEST_EQ(put(&a, bid(6), symtab("six")), 0);
		snprintf(
			line, sizeof(line),
			"cd var/cache/*/; f=0505050505050505050505050505050505050505.fun; rm -rf $f; %s",
			makes[i]);
		shell(line);
		TEST_EQ(get(&a, bid(5), &e), -ENOENT);
	}
	/* a user's file, however it came there */
	TEST_EQ(put(&a, bid(5), symtab("five")), 0);
	TEST_EQ(get(&a, bid(5), &e), 0);
	bundle_deinit(&e);
	unroot(&a);
	TEST_EQ(get(&a, bid(5), &e), -ENOENT);
	/* names that are no build-id's are nothing to have */
	shell("cd var/cache/*/; rm -rf 05*; touch x 00.fun ../y");
	TEST_EQ(nr_have(&a), 1);
	symcache_guest_close(&a);
	end();
	return 0;
}

static void set_name(char *name, int byte)
{
	int i;

	for (i = 0; i < 20; i++)
		sprintf(name + 2 * i, "%02x", byte);
	strcpy(name + 40, ".fun");
}

TEST(oldest_use_leaves_first)
{
	struct symcache_guest a, b;
	struct symcache_evict_guest *list;
	struct timespec t[2] = { { 0 } };
	struct bundle e;
	char name[64];
	size_t nr;
	int i;

	TEST_EQ(begin(), 0);
	TEST_EQ(open_guest(1, "a", &a), 0);
	TEST_EQ(open_guest(2, "b", &b), 0);
	for (i = 1; i <= 4; i++) {
		TEST_EQ(put(&a, bid(i), symtab("x")), 0);
		t[0].tv_sec = 1000 + i;
		t[1].tv_sec = 1000 + i;
		set_name(name, i);
		TEST_EQ(utimensat(a.dirfd, name, t, 0), 0);
	}
	TEST_EQ(put(&b, bid(1), symtab("x")), 0);
	/* its use makes the first one the newest */
	TEST_EQ(get(&a, bid(1), &e), 0);
	bundle_deinit(&e);
	/* in use: nothing goes */
	TEST_EQ(symcache_evict_trim(&cache, 3 * 4096, 1 << 20), 0);
	TEST_EQ(nr_have(&a), 4);
	symcache_guest_close(&a);
	symcache_guest_close(&b);
	TEST_EQ(symcache_evict_trim(&cache, 3 * 4096, 1 << 20), 0);
	TEST_EQ(symcache_guest_open(&cache, 1, "a", &a), 0);
	TEST_EQ(nr_have(&a), 3);
	TEST_EQ(get(&a, bid(2), &e), -ENOENT);
	symcache_guest_close(&a);
	/* of all: 3 and 4 of a are the oldest */
	TEST_EQ(symcache_evict_trim(&cache, 3 * 4096, 2 * 4096), 0);
	TEST_EQ(symcache_evict_list(&cache, &list, &nr), 0);
	TEST_EQ(nr, 2);
	TEST_STR(list[0].name, "a");
	TEST_EQ(list[0].files, 1);
	TEST_EQ(list[0].bytes, 4096);
	TEST_OK(list[0].used > 1004);
	TEST_STR(list[1].name, "b");
	free(list);
	end();
	return 0;
}

TEST(clear_takes_one_guest_or_all)
{
	struct symcache_guest a, b;
	uint64_t files = 0, bytes = 0;
	struct symcache_evict_guest *list;
	size_t nr;

	TEST_EQ(begin(), 0);
	TEST_EQ(open_guest(1, "a", &a), 0);
	TEST_EQ(open_guest(2, "b", &b), 0);
	TEST_EQ(put(&a, bid(1), symtab("x")), 0);
	TEST_EQ(put(&b, bid(1), symtab("x")), 0);
	symcache_guest_close(&a);
	symcache_guest_close(&b);
	TEST_EQ(symcache_evict_clear(&cache, "c", &files, &bytes), 0);
	TEST_EQ(files, 0);
	TEST_EQ(symcache_evict_clear(&cache, "a", &files, &bytes), 0);
	TEST_EQ(files, 1);
	TEST_EQ(symcache_evict_list(&cache, &list, &nr), 0);
	TEST_EQ(nr, 1);
	TEST_STR(list[0].name, "b");
	free(list);
	TEST_EQ(symcache_evict_clear(&cache, NULL, &files, &bytes), 0);
	TEST_EQ(files, 2);
	TEST_EQ(bytes, 2 * 4096);
	TEST_EQ(symcache_evict_list(&cache, &list, &nr), 0);
	TEST_EQ(nr, 0);
	free(list);
	end();
	return 0;
}

/* The list for a guest: symbols, zeros, unwind tables beside symbols. */
TEST(unwind_tables_are_entries_of_their_own)
{
	struct symcache_guest a;
	uint8_t ids[5][20];
	struct bundle e;
	int fd;

	TEST_EQ(begin(), 0);
	TEST_EQ(open_guest(1, "a", &a), 0);
	TEST_EQ(put(&a, bid(5), symtab("five")), 0);
	TEST_EQ(put_unwind(&a, 5, unwind(24)), 0);
	TEST_EQ(put_unwind(&a, 6, unwind(8)), 0);
	TEST_EQ(get(&a, bid(5), &e), 0);
	TEST_STR(first_name(&e.files[0]), "five");
	TEST_OK(!e.files[0].unwind);
	bundle_deinit(&e);
	TEST_EQ(get_table(&a, key(5, SYMCACHE_UNWIND), &e), 0);
	TEST_OK(!e.files[0].symtab && e.files[0].unwind);
	TEST_EQ(e.files[0].unwind->unwind.start, 0x1000);
	bundle_deinit(&e);
	TEST_EQ(get(&a, bid(6), &e), -ENOENT);
	TEST_EQ(nr_have(&a), 1);
	fd = symcache_have(&a, true);
	TEST_EQ(pread(fd, ids, sizeof(ids), 0), 60);
	close(fd);
	TEST_OK(!memcmp(ids[0], bid(5), 20));
	TEST_OK(!memcmp(ids[1], bid(0), 20));
	TEST_OK(!memcmp(ids[2], bid(5), 20));
	/* what separates the two is the build-id of no file */
	TEST_EQ(put(&a, bid(0), symtab("zero")), 0);
	TEST_EQ(nr_have(&a), 1);
	symcache_drop(&a, key(5, SYMCACHE_SYMBOLS));
	TEST_EQ(get_table(&a, key(5, SYMCACHE_UNWIND), &e), 0);
	bundle_deinit(&e);
	TEST_EQ(symcache_have(&a, true), -ENOENT);
	symcache_guest_close(&a);
	end();
	return 0;
}

/* As damaged_entry_is_none_and_goes, of an unwind table; or still one that is. */
TEST(damaged_unwind_table_is_none_and_goes)
{
	static const char name[] =
		"0505050505050505050505050505050505050505.unw";
	struct symcache_guest a;
	struct unwind_table t;
	struct bundle e;
	uint8_t bytes[1024], bad;
	const void *data;
	ssize_t size, i;
	size_t stored;
	int fd, gone = 0;

	TEST_EQ(begin(), 0);
	TEST_EQ(open_guest(1, "a", &a), 0);
	TEST_EQ(put_unwind(&a, 5, unwind(24)), 0);
	fd = openat(a.dirfd, name, O_RDONLY);
	size = read(fd, bytes, sizeof(bytes));
	close(fd);
	TEST_OK(size > 100 && size < (ssize_t)sizeof(bytes));
	for (i = 0; i < 2 * size; i++) {
		fd = openat(a.dirfd, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		TEST_EQ(write(fd, bytes, i < size ? i : size),
			i < size ? i : size);
		bad = i < size ? 0 : bytes[i - size] ^ 0xff;
		if (i >= size)
			TEST_EQ(pwrite(fd, &bad, 1, i - size), 1);
		close(fd);
		if (get_table(&a, key(5, SYMCACHE_UNWIND), &e)) {
			TEST_OK(faccessat(a.dirfd, name, F_OK, 0));
			gone++;
			continue;
		}
		TEST_OK(i >= size);
		TEST_EQ(e.nr_files, 1);
		data = unwind_item_table(e.files[0].unwind, &stored);
		TEST_EQ(unwind_table_decode(data, stored, &t), 0);
		unwind_table_free(&t);
		bundle_deinit(&e);
	}
	TEST_OK(gone >= size + 40);
	symcache_guest_close(&a);
	end();
	return 0;
}

TEST(entry_of_one_kind_is_none_of_the_other)
{
	struct symcache_guest a;
	struct bundle e;

	TEST_EQ(begin(), 0);
	TEST_EQ(open_guest(1, "a", &a), 0);
	TEST_EQ(put(&a, bid(5), symtab("five")), 0);
	TEST_EQ(put_unwind(&a, 6, unwind(8)), 0);
	TEST_EQ(linkat(a.dirfd, "0505050505050505050505050505050505050505.fun",
		       a.dirfd, "0505050505050505050505050505050505050505.unw",
		       0),
		0);
	TEST_EQ(linkat(a.dirfd, "0606060606060606060606060606060606060606.unw",
		       a.dirfd, "0606060606060606060606060606060606060606.fun",
		       0),
		0);
	TEST_EQ(get_table(&a, key(5, SYMCACHE_UNWIND), &e), -ENOENT);
	TEST_EQ(get(&a, bid(6), &e), -ENOENT);
	TEST_EQ(get(&a, bid(5), &e), 0);
	bundle_deinit(&e);
	TEST_EQ(get_table(&a, key(6, SYMCACHE_UNWIND), &e), 0);
	bundle_deinit(&e);
	symcache_guest_close(&a);
	end();
	return 0;
}
