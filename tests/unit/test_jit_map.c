// SPDX-License-Identifier: GPL-2.0-only
/* analyzer/os/jit_*.c: perf maps and jitdumps, as this process writes them. */

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/items.h"
#include "os/jit_dump.h"
#include "os/jit_look.h"
#include "os/jit_map.c"
#include "os/symbol_budget.h"
#include "os/proc_maps.h"
#include "test.h"

struct seen {
	int nr;
	struct jit_code code[8];
};

static int keep(void *arg, const struct jit_code *code)
{
	struct seen *s = arg;

	if (s->nr < 8)
		s->code[s->nr] = *code;
	s->nr++;
	return 0;
}

static int append(int fd, const char *text)
{
	return pwrite(fd, text, strlen(text), lseek(fd, 0, SEEK_END)) ==
	       (ssize_t)strlen(text);
}

TEST(jitfile_reads_lines_as_they_come)
{
	static char longest[6000];
	struct jit_file f;
	struct seen s = { 0 };
	int fd = memfd_create("map", 0);

	TEST_EQ(jit_file_init(&f, fd, false), 0);
	TEST_OK(append(fd, "1000 20 a b\n0x2000 0x10 two\nnonsense\n"
			   "3000 0 empty\nffffffffffffffff 2 wraps\n"
			   "11112222333344445 1 toobig\n4000 10 cut"));
	TEST_EQ(jit_look(&f, 1 << 20, keep, &s), 0);
	TEST_EQ(s.nr, 2);
	TEST_EQ(s.code[0].addr, 0x1000);
	TEST_EQ(s.code[0].size, 0x20);
	TEST_STR(s.code[0].name, "a b");
	TEST_EQ(s.code[0].fresh, false);
	TEST_EQ(s.code[1].addr, 0x2000);
	TEST_OK(append(fd, "_no_more\n"));
	memset(longest, 'x', sizeof(longest) - 1);
	TEST_OK(append(fd, longest) && append(fd, "\n5000 1 five\n"));
	TEST_EQ(jit_look(&f, 1 << 20, keep, &s), 0);
	TEST_EQ(s.nr, 4);
	TEST_STR(s.code[2].name, "cut_no_more");
	TEST_STR(s.code[3].name, "five");
	TEST_EQ(s.code[3].fresh, true);
	/* written anew */
	TEST_EQ(ftruncate(fd, 0), 0);
	TEST_OK(append(fd, "6000 1 six\n"));
	TEST_EQ(jit_look(&f, 1 << 20, keep, &s), 0);
	TEST_EQ(s.nr, 5);
	TEST_STR(s.code[4].name, "six");
	TEST_EQ(s.code[4].fresh, true);
	jit_file_deinit(&f);
	return 0;
}

TEST(jitfile_a_look_is_bounded)
{
	struct jit_file f;
	struct seen s = { 0 };
	int fd = memfd_create("map", 0), i;

	TEST_EQ(jit_file_init(&f, fd, false), 0);
	for (i = 0; i < 1000; i++)
		TEST_OK(append(fd, "1000 20 some_function\n"));
	TEST_EQ(jit_look(&f, 2200, keep, &s), 0);
	TEST_EQ(s.nr, 100);
	TEST_EQ(jit_look(&f, 1 << 20, keep, &s), 0);
	TEST_EQ(s.nr, 1000);
	TEST_OK(!f.cut);
	/* a line that begins before the end of what is ever read is the last */
	f.bytes = JIT_FILE_MAX - 10;
	TEST_OK(append(fd, "1000 20 some_function\n"));
	TEST_EQ(jit_look(&f, 1 << 20, keep, &s), 0);
	TEST_EQ(s.nr, 1001);
	TEST_OK(f.cut);
	TEST_OK(append(fd, "1000 20 some_function\n"));
	TEST_EQ(jit_look(&f, 1 << 20, keep, &s), 0);
	TEST_EQ(s.nr, 1001);
	jit_file_deinit(&f);
	return 0;
}

struct dump {
	__u8 data[1024];
	size_t size;
};

static void add(struct dump *d, const void *p, size_t size)
{
	memcpy(d->data + d->size, p, size);
	d->size += size;
}

static void dump_begin(struct dump *d, __u64 flags)
{
	const __u32 words[] = { 0x4a695444, 1, 40, 62, 0, 1 };
	const __u64 longs[] = { 7, flags };

	d->size = 0;
	add(d, words, sizeof(words));
	add(d, longs, sizeof(longs));
}

static void dump_load(struct dump *d, __u64 ns, __u64 addr, __u64 size,
		      __u64 index, const char *name)
{
	static const __u8 code[64];
	const __u32 head[] = { 0, 56 + strlen(name) + 1 + size };
	const __u32 ids[] = { 1, 1 };
	const __u64 rest[] = { addr, addr, size, index };

	add(d, head, sizeof(head));
	add(d, &ns, sizeof(ns));
	add(d, ids, sizeof(ids));
	add(d, rest, sizeof(rest));
	add(d, name, strlen(name) + 1);
	add(d, code, size);
}

static void dump_move(struct dump *d, __u64 ns, __u64 from, __u64 to,
		      __u64 size, __u64 index)
{
	const __u32 head[] = { 1, 64 }, ids[] = { 1, 1 };
	const __u64 rest[] = { to, from, to, size, index };

	add(d, head, sizeof(head));
	add(d, &ns, sizeof(ns));
	add(d, ids, sizeof(ids));
	add(d, rest, sizeof(rest));
}

TEST(jitdump_loads_and_moves)
{
	const __u32 close_record[] = { 3, 16, 0, 0 };
	struct jit_file f;
	struct seen s = { 0 };
	struct dump d;
	int fd = memfd_create("dump", 0);

	dump_begin(&d, 0);
	dump_load(&d, 100, 0x1000, 16, 1, "one");
	add(&d, close_record, sizeof(close_record));
	dump_load(&d, 200, 0x2000, 32, 2, "two");
	dump_move(&d, 300, 0x1000, 0x3000, 16, 1);
	dump_move(&d, 400, 0x1000, 0x3000, 16, 9); /* nobody's */
	TEST_EQ(jit_file_init(&f, fd, true), 0);
	/* in two pieces: the second load is cut in its code */
	TEST_EQ(pwrite(fd, d.data, 200, 0), 200);
	TEST_EQ(jit_look(&f, 1 << 20, keep, &s), 0);
	TEST_EQ(s.nr, 1);
	TEST_EQ(pwrite(fd, d.data, d.size, 0), (ssize_t)d.size);
	TEST_EQ(jit_look(&f, 1 << 20, keep, &s), 0);
	TEST_EQ(s.nr, 3);
	TEST_EQ(s.code[0].ns, 100);
	TEST_EQ(s.code[0].stamped, true);
	TEST_STR(s.code[1].name, "two");
	TEST_EQ(s.code[1].size, 32);
	TEST_STR(s.code[2].name, "one");
	TEST_EQ(s.code[2].addr, 0x3000);
	TEST_EQ(s.code[2].ns, 300);
	jit_file_deinit(&f);
	return 0;
}

TEST(jitdump_another_clock_and_damage)
{
	const __u32 bad[] = { 0, 8, 0, 0 };
	struct jit_file f;
	struct seen s = { 0 };
	struct dump d;
	int fd = memfd_create("dump", 0);

	dump_begin(&d, 1);
	dump_load(&d, 100, 0x1000, 16, 1, "one");
	add(&d, bad, sizeof(bad));
	dump_load(&d, 100, 0x1000, 16, 1, "behind");
	TEST_EQ(pwrite(fd, d.data, d.size, 0), (ssize_t)d.size);
	TEST_EQ(jit_file_init(&f, fd, true), 0);
	TEST_EQ(jit_look(&f, 1 << 20, keep, &s), 0);
	TEST_EQ(s.nr, 1);
	TEST_EQ(s.code[0].stamped, false);
	TEST_EQ(f.dead, true);
	jit_file_deinit(&f);
	return 0;
}

TEST(jitdump_is_known_by_its_path)
{
	TEST_OK(jit_dump_path("/home/me/.debug/jit/x/jit-17.dump"));
	TEST_OK(!jit_dump_path("/tmp/jit-.dump"));
	TEST_OK(!jit_dump_path("/tmp/jit-17.dump2"));
	TEST_OK(!jit_dump_path("/tmp/ajit-17.dump"));
	TEST_OK(!jit_dump_path("jit-17.dump"));
	return 0;
}

/* JIT items of a pid in a finished file. */
static int count_items(int fd, __u32 pid, struct vmmprof_maps_jit *last,
		       char *name)
{
	const struct vmmprof_item_hdr *hdr;
	struct items it;
	int nr = 0;

	if (items_init(&it, fd, VMMPROF_FILE_MAPS))
		return -1;
	while (items_next(&it, &hdr) == 1) {
		const struct vmmprof_maps_jit *j = (const void *)hdr;

		if (hdr->type != VMMPROF_MAPS_JIT || j->pid != pid)
			continue;
		nr++;
		*last = *j;
		snprintf(name, 64, "%s", j->name);
	}
	items_deinit(&it);
	return nr;
}

static int writer(struct item_writer *w, int *fd)
{
	char dir[] = "/tmp/vmmprof-XXXXXX", path[64];
	int err;

	if (!mkdtemp(dir))
		return -errno;
	snprintf(path, sizeof(path), "%s/maps", dir);
	err = item_writer_open(w, AT_FDCWD, path, VMMPROF_FILE_MAPS);
	*fd = err ? -1 : open(path, O_RDONLY);
	unlink(path);
	rmdir(dir);
	return err;
}

/* This process's map is @how made; how many items come of it? */
static int items_of_map(void (*how)(const char *path), bool ends)
{
	struct vmmprof_maps_jit last;
	struct item_writer w;
	struct symbol_budget budget;
	struct jit_map *jm;
	char path[40], name[64];
	int fd, nr;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path);
	symbol_budget_init(&budget, &symlimits_host);
	if (writer(&w, &fd) || jit_map_create(&w, &budget, &jm) ||
	    jit_map_process(jm, getpid(), 55))
		return -1;
	how(path);
	if (ends ? jit_map_end(jm, getpid(), 1000) : jit_map_look(jm, true))
		return -1;
	unlink(path);
	jit_map_destroy(jm);
	symbol_budget_deinit(&budget);
	item_writer_close(&w, true);
	nr = count_items(fd, getpid(), &last, name);
	close(fd);
	if (nr && (last.ns != 55 || strcmp(name, "hot_loop")))
		return -1;
	return nr;
}

static void good(const char *path)
{
	int fd = open(path, O_CREAT | O_RDWR | O_EXCL, 0600);

	append(fd, "7000 40 hot_loop\n");
	close(fd);
}

static void stale(const char *path)
{
	struct timespec t[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };

	good(path);
	utimensat(AT_FDCWD, path, t, 0);
}

static void others(const char *path)
{
	good(path);
	if (chown(path, 12345, 12345))
		unlink(path);
}

static void by_link(const char *path)
{
	char other[64];

	snprintf(other, sizeof(other), "%s.x", path);
	unlink(other);
	good(other);
	if (symlink(other, path))
		unlink(path);
}

static void fifo(const char *path)
{
	if (mkfifo(path, 0600))
		unlink(path);
}

TEST(jitmap_reads_only_the_process_s_own_regular_file)
{
	char other[64];

	TEST_EQ(items_of_map(good, false), 1);
	TEST_EQ(items_of_map(good, true), 1);
	TEST_EQ(items_of_map(stale, false), 0);
	TEST_EQ(items_of_map(others, false), 0);
	TEST_EQ(items_of_map(by_link, false), 0);
	TEST_EQ(items_of_map(fifo, false), 0);
	snprintf(other, sizeof(other), "/tmp/perf-%d.map.x", getpid());
	unlink(other);
	return 0;
}

/* A process with such memory is found by the scan. */
TEST(procmaps_scan_finds_code_that_was_made)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct vmmprof_maps_jit last;
	struct item_writer w;
	struct proc_maps *pm;
	char path[40], name[64];
	int fd;

	TEST_OK(p != MAP_FAILED);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path);
	good(path);
	TEST_EQ(writer(&w, &fd), 0);
	TEST_EQ(proc_maps_create(&w, &symlimits_host, &pm), 0);
	TEST_EQ(proc_maps_scan(pm), 0);
	TEST_EQ(proc_maps_tick(pm, true), 0);
	unlink(path);
	proc_maps_destroy(pm);
	item_writer_close(&w, true);
	TEST_EQ(count_items(fd, getpid(), &last, name), 1);
	TEST_EQ(last.addr, 0x7000);
	TEST_EQ(last.ns, 0);
	munmap(p, 4096);
	close(fd);
	return 0;
}

static char value_of[64];

/* The rest of the line KEY of /proc/PID/status. */
static const char *status_of(int pid, const char *key)
{
	char path[40], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	value_of[0] = '\0';
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			snprintf(value_of, sizeof(value_of), "%s",
				 line + strlen(key));
	if (f)
		fclose(f);
	return value_of;
}

/* Bytes of a user are read by a process that can do nothing else. */
TEST(jitmap_has_files_read_without_rights)
{
	struct symbol_budget budget;
	struct vmmprof_maps_jit last;
	struct item_writer w;
	struct jit_map *jm;
	char path[40], name[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path);
	good(path);
	symbol_budget_init(&budget, &symlimits_host);
	TEST_EQ(writer(&w, &fd), 0);
	TEST_EQ(jit_map_create(&w, &budget, &jm), 0);
	TEST_EQ(jit_map_process(jm, getpid(), 55), 0);
	TEST_EQ(jit_map_look(jm, true), 0);
	TEST_OK(jm->reader > 0);
	TEST_EQ(strtoull(status_of(jm->reader, "CapPrm:"), NULL, 16), 0);
	TEST_EQ(atoi(status_of(jm->reader, "Seccomp:")), 2);
	TEST_OK(geteuid() || atoi(status_of(jm->reader, "Uid:")) == 65534);
	/* its death costs what it was asked for; the next one goes on */
	kill(jm->reader, SIGSTOP);
	TEST_EQ(jit_map_look(jm, false), 0);
	TEST_OK(jm->looking);
	kill(jm->reader, SIGKILL);
	while (jm->looking) {
		TEST_EQ(jit_map_run(jm), 0);
		usleep(1000);
	}
	TEST_EQ(jit_map_look(jm, true), 0);
	unlink(path);
	jit_map_destroy(jm);
	symbol_budget_deinit(&budget);
	item_writer_close(&w, true);
	TEST_EQ(count_items(fd, getpid(), &last, name), 1);
	close(fd);
	return 0;
}

/* A file system over /tmp, for this process alone, that never answers. */
static bool hangs(void)
{
	int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char how[80];

	snprintf(how, sizeof(how), "fd=%d,rootmode=40000,user_id=0,group_id=0",
		 fuse);
	return fuse >= 0 && !unshare(CLONE_NEWNS) &&
	       !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("hang", "/tmp", "fuse", MS_NOSUID | MS_NODEV, how);
}

TEST(jitmap_waits_for_no_file_system)
{
	struct symbol_budget budget;
	struct item_writer w;
	struct jit_map *jm;
	__u64 begun;
	int fd;

	symbol_budget_init(&budget, &symlimits_host);
	TEST_EQ(writer(&w, &fd), 0);
	if (!hangs()) {
		printf("# skipped: no FUSE, or not root\n");
		return 0;
	}
	alarm(30);
	begun = clock_now();
	TEST_EQ(jit_map_create(&w, &budget, &jm), 0);
	TEST_EQ(jit_map_process(jm, getpid(), 55), 0);
	TEST_EQ(jit_map_dump(jm, getpid(), 55, "/tmp/jit-1.dump", 1), 0);
	TEST_OK(jm->procs[0].dump.dead && jm->late);
	TEST_EQ(jit_map_look(jm, true), 0);
	TEST_EQ(jit_map_end(jm, getpid(), 1000), 0);
	jit_map_destroy(jm);
	TEST_OK(clock_now() - begun < 20000000000ull);
	symbol_budget_deinit(&budget);
	item_writer_close(&w, true);
	close(fd);
	return 0;
}

/* One user's names do not displace all others. */
TEST(jitmap_keeps_as_many_names_as_a_user_may_have)
{
	const struct symlimits limits = { .jits = 1 << 20, .user_jits = 1000 };
	struct symbol_budget budget;
	unsigned int i, kept[2] = { 0 };

	symbol_budget_init(&budget, &limits);
	for (i = 0; i < 20; i++) {
		kept[0] += symbol_budget_jit(&budget, 12345, 100);
		kept[1] += symbol_budget_jit(&budget, 12346, 90);
	}
	TEST_EQ(kept[0], 10);
	TEST_EQ(kept[1], 11);
	TEST_EQ(budget.users[0].jits + budget.users[1].jits, 19);
	symbol_budget_deinit(&budget);
	return 0;
}

/* What a reader that was taken over could say. */
TEST(jitmap_checks_what_its_reader_says)
{
	static struct jit_told told;
	struct jit_said said = { .addr = 0x1000, .size = 16, .name = 4 };
	const size_t head = sizeof(told) - sizeof(told.codes);
	struct jit_code code;
	size_t at = 0, size = sizeof(said) + 4;

	told.size = size;
	memcpy(told.codes, &said, sizeof(said));
	memcpy(told.codes + sizeof(said), "name", 4);
	TEST_EQ(jit_reader_next(&told, head + size, &at, &code), 1);
	TEST_STR(code.name, "name");
	TEST_EQ(jit_reader_next(&told, head + size, &at, &code), 0);
	at = 0;
	TEST_EQ(jit_reader_next(&told, head + size - 1, &at, &code), -EBADMSG);
	TEST_EQ(jit_reader_next(&told, 3, &at, &code), -EBADMSG);
	told.size = size - 1;
	TEST_EQ(jit_reader_next(&told, head + size - 1, &at, &code), -EBADMSG);
	told.size = size;
	said.addr = ~0ull;
	memcpy(told.codes, &said, sizeof(said));
	TEST_EQ(jit_reader_next(&told, head + size, &at, &code), -EBADMSG);
	return 0;
}
