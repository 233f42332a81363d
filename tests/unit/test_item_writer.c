// SPDX-License-Identifier: GPL-2.0-only
/* analyzer/format/item_writer.c: what it writes, byte by byte, and its errors. */

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "format/bundle.h"
#include "format/item_writer.h"
#include "test.h"

static char dir[] = "/tmp/vmmprof-XXXXXX", path[64];

static int start(struct item_writer *w)
{
	if (!mkdtemp(dir))
		return -errno;
	snprintf(path, sizeof(path), "%s/items", dir);
	return item_writer_open(w, AT_FDCWD, path, VMMPROF_FILE_MAPS);
}

/* The whole file; removes it. */
static ssize_t contents(void *buf, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, buf, size);

	close(fd);
	unlink(path);
	rmdir(dir);
	return n;
}

TEST(itemwriter_pads_to_8_and_counts)
{
	static const char want[] = "\1\0\0\0\14\0\0\0k=v\n\0\0\0\0"
				   "\3\0\0\0\14\0\0\0a b\0\0\0\0\0"
				   "\4\0\0\0\20\0\0\0\2\0\0\0\0\0\0\0";
	struct item_writer w;
	struct vmmprof_file_hdr hdr;
	char buf[256];

	TEST_EQ(start(&w), 0);
	TEST_EQ(item_text(&w, "k", "%c", 'v'), 0);
	TEST_EQ(item_note(&w, "a\n%s", "b"), 0);
	TEST_EQ(item_writer_close(&w, true), 0);
	TEST_EQ(contents(buf, sizeof(buf)), 32 + 16 + 16 + 16);
	memcpy(&hdr, buf, sizeof(hdr));
	TEST_EQ(memcmp(hdr.magic, VMMPROF_MAGIC, 8), 0);
	TEST_EQ(hdr.kind, VMMPROF_FILE_MAPS);
	TEST_EQ(hdr.hdr_size, 32);
	TEST_EQ(memcmp(buf + 32, want, 48), 0);
	return 0;
}

TEST(itemwriter_notes_are_what_a_reader_takes_for_notes)
{
	struct problems problems = { 0 };
	struct item_writer w;
	struct bundle b;
	char buf[256];
	ssize_t n;

	TEST_EQ(start(&w), 0);
	TEST_EQ(item_note(&w, "no %s", "BPF"), 0);
	TEST_EQ(item_writer_close(&w, true), 0);
	n = contents(buf, sizeof(buf));
	TEST_EQ(bundle_init_mem(&b, buf, n, "x", &problems), 0);
	TEST_EQ(b.bad, 0);
	TEST_EQ(b.nr_notes, 1);
	TEST_STR(b.notes[0], "no BPF");
	bundle_deinit(&b);
	problems_deinit(&problems);
	return 0;
}

TEST(itemwriter_unfinished_has_no_end)
{
	struct item_writer w;
	char buf[256];

	TEST_EQ(start(&w), 0);
	TEST_EQ(item_note(&w, "x"), 0);
	TEST_EQ(item_writer_close(&w, false), 0);
	TEST_EQ(contents(buf, sizeof(buf)), 32 + 16);
	return 0;
}

TEST(itemwriter_flush_makes_it_readable)
{
	struct item_writer w;
	struct stat st;

	TEST_EQ(start(&w), 0);
	TEST_EQ(item_note(&w, "x"), 0);
	TEST_EQ(item_writer_flush(&w), 0);
	TEST_EQ(stat(path, &st), 0);
	TEST_EQ(st.st_size, 48);
	TEST_EQ(st.st_mode & 0777, 0600);
	TEST_EQ(item_writer_close(&w, false), 0);
	unlink(path);
	rmdir(dir);
	return 0;
}

TEST(itemwriter_larger_than_its_buffer)
{
	size_t size = 3000001, got = 48 + 32;
	char *big = calloc(1, size), *back = malloc(2 * size);
	const struct iovec part = { big, size };
	struct item_writer w;
	__u32 hdr[2];

	memset(big, 'x', size);
	TEST_EQ(start(&w), 0);
	TEST_EQ(item_note(&w, "x"), 0);
	TEST_EQ(item_putv(&w, 77, &part, 1), 0);
	TEST_EQ(item_note(&w, "y"), 0);
	TEST_EQ(item_writer_close(&w, true), 0);
	got += (8 + size + 7) / 8 * 8;
	TEST_EQ(contents(back, 2 * size), got);
	memcpy(hdr, back + 48, sizeof(hdr));
	TEST_EQ(hdr[0], 77);
	TEST_EQ(hdr[1], 8 + size);
	TEST_EQ(memcmp(back + 56, big, size), 0);
	free(big);
	free(back);
	return 0;
}

/* The buffer ends before, within and after an item, at each remainder. */
TEST(itemwriter_of_any_size_at_the_buffer_s_end)
{
	static char back[2 << 20];
	struct item_writer w;
	size_t pos = 32, i, size;
	char data[64];
	__u32 hdr[2];

	memset(data, 'x', sizeof(data));
	TEST_EQ(start(&w), 0);
	for (i = 0; i < 40000; i++)
		TEST_EQ(item_put(&w, i, data, 8 + i % 23, data, i % 5), 0);
	TEST_EQ(item_writer_close(&w, true), 0);
	size = contents(back, sizeof(back));
	for (i = 0; i < 40000; i++) {
		memcpy(hdr, back + pos, sizeof(hdr));
		TEST_EQ(hdr[0], i);
		TEST_EQ(hdr[1], 8 + i % 23 + i % 5);
		TEST_EQ(memcmp(back + pos + 8, data, hdr[1] - 8), 0);
		for (pos += hdr[1]; pos % 8; pos++)
			TEST_EQ(back[pos], 0);
	}
	TEST_EQ(size, pos + 16);
	return 0;
}

TEST(itemwriter_refuses_what_is_too_large)
{
	const struct iovec parts[] = { { NULL, 0xfffffff0 }, { NULL, 16 } };
	struct item_writer w;
	char buf[64];

	TEST_EQ(start(&w), 0);
	TEST_EQ(item_putv(&w, 77, parts, 2), -EOVERFLOW);
	TEST_EQ(item_writer_close(&w, true), 0);
	TEST_EQ(contents(buf, sizeof(buf)), 32 + 16);
	return 0;
}

TEST(itemwriter_never_overwrites)
{
	struct item_writer w, again;
	char buf[64];

	TEST_EQ(start(&w), 0);
	TEST_EQ(item_writer_open(&again, AT_FDCWD, path, 3), -EEXIST);
	TEST_EQ(item_writer_close(&w, true), 0);
	TEST_EQ(contents(buf, sizeof(buf)), 48);
	return 0;
}

/* The first error is kept and comes back from every later call. */
TEST(itemwriter_tells_of_a_full_disk)
{
	struct item_writer w;
	int full;

	TEST_EQ(start(&w), 0);
	full = open("/dev/full", O_WRONLY);
	TEST_EQ(dup2(full, w.fd), w.fd);
	close(full);
	TEST_EQ(item_note(&w, "x"), 0);
	TEST_EQ(item_writer_flush(&w), -ENOSPC);
	TEST_EQ(item_note(&w, "x"), -ENOSPC);
	TEST_EQ(item_writer_close(&w, true), -ENOSPC);
	unlink(path);
	rmdir(dir);
	return 0;
}

TEST(itemwriter_clocks_are_of_one_moment)
{
	struct vmmprof_item_clock c;
	struct item_writer w;
	struct timespec a, b;
	char buf[128];

	TEST_EQ(start(&w), 0);
	clock_gettime(CLOCK_MONOTONIC, &a);
	TEST_EQ(item_writer_clock(&w), 0);
	clock_gettime(CLOCK_MONOTONIC, &b);
	TEST_EQ(item_writer_close(&w, true), 0);
	TEST_EQ(contents(buf, sizeof(buf)), 32 + 32 + 16);
	memcpy(&c, buf + 32, sizeof(c));
	TEST_EQ(c.hdr.type, VMMPROF_ITEM_CLOCK);
	TEST_OK(c.mono_ns >= a.tv_sec * 1000000000ULL + a.tv_nsec);
	TEST_OK(c.mono_ns <= b.tv_sec * 1000000000ULL + b.tv_nsec);
	TEST_OK(c.tsc);
	return 0;
}
