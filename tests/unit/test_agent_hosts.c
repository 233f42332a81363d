// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who ran on the host while the agent's reader began anew: what each of its files
 * said is said by one that is put together of them.
 */

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build.h"
#include "test.h"
#include "cmd/agent/kept_hosts.h"
#include "model/processes.h"
#include <vmmprof/record.h>

#define MS    1000000ull
#define START 0x400000ull

struct joined {
	char dir[32];
	int at;
	struct bundle bundle;
	struct procs ps;
};

static void put_map(struct build *b, __u64 ns, __u32 pid, __u32 file)
{
	struct vmmprof_maps_map m = { .ns = ns,
				      .start = START,
				      .end = START + 4096,
				      .pid = pid,
				      .file = file };

	build_item(b, VMMPROF_MAPS_MAP, &m, sizeof(m), NULL, 0);
}

static void put_file(struct build *b, __u32 id, const char *path)
{
	const struct {
		struct vmmprof_maps_symtab head;
		struct vmmprof_segment segment;
		struct vmmprof_symbol symbol;
		char strings[8];
	} symtab = {
		.head = { .file = id,
			  .nr_segments = 1,
			  .nr_symbols = 1,
			  .strings_size = 8 },
		.segment = { 0, START, 4096 },
		.symbol = { START, 4096, 0 },
		.strings = "main",
	};
	struct vmmprof_maps_file f = { .id = id };

	build_item(b, VMMPROF_MAPS_FILE, &f, sizeof(f), path, strlen(path) + 1);
	build_item(b, VMMPROF_MAPS_SYMTAB, &symtab, sizeof(symtab), NULL, 0);
}

/* A file `host` that begins then, with a kernel of its own. */
static void begin_host(struct build *b, __u64 ns, const char *kallsyms)
{
	struct vmmprof_item_clock clock = { .tsc = 2 * ns,
					    .mono_ns = ns,
					    .real_ns = 1000 * MS + ns };
	struct vmmprof_item_hdr hdr = { 0 };

	build_header(b, VMMPROF_FILE_MAPS);
	build_item(b, VMMPROF_ITEM_TEXT, &hdr, sizeof(hdr), "tool=test\n", 10);
	build_item(b, VMMPROF_ITEM_CLOCK, &clock, sizeof(clock), NULL, 0);
	build_item(b, VMMPROF_MAPS_KALLSYMS, &hdr, sizeof(hdr), kallsyms,
		   strlen(kallsyms));
}

static int host_file(struct build *b)
{
	int fd = memfd_create("host", MFD_CLOEXEC);

	build_end(b);
	if (fd < 0 || write(fd, b->data, b->size) != (ssize_t)b->size)
		return -1;
	return fd;
}

static int keep(struct joined *j, struct build *b, __u64 until)
{
	int fd = host_file(b), ret;

	ret = fd < 0 ? -EIO : kept_hosts_put(j->at, fd, until);
	close(fd);
	return ret;
}

static int begin(struct joined *j)
{
	strcpy(j->dir, "/tmp/hosts-XXXXXX");
	if (!mkdtemp(j->dir))
		return -1;
	j->at = open(j->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return j->at < 0;
}

/* All of them and @b, as one. */
static int join(struct joined *j, struct build *b)
{
	struct problems problems = { 0 };
	struct item_writer w;
	struct kept_hosts h;
	int host = host_file(b), ret, fd;

	ret = kept_hosts_init(&h, j->at);
	if (!ret)
		ret = item_writer_open(&w, j->at, "host", VMMPROF_FILE_MAPS);
	if (!ret)
		ret = kept_hosts_copy(&h, host, &w) ?:
						      item_writer_close(&w, true);
	kept_hosts_deinit(&h);
	close(host);
	if (ret)
		return ret;
	fd = openat(j->at, "host", O_RDONLY | O_CLOEXEC);
	ret = bundle_init(&j->bundle, fd, "host", &problems) ?:
		      procs_init(&j->ps, &j->bundle);
	close(fd);
	return ret ? ret : (int)(problems.nr + j->bundle.bad);
}

static void end(struct joined *j)
{
	char cmd[48];

	procs_deinit(&j->ps);
	bundle_deinit(&j->bundle);
	close(j->at);
	snprintf(cmd, sizeof(cmd), "rm -r %s", j->dir);
	if (system(cmd))
		perror(cmd);
}

/* The path of what the process had mapped then. */
static const char *path_at(const struct joined *j, __u32 pid, __u64 ns)
{
	const struct image *im = procs_find(&j->ps, pid, ns);
	const struct vmmprof_maps_map *map;
	const struct bundle_file *file;
	__u64 from, end;

	map = im ? procs_find_map(&j->ps, im, ns, START, &from, &end) : NULL;
	file = map ? bundle_find_file(&j->bundle, map->file) : NULL;
	return file && file->symtab ? file->item->path : "";
}

/* Three readers: 10 ends in the time of the first, 20 does something else then. */
TEST(processes_of_all_readers_have_their_names)
{
	struct build b;
	struct joined j = { 0 };

	TEST_EQ(begin(&j), 0);
	begin_host(&b, 10 * MS, "1 T first\n");
	build_proc(&b, VMMPROF_OP_SNAP, 10 * MS, 10, 0, "early");
	put_file(&b, 0, "/bin/early");
	put_map(&b, 0, 10, 0);
	build_proc(&b, VMMPROF_OP_SNAP, 10 * MS, 20, 0, "sh");
	put_file(&b, 1, "/bin/sh");
	put_map(&b, 0, 20, 1);
	build_proc(&b, VMMPROF_OP_DROP, 40 * MS, 10, 0, "");
	TEST_EQ(keep(&j, &b, 100 * MS), 0);

	begin_host(&b, 50 * MS, "1 T second\n");
	build_proc(&b, VMMPROF_OP_SNAP, 50 * MS, 20, 0, "sh");
	put_file(&b, 0, "/bin/sh");
	put_map(&b, 0, 20, 0);
	build_proc(&b, VMMPROF_OP_EXEC, 60 * MS, 20, 0, "late");
	put_file(&b, 1, "/bin/late");
	put_map(&b, 60 * MS, 20, 1);
	TEST_EQ(keep(&j, &b, 200 * MS), 0);

	/* the pid of the first one, again */
	begin_host(&b, 90 * MS, "1 T third\n");
	build_proc(&b, VMMPROF_OP_SNAP, 90 * MS, 20, 0, "late");
	put_file(&b, 0, "/bin/late");
	put_map(&b, 0, 20, 0);
	build_proc(&b, VMMPROF_OP_SNAP, 90 * MS, 10, 0, "again");
	put_file(&b, 1, "/bin/again");
	put_map(&b, 0, 10, 1);
	TEST_EQ(join(&j, &b), 0);

	TEST_STR(path_at(&j, 10, 20 * MS), "/bin/early");
	TEST_STR(path_at(&j, 10, 95 * MS), "/bin/again");
	TEST_STR(path_at(&j, 20, 20 * MS), "/bin/sh");
	TEST_STR(path_at(&j, 20, 55 * MS), "/bin/sh");
	TEST_STR(path_at(&j, 20, 70 * MS), "/bin/late");
	TEST_STR(path_at(&j, 20, 95 * MS), "/bin/late");
	TEST_STR(procs_find(&j.ps, 10, 20 * MS)->comm, "early");
	TEST_STR(procs_find(&j.ps, 20, 55 * MS)->comm, "sh");
	/* the kernel is that of now, and once */
	TEST_EQ(j.bundle.kallsyms.len, strlen("1 T third\n"));
	TEST_OK(!memmem(j.bundle.items.buf, j.bundle.items.size, "first", 5));
	TEST_EQ(j.bundle.text.nr, 1);
	TEST_EQ(j.bundle.nr_clocks, 3);
	end(&j);
	return 0;
}

TEST(those_of_no_record_are_removed)
{
	struct kept_hosts h;
	struct build b;
	struct joined j = { 0 };
	__u64 bytes = 0, all;
	int i;

	TEST_EQ(begin(&j), 0);
	TEST_EQ(kept_hosts_trim(j.at, 0, &bytes), 0);
	for (i = 1; i <= 3; i++) {
		begin_host(&b, 10 * MS, "1 T a\n");
		build_proc(&b, VMMPROF_OP_SNAP, 10 * MS, 10, 0, "a");
		TEST_EQ(keep(&j, &b, i * 100), 0);
	}
	TEST_EQ(kept_hosts_trim(j.at, 99, &bytes), 0);
	all = bytes;
	TEST_OK(all > 0);
	/* records from 200 on have nobody that ended before */
	bytes = 0;
	TEST_EQ(kept_hosts_trim(j.at, 200, &bytes), 0);
	TEST_EQ(bytes, all / 3);
	TEST_EQ(kept_hosts_init(&h, j.at), 0);
	TEST_EQ(h.nr, 1);
	TEST_EQ(h.list[0].from, 300);
	kept_hosts_deinit(&h);
	TEST_EQ(kept_hosts_trim(j.at, ~0ull, &bytes), 0);
	TEST_EQ(unlinkat(j.at, "hosts", AT_REMOVEDIR), -1);
	end(&j);
	return 0;
}

/* Numbers of files that leave no room for those behind are no numbers. */
TEST(numbers_do_not_wrap)
{
	struct item_writer w;
	struct kept_hosts h;
	struct build b;
	struct joined j = { 0 };
	int host;

	TEST_EQ(begin(&j), 0);
	begin_host(&b, 10 * MS, "");
	put_file(&b, VMMPROF_MAP_GONE - 1, "/a");
	TEST_EQ(keep(&j, &b, 100), 0);
	begin_host(&b, 10 * MS, "");
	put_file(&b, 1, "/b");
	host = host_file(&b);
	TEST_EQ(kept_hosts_init(&h, j.at), 0);
	TEST_EQ(item_writer_open(&w, j.at, "host", VMMPROF_FILE_MAPS), 0);
	TEST_EQ(kept_hosts_copy(&h, host, &w), -EOVERFLOW);
	item_writer_close(&w, false);
	kept_hosts_deinit(&h);
	close(host);
	end(&j);
	return 0;
}
