// SPDX-License-Identifier: GPL-2.0-only
/* Code that a guest sends when it is asked: what of it goes into its bundle. */

#include <sys/mman.h>
#include <unistd.h>

#include "build.h"
#include "test.h"
#include "format/bundle.h"
#include "transport/import.h"

static struct build b;

static int read_file(int fd, struct bundle *ret)
{
	struct problems problems = { 0 };
	int err = lseek(fd, 0, SEEK_SET) ? 1 :
					   bundle_init(ret, fd, "x", &problems);

	problems_deinit(&problems);
	return err;
}

/* A file of @nr CODE items of @size bytes each. */
static int code_file(unsigned int nr, __u32 size, __u64 *total)
{
	struct vmmprof_maps_code c = {
		.hdr = { VMMPROF_MAPS_CODE, sizeof(c) + size },
		.file = 1,
	};
	int fd = memfd_create("code", 0);
	char *pad = calloc(1, size + 8);
	off_t at;

	build_header(&b, VMMPROF_FILE_MAPS);
	at = b.size;
	if (!pad || pwrite(fd, b.data, b.size, 0) != (ssize_t)b.size)
		abort();
	for (; nr; nr--, at += (c.hdr.size + 7) & ~7u) {
		c.addr = nr * 4096;
		if (pwrite(fd, &c, sizeof(c), at) != sizeof(c) ||
		    pwrite(fd, pad, size + 7, at + sizeof(c)) != size + 7)
			abort();
	}
	free(pad);
	*total = at;
	return fd;
}

/* A bundle with code of another file in it already, complete or cut. */
static int bundle_file(bool complete)
{
	struct vmmprof_maps_code c = { .file = 7 };
	int fd = memfd_create("bundle", 0);

	build_header(&b, VMMPROF_FILE_MAPS);
	build_item(&b, VMMPROF_MAPS_CODE, &c, sizeof(c), "xyz", 3);
	if (complete)
		build_end(&b);
	else
		build_put(&b, "\x1d\0\0\0\xff\xff\0\0", 8);
	if (write(fd, b.data, b.size) != (ssize_t)b.size)
		abort();
	return fd;
}

TEST(code_of_a_guest_goes_into_its_bundle_within_bounds)
{
	struct code_merge_stat stat;
	struct bundle got;
	int complete, fd, code;
	__u64 size;

	for (complete = 0; complete < 2; complete++) {
		fd = bundle_file(complete);
		code = code_file(3, 100, &size);
		TEST_EQ(import_code(fd, code, size, &stat, NULL), 0);
		TEST_OK(stat.ranges == 3 && stat.bytes == 300);
		close(code);
		TEST_EQ(read_file(fd, &got), 0);
		TEST_OK(got.nr_codes == 4 && !got.bad && !got.items.cut);
		TEST_EQ(got.complete, complete);
		bundle_deinit(&got);
		/* no more of them, and no more bytes, than may be asked for */
		code = code_file(300, 10, &size);
		TEST_EQ(import_code(fd, code, size, &stat, NULL), 0);
		TEST_OK(stat.ranges == 256 && stat.bytes == 2560);
		close(code);
		code = code_file(4, 262144, &size);
		TEST_EQ(import_code(fd, code, size, &stat, NULL), 0);
		TEST_OK(stat.ranges == 4 && stat.bytes == 1048576);
		/* not what it says, too much, nothing */
		TEST_EQ(import_code(fd, code, 16, &stat, NULL), -ENOEXEC);
		TEST_EQ(import_code(fd, code, size + 99, &stat, NULL),
			-ENOEXEC);
		TEST_EQ(import_code(fd, code, 1 << 30, &stat, NULL), -EFBIG);
		TEST_OK(!stat.ranges && !stat.bytes);
		TEST_EQ(read_file(fd, &got), 0);
		TEST_OK(got.nr_codes == 264 && !got.bad && !got.items.cut);
		bundle_deinit(&got);
		close(code);
		close(fd);
	}
	return 0;
}
