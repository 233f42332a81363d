// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cache of guests' symbol tables: whose they are, what damaged and hostile
 * files in it do, what bundles get from it, what has to leave it.
 */

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build.h"
#include "symcache/entry.h"
#include "symcache/evict.h"
#include "test.h"
#include "transport/import.h"

#define UUID_A "12345678-9abc-def0-1234-56789ABCDEF0"

static char base[64];
static struct symcache cache;

static int begin(void)
{
	char dir[96];

	strcpy(base, "/tmp/vmmprof-test-XXXXXX");
	if (!mkdtemp(base))
		abort();
	snprintf(dir, sizeof(dir), "%s/var/cache", base);
	return symcache_open(&cache, dir, true);
}

static void end(void)
{
	char command[128];

	symcache_close(&cache);
	snprintf(command, sizeof(command), "rm -rf %s", base);
	if (system(command))
		abort();
}

static void shell(const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "cd %s && { %s; }", base, command);
	if (system(line))
		abort();
}

/* A VMM process; '|' in its command line stands for the end of an argument. */
static void write_vm(unsigned int pid, const char *cmdline)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "mkdir -p proc/%u", pid);
	shell(path);
	snprintf(path, sizeof(path), "%s/proc/%u/cmdline", base, pid);
	f = fopen(path, "w");
	for (; f && *cmdline; cmdline++)
		putc(*cmdline == '|' ? 0 : *cmdline, f);
	if (!f || fclose(f))
		abort();
}

static const char *id_of(unsigned int pid)
{
	static char id[GUEST_ID];
	int ret = guest_id(base, pid, id);

	return !ret ? id : ret == -ENOENT ? "none" : "error";
}

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

/* A build-id of one repeated byte. */
static const uint8_t *bid(int byte)
{
	static uint8_t id[20];

	memset(id, byte, sizeof(id));
	return id;
}

static void build_owned(struct build *b, __u32 id, int byte, __u32 flags)
{
	struct vmmprof_maps_file f = {
		.id = id,
		.flags = flags,
		.build_id_size = 20,
	};

	memcpy(f.build_id, bid(byte), 20);
	build_item(b, VMMPROF_MAPS_FILE, &f, sizeof(f), "/bin/x", 7);
}

/* A file that the guest's root alone can write. */
static void build_file(struct build *b, __u32 id, int byte, __u32 flags)
{
	build_owned(b, id, byte, flags | VMMPROF_FILE_F_ROOT);
}

/* One function at 0x1000 in a segment at 0x1000. */
static const struct vmmprof_maps_symtab *
build_symtab(struct build *b, __u32 file, const char *name)
{
	const struct vmmprof_segment seg = { 0x1000, 0x1000, 0x1000 };
	const struct vmmprof_symbol sym = { .addr = 0x1000, .size = 16 };
	struct vmmprof_maps_symtab t = {
		.file = file,
		.nr_segments = 1,
		.nr_symbols = 1,
		.strings_size = strlen(name) + 1,
	};
	__u8 tail[512];
	size_t n = sizeof(seg) + sizeof(sym) + t.strings_size;

	memcpy(tail, &seg, sizeof(seg));
	memcpy(tail + sizeof(seg), &sym, sizeof(sym));
	memcpy(tail + sizeof(seg) + sizeof(sym), name, t.strings_size);
	return build_item(b, VMMPROF_MAPS_SYMTAB, &t, sizeof(t), tail, n);
}

static struct build built;

static const struct vmmprof_maps_symtab *symtab(const char *name)
{
	build_header(&built, VMMPROF_FILE_MAPS);
	return build_symtab(&built, 7, name);
}

/* Keeps a table as an entry. */
static int put(const struct symcache_guest *g, const uint8_t *id,
	       const struct vmmprof_maps_symtab *t)
{
	FILE *f = tmpfile();
	int ret = f ? symcache_entry_write(fileno(f), id, 20, t) : 1;

	if (!ret)
		ret = symcache_put(g, id, fileno(f),
				   lseek(fileno(f), 0, SEEK_CUR));
	if (f)
		fclose(f);
	return ret;
}

/* The entry of a build-id; a damaged one is removed, as a merge does. */
static int get(const struct symcache_guest *g, const uint8_t *id,
	       struct bundle *b)
{
	int fd = symcache_get(g, id), ret;

	if (fd < 0)
		return fd;
	ret = symcache_entry_read(fd, id, b);
	close(fd);
	if (ret == -EBADMSG)
		symcache_drop(g, id);
	return ret ? -ENOENT : 0;
}

static const char *first_name(const struct bundle_file *f)
{
	return f->symtab ? symtab_strings(f->symtab) : NULL;
}

/* The guest of a VM that is called @name. */
static int open_guest(unsigned int pid, const char *name,
		      struct symcache_guest *g)
{
	char cmdline[128];

	snprintf(cmdline, sizeof(cmdline), "qemu|-name|%s|", name);
	write_vm(pid, cmdline);
	if (symcache_claim(&cache, base, pid))
		abort();
	return symcache_guest_open(&cache, pid, name, g);
}

static int nr_have(const struct symcache_guest *g)
{
	int fd = symcache_have(g);
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);

	if (fd >= 0)
		close(fd);
	return size % 20 ? -1 : size / 20;
}

TEST(symbol_table_comes_back_to_its_guest_only)
{
	struct symcache_guest a, b;
	struct bundle e;
	struct stat st;

	TEST_EQ(begin(), 0);
	TEST_EQ(open_guest(1, "a", &a), 0);
	TEST_EQ(open_guest(2, "b", &b), 0);
	TEST_EQ(symcache_have(&a), -ENOENT);
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

/* The bundle in @b in a file. */
static int bundle_fd(const struct build *b)
{
	int fd = open(base, O_TMPFILE | O_RDWR, 0600);

	if (write(fd, b->data, b->size) != (ssize_t)b->size)
		abort();
	return fd;
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
	TEST_EQ(st.symbols.stored, 2);
	TEST_EQ(st.symbols.cached + st.symbols.lost, 0);
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
	TEST_EQ(st.symbols.stored, 0);
	TEST_EQ(st.symbols.cached, 2);
	TEST_EQ(st.symbols.lost, 1);
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
	TEST_EQ(st.symbols.stored, 1);
	close(fd);

	build_header(&built, VMMPROF_FILE_MAPS);
	build_file(&built, 9, 0x33, VMMPROF_FILE_F_CACHED);
	build_owned(&built, 8, 0x33, VMMPROF_FILE_F_CACHED);
	build_end(&built);
	fd = bundle_fd(&built);
	TEST_EQ(import_bundle(fd, &a, &st, NULL), 0);
	TEST_EQ(st.symbols.cached, 1);
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
	TEST_EQ(st.symbols.cached, 1);
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
	TEST_EQ(st.symbols.stored, 0);
	TEST_EQ(nr_have(&a), 0);
	close(fd);
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
	TEST_EQ(st.symbols.cached, 1);
	TEST_EQ(before < 0, after < 0);
	TEST_OK(after - before < (long)sizeof(text) / 10);
	close(fd);
	symcache_guest_close(&a);
	end();
	return 0;
}
