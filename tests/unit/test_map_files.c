// SPDX-License-Identifier: GPL-2.0-only
/*
 * analyzer/os/map_files.c and what it has others do: files that users map to
 * harm whoever records.
 */

#include <fcntl.h>
#include <grp.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "format/bundle.h"
#include "os/proc_maps.h"
#include "os/symbol_budget.h"
#include "sym/eh_frame_rows.h"
#include "test.h"

#define FILES 8
#define SAME  "--id 00112233445566778899aabbccddeeff00112233"

TESTS_ALONE
#define USER (20000 + getpid() % 20000) /* of each test's process */

static char dir[] = "/tmp/vmmprof-XXXXXX";

/* A small machine's. */
static const struct symlimits small = {
	.file = 8 << 20,
	.user = 2 << 20,
	.untrusted = 256 << 20,
	.all = 512 << 20,
	.file_ns = 5000000000,
	.user_ns = 10000000000,
	.untrusted_ns = 20000000000,
	.jits = 1 << 20,
	.user_jits = 1 << 20,
	.written = 256 << 20,
};

static bool make_dir(void)
{
	if (geteuid()) {
		printf("# skipped: needs root (another user's files)\n");
		return false;
	}
	return mkdtemp(dir) && !chmod(dir, 0777);
}

static void remove_dir(void)
{
	char cmd[64];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	if (system(cmd))
		printf("# %s stays\n", dir);
}

/* tests/gen/elfbomb.py into DIR/name, which then is @uid's. */
static int make_file(const char *name, const char *how, int uid)
{
	char cmd[400];

	snprintf(
		cmd, sizeof(cmd),
		"tests/gen/elfbomb.py %s/%s %s && chown %d %s/%s && chmod 755 %s/%s",
		dir, name, how, uid, dir, name, dir, name);
	return system(cmd);
}

/* A process of @uid that has these files mapped; killed with us. */
static int map_files(int uid, const char *const *names, unsigned int nr)
{
	int ready[2], pid, fd;
	char path[64], byte;
	unsigned int i;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		bool ok = !setgroups(0, NULL) && !setresgid(uid, uid, uid) &&
			  !setresuid(uid, uid, uid);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (i = 0; i < nr && ok; i++) {
			snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
			fd = open(path, O_RDONLY);
			ok = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
				  MAP_PRIVATE, fd, 4096) != MAP_FAILED;
		}
		if (ok && write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	i = read(ready[0], &byte, 1);
	close(ready[0]);
	return i == 1 ? pid : -1;
}

static void stop(int pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

struct host {
	struct item_writer w;
	struct proc_maps *pm;
	int fd;
};

static int begin(struct host *h, const struct symlimits *limits)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/host", dir);
	unlink(path);
	TEST_EQ(item_writer_open(&h->w, AT_FDCWD, path, VMMPROF_FILE_MAPS), 0);
	h->fd = open(path, O_RDONLY);
	TEST_EQ(proc_maps_create(&h->w, limits, &h->pm), 0);
	return 0;
}

/* What was written, to be released. */
static int end(struct host *h, struct bundle *b)
{
	struct problems problems = { 0 };

	TEST_EQ(proc_maps_tick(h->pm, true), 0);
	proc_maps_destroy(h->pm);
	TEST_EQ(item_writer_close(&h->w, true), 0);
	TEST_EQ(bundle_init(b, h->fd, "host", &problems), 0);
	problems_deinit(&problems);
	TEST_OK(b->complete && !b->bad);
	close(h->fd);
	return 0;
}

static const struct bundle_file *file_of(const struct bundle *b,
					 const struct vmmprof_maps_map *m)
{
	return bundle_find_file(b, m->file);
}

/* Does the file that this process has at that path have a function @name? */
static bool names(const struct bundle *b, __u32 pid, const char *name)
{
	const struct bundle_file *f;
	const char *strings;
	size_t i;

	for (i = 0; i < b->nr_maps; i++) {
		f = b->maps[i]->pid == pid ? file_of(b, b->maps[i]) : NULL;
		if (!f || !f->symtab || !f->symtab->nr_symbols)
			continue;
		strings = symtab_strings(f->symtab);
		if (!strcmp(strings, name))
			return true;
	}
	return false;
}

/* What is said of our user. */
static const char *of_user(void)
{
	static char text[32];

	snprintf(text, sizeof(text), "of user %d have", USER);
	return text;
}

static bool has_note(const struct bundle *b, const char *a, const char *c)
{
	size_t i;

	for (i = 0; i < b->nr_notes; i++)
		if (strstr(b->notes[i], a) && strstr(b->notes[i], c))
			return true;
	return false;
}

TEST(symbols_of_a_user_are_bounded_and_others_stay)
{
	static const char *const bombs[] = { "b0", "b1", "b2", "b3",
					     "b4", "b5", "b6", "b7" };
	struct bundle b;
	unsigned int i, left = 0;
	__u64 bytes = 0;
	char said[512];
	struct host h;
	int pid;

	if (!make_dir())
		return 0;
	/* 600 KiB of symbols each, of less than 40 KiB */
	for (i = 0; i < FILES; i++)
		TEST_EQ(make_file(bombs[i], "--count 600 --length 1000", USER),
			0);
	pid = map_files(USER, bombs, FILES);
	TEST_OK(pid > 0);
	TEST_EQ(begin(&h, &small), 0);
	TEST_EQ(proc_maps_scan(h.pm) ?: proc_maps_run(h.pm, 300000), 0);
	proc_maps_left(h.pm, said, sizeof(said));
	TEST_EQ(end(&h, &b), 0);
	stop(pid);
	for (i = 0; i < b.nr_files; i++) {
		const struct bundle_file *f = &b.files[i];

		if (strncmp(f->item->path, dir, strlen(dir)))
			continue;
		bytes += f->symtab ? f->symtab->hdr.size : 0;
		left += !!(f->item->flags & VMMPROF_FILE_F_UNREAD);
	}
	TEST_OK(bytes && bytes <= small.user + FILES * 24ul);
	TEST_EQ(left, FILES - 3);
	TEST_OK(has_note(&b, of_user(), "5 files exceed what one user"));
	TEST_OK(strstr(said, of_user()) && strstr(said, " 5 files exceed"));
	/* our own program has its functions */
	for (i = 0; i < b.nr_maps; i++)
		if ((__u64)(uintptr_t)make_dir >= b.maps[i]->start &&
		    (__u64)(uintptr_t)make_dir < b.maps[i]->end &&
		    b.maps[i]->pid == (__u32)getpid())
			TEST_OK(file_of(&b, b.maps[i])->symtab);
	bundle_deinit(&b);
	remove_dir();
	return 0;
}

TEST(symbols_too_large_or_packed_too_well_are_none)
{
	static const char *const bombs[] = { "large", "packed" };
	struct bundle b;
	struct host h;
	int pid;

	if (!make_dir())
		return 0;
	TEST_EQ(make_file("large", "--count 9000 --length 1000", USER), 0);
	/* 100 times and more by xz; at least 1 MiB is always allowed */
	TEST_EQ(make_file("packed", "--count 60000 --xz", USER), 0);
	pid = map_files(USER, bombs, 2);
	TEST_OK(pid > 0);
	TEST_EQ(begin(&h, &small), 0);
	TEST_EQ(proc_maps_scan(h.pm), 0);
	TEST_EQ(end(&h, &b), 0);
	stop(pid);
	TEST_OK(has_note(&b, "large", "too large"));
	TEST_OK(has_note(&b, "packed", "unpack to too much"));
	TEST_OK(has_note(&b, of_user(), " 2 files were too large"));
	TEST_OK(!names(&b, pid, "a_function"));
	bundle_deinit(&b);
	remove_dir();
	return 0;
}

/* A library of one function with a name and 4000 of which only bounds are known. */
static int make_bounds(void)
{
	static const char source[] = ".globl a_function\n"
				     ".type a_function, @function\n"
				     "a_function: ret\n"
				     ".size a_function, . - a_function\n"
				     ".rept 4000\n"
				     ".cfi_startproc\n"
				     "ret\n"
				     ".cfi_endproc\n"
				     ".endr\n";
	char cmd[600];

	snprintf(
		cmd, sizeof(cmd),
		"cd %s && echo '%s' > a.s && gcc -nostdlib -shared -s -o many a.s && chown %d many",
		dir, source, USER);
	return system(cmd);
}

/* The number of functions that are kept of it. */
static int count_bounds(const struct symlimits *limits, __u32 *nr)
{
	static const char *const many[] = { "many" };
	struct bundle b;
	struct host h;
	size_t i;
	int pid;

	pid = map_files(USER, many, 1);
	TEST_OK(pid > 0);
	TEST_EQ(begin(&h, limits), 0);
	TEST_EQ(proc_maps_scan(h.pm), 0);
	TEST_EQ(end(&h, &b), 0);
	stop(pid);
	TEST_OK(names(&b, pid, "a_function"));
	for (i = 0; i < b.nr_files; i++)
		if (!strncmp(b.files[i].item->path, dir, strlen(dir)))
			*nr = b.files[i].symtab->nr_symbols;
	bundle_deinit(&b);
	return 0;
}

TEST(bounds_do_not_displace_names)
{
	struct symlimits limits = small;
	__u32 nr;

	if (!make_dir())
		return 0;
	TEST_EQ(make_bounds(), 0);
	TEST_EQ(count_bounds(&limits, &nr), 0);
	TEST_EQ(nr, 4001);
	limits.file = 60000;
	TEST_EQ(count_bounds(&limits, &nr), 0);
	TEST_EQ(nr, 1);
	remove_dir();
	return 0;
}

/* As many processes as a user likes do not make a file that nobody reads. */
TEST(a_file_of_maps_stays_one_that_is_read)
{
	struct symlimits limits = small;
	struct bundle b;
	char said[512];
	struct host h;
	int i;

	if (!make_dir())
		return 0;
	limits.written = 30000;
	TEST_EQ(begin(&h, &limits), 0);
	for (i = 0; i < 1000; i++)
		TEST_EQ(proc_maps_proc(h.pm, 1, VMMPROF_OP_RENAME, 100000 + i,
				       1, "x"),
			0);
	TEST_EQ(proc_maps_tick(h.pm, true), 0);
	proc_maps_left(h.pm, said, sizeof(said));
	TEST_EQ(end(&h, &b), 0);
	TEST_OK(b.nr_procs > 100 && b.nr_procs < 1000);
	TEST_OK(b.items.size < limits.written + 1000);
	TEST_OK(b.lost >= 1000 - b.nr_procs);
	TEST_OK(strstr(said, "are left out: the file would be too large"));
	bundle_deinit(&b);
	remove_dir();
	return 0;
}

static __u64 own_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* The recorder's own time does not depend on how long a file takes. */
TEST(a_file_that_takes_long_costs_its_reader_only)
{
	static const char *const slow[] = { "slow" };
	struct symlimits limits = small;
	struct bundle b;
	__u64 cpu, most = 0;
	struct host h;
	int pid, i;

	if (!make_dir())
		return 0;
	limits.file_ns = 30000000;
	TEST_EQ(make_file("slow", "--count 1000000", USER), 0);
	pid = map_files(USER, slow, 1);
	TEST_OK(pid > 0);
	TEST_EQ(begin(&h, &limits), 0);
	TEST_EQ(proc_maps_scan(h.pm), 0);
	for (i = 0; i < 100; i++) {
		cpu = own_cpu_ns();
		TEST_EQ(proc_maps_run(h.pm, 0), 0);
		cpu = own_cpu_ns() - cpu;
		most = cpu > most ? cpu : most;
		usleep(1000);
	}
	TEST_EQ(end(&h, &b), 0);
	stop(pid);
	TEST_OK(most < 100000000);
	TEST_OK(has_note(&b, "slow", "too long"));
	TEST_OK(has_note(&b, of_user(), " 1 files were too large"));
	bundle_deinit(&b);
	remove_dir();
	return 0;
}

/* Who maps a build-id first gives no name to who has it rightly. */
static int spoof(bool fake_first)
{
	static const char *const real[] = { "real" }, *const fake[] = { "fake" };
	struct bundle b;
	struct host h;
	int root, user;

	TEST_EQ(begin(&h, &small), 0);
	/* a scan finds processes in the order of their numbers */
	user = fake_first ? map_files(USER, fake, 1) : 0;
	if (fake_first)
		TEST_EQ(proc_maps_scan(h.pm), 0);
	root = map_files(0, real, 1);
	if (!fake_first)
		TEST_EQ(proc_maps_scan(h.pm), 0);
	user = user ?: map_files(USER, fake, 1);
	TEST_OK(root > 0 && user > 0);
	TEST_EQ(proc_maps_scan(h.pm), 0);
	TEST_EQ(end(&h, &b), 0);
	stop(root);
	stop(user);
	TEST_OK(names(&b, root, "real_name"));
	TEST_OK(!names(&b, root, "fake_name"));
	TEST_OK(names(&b, user, "fake_name"));
	TEST_OK(!names(&b, user, "real_name"));
	bundle_deinit(&b);
	return 0;
}

TEST(a_build_id_names_files_of_its_owner_only)
{
	if (!make_dir())
		return 0;
	TEST_EQ(make_file("real", SAME " --name real_name", 0), 0);
	TEST_EQ(make_file("fake", SAME " --name fake_name", USER), 0);
	TEST_EQ(spoof(true), 0);
	TEST_EQ(spoof(false), 0);
	remove_dir();
	return 0;
}

TEST(copies_of_a_root_file_are_written_once)
{
	/* read in the order of addresses, the last first */
	static const char *const copies[] = { "mine", "one", "two", "his",
					      "ours" };
	const struct bundle_file *f;
	struct bundle b;
	unsigned int i, tables = 0, trusted = 0;
	struct host h;
	int pid;

	if (!make_dir())
		return 0;
	TEST_EQ(make_file("one", SAME, 0), 0);
	TEST_EQ(make_file("two", SAME, 0), 0);
	TEST_EQ(make_file("his", SAME, USER), 0);
	/* root's, but others may write to them */
	TEST_EQ(make_file("mine", SAME, 0), 0);
	TEST_EQ(make_file("ours", SAME, 0), 0);
	TEST_EQ(chdir(dir), 0);
	TEST_EQ(chmod("mine", 0757), 0);
	TEST_EQ(chmod("ours", 0775), 0);
	pid = map_files(0, copies, 5);
	TEST_OK(pid > 0);
	TEST_EQ(begin(&h, &small), 0);
	TEST_EQ(proc_maps_scan(h.pm), 0);
	TEST_EQ(end(&h, &b), 0);
	stop(pid);
	for (i = 0; i < b.nr_files; i++) {
		f = &b.files[i];
		if (strncmp(f->item->path, dir, strlen(dir)))
			continue;
		tables += !!f->symtab;
		trusted += !!(f->item->flags & VMMPROF_FILE_F_ROOT);
	}
	TEST_EQ(tables, 4);
	TEST_EQ(trusted, 1);
	bundle_deinit(&b);
	remove_dir();
	return 0;
}

/* Only what root alone can write is left to the reader's cache. */
TEST(a_user_s_file_is_not_cached)
{
	static const char *const real[] = { "real" }, *const fake[] = { "fake" };
	const __u8 id[20] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66,
			      0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd,
			      0xee, 0xff, 0x00, 0x11, 0x22, 0x33 };
	const struct bundle_file *f;
	struct bundle b;
	unsigned int i, cached = 0;
	struct host h;
	int root, user;

	if (!make_dir())
		return 0;
	TEST_EQ(make_file("real", SAME " --name real_name", 0), 0);
	TEST_EQ(make_file("fake", SAME " --name fake_name", USER), 0);
	user = map_files(USER, fake, 1);
	root = map_files(0, real, 1);
	TEST_OK(root > 0 && user > 0);
	TEST_EQ(begin(&h, &small), 0);
	TEST_EQ(proc_maps_have(h.pm, id, 1), 0);
	TEST_EQ(proc_maps_scan(h.pm), 0);
	TEST_EQ(end(&h, &b), 0);
	stop(root);
	stop(user);
	for (i = 0; i < b.nr_files; i++) {
		f = &b.files[i];
		if (!(f->item->flags & VMMPROF_FILE_F_CACHED))
			continue;
		cached++;
		TEST_OK(strstr(f->item->path, "/real"));
		TEST_OK(f->item->flags & VMMPROF_FILE_F_ROOT);
	}
	TEST_EQ(cached, 1);
	TEST_OK(names(&b, user, "fake_name"));
	bundle_deinit(&b);
	remove_dir();
	return 0;
}

/* This program's file, from one scan with unwind tables. */
static int scan_unwind(const struct symlimits *limits, const void *have,
		       struct bundle *b, const struct bundle_file **ret)
{
	struct host h;
	size_t i;

	*ret = NULL;
	TEST_EQ(begin(&h, limits), 0);
	if (have)
		TEST_EQ(proc_maps_have(h.pm, have, 3), 0);
	TEST_EQ(proc_maps_unwind(h.pm), 0);
	TEST_EQ(proc_maps_scan(h.pm), 0);
	TEST_EQ(end(&h, b), 0);
	for (i = 0; i < b->nr_files; i++) {
		if (strstr(b->files[i].item->path, "/test_map_files"))
			*ret = &b->files[i];
		/* of the kernel's own, whatever else is mapped */
		if (!strcmp(b->files[i].item->path, "[vdso]"))
			TEST_OK(b->files[i].unwind);
	}
	TEST_OK(*ret);
	return 0;
}

/* Is it the table of this program's .eh_frame? */
static int check_table(const struct vmmprof_maps_unwind *u)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct unwind_table t;
	struct elf_section s;
	struct eh_frame f;
	size_t size, have;
	const void *stored;
	void *want;

	TEST_EQ(elffile_section(fd, ".eh_frame", &s), 0);
	close(fd);
	f = (struct eh_frame){ s.bytes, s.size, s.addr, s.ia32 };
	TEST_EQ(eh_frame_table(&f, &t), 0);
	TEST_EQ(unwind_table_encode(&t, &want, &size), 0);
	stored = unwind_item_table(u, &have);
	TEST_EQ(have, size);
	TEST_OK(!memcmp(stored, want, size));
	unwind_table_free(&t);
	free(want);
	free(s.bytes);
	return 0;
}

/* As they are; with symbols that the reader has, and where one has no room. */
TEST(unwind_tables_are_those_of_the_files)
{
	const struct bundle_file *f;
	struct symlimits tight = small;
	__u8 id[3][20] = { { 0 } }; /* symbols, zeros, unwind tables */
	struct bundle b;

	if (!make_dir())
		return 0;
	TEST_EQ(scan_unwind(&small, NULL, &b, &f), 0);
	TEST_OK(f->symtab && f->unwind);
	TEST_EQ(check_table(f->unwind), 0);
	memcpy(id[0], f->item->build_id, 20);
	tight.file = f->symtab->hdr.size + 8;
	bundle_deinit(&b);
	TEST_EQ(scan_unwind(&small, id, &b, &f), 0);
	TEST_OK(!f->symtab && !check_table(f->unwind));
	memcpy(id[2], id[0], 20);
	bundle_deinit(&b);
	TEST_EQ(scan_unwind(&small, id, &b, &f), 0);
	TEST_OK(f->item->flags & VMMPROF_FILE_F_UNWIND_CACHED && !f->unwind);
	bundle_deinit(&b);
	TEST_EQ(scan_unwind(&tight, NULL, &b, &f), 0);
	TEST_OK(f->symtab && !f->unwind);
	TEST_OK(has_note(&b, "no unwind table of", "it is too large"));
	bundle_deinit(&b);
	remove_dir();
	return 0;
}
