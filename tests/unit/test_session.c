// SPDX-License-Identifier: GPL-2.0-only
/* Session directories, whole, cut and hostile. */

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build.h"
#include "test.h"
#include "format/session.h"

static struct build b;
static char dir[] = "/tmp/vmmprof-test-XXXXXX";

static void put_name_file(const char *name, const void *p, size_t size)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert(fd >= 0 && write(fd, p, size) == (ssize_t)size);
	close(fd);
}

static void build_info(void)
{
	struct vmmprof_info_event event = { .index = 1 };
	struct vmmprof_info_vm vm = { .pid = 500 };
	struct vmmprof_info_cpu cpu = { .stat = { .cpu = 3, .samples = 2 } };

	build_header(&b, VMMPROF_FILE_INFO);
	build_text(&b, "tsc_khz=1000\n");
	build_item(&b, VMMPROF_INFO_EVENT, &event, sizeof(event), "cycles", 7);
	build_item(&b, VMMPROF_INFO_VM, &vm, sizeof(vm), "vm1", 4);
	build_item(&b, VMMPROF_INFO_CPU, &cpu, sizeof(cpu), NULL, 0);
	build_end(&b);
}

static void clean(void)
{
	char cmd[64];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	assert(!system(cmd));
}

TEST(session_reads_info_and_finds_record_files)
{
	struct session s;
	struct merge m;

	TEST_OK(mkdtemp(dir));
	build_info();
	put_name_file("info", b.data, b.size);
	build_header(&b, VMMPROF_FILE_RECORDS);
	build_sample(&b, 5, 0);
	put_name_file("cpu-3.rec", b.data, b.size);
	put_name_file("cpu-12.rec", b.data, b.size);
	put_name_file("cpu-012.rec", b.data, b.size);
	put_name_file("cpu-x.rec", b.data, b.size);
	TEST_EQ(session_open(&s, dir), 0);
	TEST_EQ(s.problems.nr, 0);
	TEST_OK(s.complete);
	TEST_EQ(s.nr_vms, 1);
	TEST_STR(s.vms[0]->name, "vm1");
	TEST_STR(session_event_name(&s, 1), "cycles");
	TEST_STR(session_event_name(&s, 0), "event-0");
	TEST_EQ(s.nr_cpus, 2);
	TEST_EQ(s.cpus[0].cpu, 3);
	TEST_OK(s.cpus[0].stat && s.cpus[0].file);
	TEST_EQ(s.cpus[1].cpu, 12);
	TEST_OK(!s.cpus[1].stat && s.cpus[1].file);
	TEST_EQ(session_merge(&s, &m), 0);
	TEST_EQ(m.nr, 2);
	merge_deinit(&m);
	session_close(&s);
	clean();
	return 0;
}

TEST(session_says_what_is_wrong_with_a_directory)
{
	struct session s;

	TEST_OK(mkdtemp(dir));
	TEST_EQ(session_open(&s, dir), -ENOENT);
	TEST_OK(strstr(s.problems.line[0], "no session in this directory"));
	session_close(&s);
	TEST_EQ(session_open(&s, "/nonexistent"), -ENOENT);
	TEST_EQ(s.problems.nr, 1);
	session_close(&s);
	TEST_EQ(session_open(&s, "/etc/passwd"), -ENOTDIR);
	session_close(&s);
	put_name_file("info", "hello", 5);
	TEST_EQ(session_open(&s, dir), -ENODATA);
	session_close(&s);
	build_info();
	((struct vmmprof_file_hdr *)b.data)->min_version = VMMPROF_FILE_VERSION +
							   1;
	put_name_file("info", b.data, b.size);
	TEST_EQ(session_open(&s, dir), -EPROTONOSUPPORT);
	TEST_OK(strstr(s.problems.line[0], "newer vmmprof"));
	session_close(&s);
	clean();
	return 0;
}

TEST(session_is_no_fifo_and_follows_no_link)
{
	struct session s;
	char path[64];

	TEST_OK(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/info", dir);
	TEST_EQ(mkfifo(path, 0600), 0);
	TEST_EQ(session_open(&s, dir), -EINVAL);
	session_close(&s);
	unlink(path);
	TEST_EQ(symlink("/etc/passwd", path), 0);
	TEST_EQ(session_open(&s, dir), -ELOOP);
	session_close(&s);
	clean();
	return 0;
}

TEST(session_survives_info_cut_at_every_byte)
{
	struct session s;
	size_t size, n;
	int ret;

	TEST_OK(mkdtemp(dir));
	build_info();
	size = b.size;
	for (n = 0; n < size; n++) {
		put_name_file("info", b.data, n);
		ret = session_open(&s, dir);
		TEST_EQ(ret, n < 32 ? -ENODATA : 0);
		TEST_EQ(s.problems.nr, 1);
		TEST_OK(!s.complete);
		session_close(&s);
	}
	clean();
	return 0;
}

TEST(session_opens_no_bundle_outside_its_directory)
{
	static const char *const bad[] = { "",	     ".",   "..",
					   "../x",   "a/b", "/etc/passwd",
					   ".hidden" };
	struct session s = { .dirfd = AT_FDCWD };
	char name[400];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		TEST_EQ(session_open_bundle(&s, bad[i]), -EINVAL);
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	TEST_EQ(session_open_bundle(&s, name), -ENAMETOOLONG);
	return 0;
}
