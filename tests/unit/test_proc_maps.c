// SPDX-License-Identifier: GPL-2.0-only
/* analyzer/os/proc_maps.c and sideband.c: this process, and one it starts. */

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/items.h"
#include "os/symbol_budget.h"
#include "os/proc_maps.c"
#include "os/sideband.h"
#include "test.h"

TEST(procmaps_reads_a_line_of_maps)
{
	char line[] =
		"7f00a000-7f00b000 r-xp 00001000 08:1f 1234      /tmp/a b\\012c (deleted)\n";
	struct mmap_event ev;

	TEST_EQ(parse_maps_line(line, &ev), 1);
	TEST_EQ(ev.start, 0x7f00a000);
	TEST_EQ(ev.end, 0x7f00b000);
	TEST_EQ(ev.pgoff, 0x1000);
	TEST_EQ(ev.dev, makedev(8, 0x1f));
	TEST_EQ(ev.ino, 1234);
	TEST_STR(ev.path, "/tmp/a b\nc (deleted)");
	return 0;
}

TEST(procmaps_tells_executable_and_anonymous)
{
	char data[] = "7f00a000-7f00b000 rw-p 00000000 00:00 0 ";
	char jit[] = "7f00a000-7f00b000 rwxp 00000000 00:00 0 ";
	char bad[] = "7f00b000-7f00a000 rwxp 00000000 00:00 0 ";
	char cut[] = "7f00b000-7f00";
	struct mmap_event ev;

	TEST_EQ(parse_maps_line(data, &ev), 0);
	TEST_EQ(parse_maps_line(jit, &ev), 1);
	TEST_STR(ev.path, "");
	TEST_EQ(parse_maps_line(bad, &ev), -EINVAL);
	TEST_EQ(parse_maps_line(cut, &ev), -EINVAL);
	return 0;
}

TEST(procmaps_reads_stat_with_any_name)
{
	struct proc p;

	TEST_EQ(parse_stat(
			"42 (a) Z (b) S 7 1 1 0 -1 2097216 0 0 0 0 0 0 0 0 20 0 1 0 500 0 0",
			&p),
		0);
	TEST_EQ(p.pid, 42);
	TEST_EQ(p.ppid, 7);
	TEST_STR(p.comm, "a) Z (b");
	TEST_OK(p.kthread && !p.zombie);
	TEST_EQ(p.start_ns, 500 * (1000000000ULL / sysconf(_SC_CLK_TCK)));
	TEST_EQ(parse_stat("42 a S", &p), -EINVAL);
	TEST_EQ(parse_stat("42 (a) S 1", &p), -EINVAL);
	return 0;
}

/* A writer into a file that exists only by its descriptor. */
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

struct found {
	int proc, exec, drop;
	int exec_maps; /* of pid, later than the EXEC */
	int with_file; /* of them, of a FILE item seen before */
	__u64 exec_ns;
};

static void look(const struct vmmprof_item_hdr *hdr, __u32 pid, struct found *f,
		 __u32 *nr_files)
{
	const struct vmmprof_maps_proc *p = (const void *)hdr;
	const struct vmmprof_maps_map *m = (const void *)hdr;

	if (hdr->type == VMMPROF_MAPS_FILE)
		*nr_files = ((const struct vmmprof_maps_file *)hdr)->id + 1;
	if (hdr->type == VMMPROF_MAPS_PROC && p->pid == pid) {
		f->proc += p->op == VMMPROF_OP_SNAP;
		f->drop += p->op == VMMPROF_OP_DROP;
		f->exec += p->op == VMMPROF_OP_EXEC;
		if (p->op == VMMPROF_OP_EXEC)
			f->exec_ns = p->ns;
	}
	if (hdr->type == VMMPROF_MAPS_MAP && m->pid == pid) {
		f->exec_maps += m->ns >= f->exec_ns;
		f->with_file += m->file < *nr_files;
	}
}

static int search(int fd, __u32 pid, struct found *ret)
{
	const struct vmmprof_item_hdr *hdr;
	struct items it;
	__u32 nr_files = 0;

	memset(ret, 0, sizeof(*ret));
	TEST_EQ(items_init(&it, fd, VMMPROF_FILE_MAPS), 0);
	while (items_next(&it, &hdr) == 1)
		look(hdr, pid, ret, &nr_files);
	TEST_OK(it.ended && !it.cut);
	items_deinit(&it);
	return 0;
}

TEST(procmaps_scan_writes_this_process)
{
	struct proc_maps_stat stat;
	struct item_writer w;
	struct proc_maps *pm;
	struct found f;
	int fd;

	TEST_EQ(writer(&w, &fd), 0);
	TEST_EQ(proc_maps_create(&w, &symlimits_host, &pm), 0);
	TEST_EQ(proc_maps_scan(pm), 0);
	proc_maps_stat(pm, &stat);
	proc_maps_destroy(pm);
	TEST_EQ(item_writer_close(&w, true), 0);
	TEST_EQ(search(fd, getpid(), &f), 0);
	TEST_EQ(f.proc, 1);
	TEST_OK(f.exec_maps >= 3); /* program, libc, ld.so, [vdso] */
	TEST_OK(f.with_file >= 3);
	TEST_OK(stat.procs >= 1 && stat.symtabs >= 3 && stat.files >= 3);
	close(fd);
	return 0;
}

TEST(sideband_sees_a_process_that_came_and_went)
{
	struct item_writer w;
	struct proc_maps *pm;
	struct sideband *sb;
	struct found f;
	int fd, err, pid;

	TEST_EQ(writer(&w, &fd), 0);
	TEST_EQ(proc_maps_create(&w, &symlimits_host, &pm), 0);
	err = sideband_open(pm, &sb);
	if (err == -EACCES || err == -EPERM || err == -ENOENT) {
		printf("# skipped: perf_event_open: %s\n", strerror(-err));
		proc_maps_destroy(pm);
		item_writer_close(&w, true);
		return 0;
	}
	TEST_EQ(err, 0);
	pid = fork();
	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	TEST_EQ(waitpid(pid, NULL, 0), pid);
	TEST_EQ(sideband_read(sb), 0);
	TEST_EQ(sideband_lost(sb), 0);
	TEST_EQ(proc_maps_run(pm, 30000), 0);
	TEST_EQ(sideband_close(sb, &w), 0);
	proc_maps_destroy(pm);
	TEST_EQ(item_writer_close(&w, true), 0);
	TEST_EQ(search(fd, pid, &f), 0);
	TEST_EQ(f.exec, 1);
	TEST_EQ(f.drop, 1);
	TEST_OK(f.exec_maps >= 3); /* true, libc, ld.so */
	TEST_OK(f.with_file >= 3);
	close(fd);
	return 0;
}

/* The file is gone before it is looked at: map_files still leads to it. */
TEST(procmaps_reads_deleted_files)
{
	char path[] = "/tmp/vmmprof-deleted-XXXXXX", buf[65536];
	struct proc_maps_stat before, after;
	int from = open("/proc/self/exe", O_RDONLY), to = mkstemp(path), fd;
	struct item_writer w;
	struct proc_maps *pm;
	ssize_t n;
	void *p;

	while ((n = read(from, buf, sizeof(buf))) > 0)
		TEST_EQ(write(to, buf, n), n);
	close(from);
	p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, to, 0);
	TEST_OK(p != MAP_FAILED);
	close(to);
	unlink(path);

	TEST_EQ(writer(&w, &fd), 0);
	TEST_EQ(proc_maps_create(&w, &symlimits_host, &pm), 0);
	proc_maps_stat(pm, &before);
	snprintf(buf, sizeof(buf), "/proc/%d/maps", getpid());
	TEST_OK(scan_maps(pm, buf, getpid(), 0, false) > 0);
	TEST_EQ(proc_maps_run(pm, 30000), 0);
	proc_maps_stat(pm, &after);
	TEST_EQ(after.unread, before.unread);
	munmap(p, 4096);
	proc_maps_destroy(pm);
	item_writer_close(&w, true);
	close(fd);
	return 0;
}

/* MAP items of this process over @addr: how many, and the last. */
static int maps_at(int fd, const void *addr, struct vmmprof_maps_map *ret)
{
	const struct vmmprof_item_hdr *hdr;
	struct items it;
	int nr = 0;

	if (items_init(&it, fd, VMMPROF_FILE_MAPS))
		return -1;
	while (items_next(&it, &hdr) == 1) {
		const struct vmmprof_maps_map *m = (const void *)hdr;

		if (hdr->type != VMMPROF_MAPS_MAP ||
		    (uintptr_t)addr < m->start || (uintptr_t)addr >= m->end)
			continue;
		*ret = *m;
		nr++;
	}
	items_deinit(&it);
	return nr;
}

/*
 * Three pages of this program, the middle one replaced by memory: seen by a
 * scan, or by an event and the look at the end.
 */
static int remapped(__u64 third_page, bool event, struct vmmprof_maps_map *ret)
{
	struct mmap_event ev = { .pid = getpid(), .path = "//anon" };
	int exe = open("/proc/self/exe", O_RDONLY), fd, nr;
	const int prot = PROT_READ | PROT_EXEC;
	struct item_writer w;
	struct proc_maps *pm;
	char *p, path[40];

	/* room around, so that nothing else is a neighbour */
	p = mmap(NULL, 5 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mmap(p + 4096, 4096, prot, MAP_PRIVATE | MAP_FIXED, exe, 4096);
	mmap(p + 8192, 4096, prot, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1,
	     0);
	mmap(p + 12288, 4096, prot, MAP_PRIVATE | MAP_FIXED, exe, third_page);
	close(exe);
	if (writer(&w, &fd) || proc_maps_create(&w, &symlimits_host, &pm))
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/maps", getpid());
	ev.start = (uintptr_t)p + 8192;
	ev.end = ev.start + 4096;
	ev.ns = 5;
	if (event && (proc_maps_mmap(pm, &ev) || proc_maps_tick(pm, true)))
		return -1;
	if (!event && (scan_maps(pm, path, getpid(), 0, false) <= 0 ||
		       proc_maps_run(pm, 30000)))
		return -1;
	proc_maps_destroy(pm);
	item_writer_close(&w, true);
	nr = maps_at(fd, p + 8192, ret);
	munmap(p, 5 * 4096);
	close(fd);
	return nr;
}

TEST(procmaps_finds_text_that_was_moved_to_memory)
{
	struct vmmprof_maps_map m;

	TEST_EQ(remapped(12288, false, &m), 1);
	TEST_OK(m.file != VMMPROF_NONE);
	TEST_EQ(m.pgoff, 8192);
	/* another place of the file behind it: not that text */
	TEST_EQ(remapped(16384, false, &m), 1);
	TEST_OK(m.file == VMMPROF_NONE);
	/* the event's item, and one that says what it is */
	TEST_EQ(remapped(12288, true, &m), 2);
	TEST_OK(m.file != VMMPROF_NONE);
	TEST_OK(m.ns > 5);
	TEST_EQ(remapped(16384, true, &m), 1);
	TEST_OK(m.file == VMMPROF_NONE);
	return 0;
}
