// SPDX-License-Identifier: GPL-2.0-only
/* Stripped files: analyzer/sym/debug_data.c, and elf.c with .gnu_debugdata. */

#include <fcntl.h>
#include <lzma.h>
#include <stdbool.h>
#include <unistd.h>

#include "sym/debug_data.h"
#include "sym/elf.h"
#include "test.h"

static bool has(const struct elffile *e, const char *name)
{
	size_t i;

	for (i = 0; i < e->nr_symbols; i++)
		if (!strcmp(e->strings + e->symbols[i].name, name))
			return true;
	return false;
}

/* A shared object, stripped as distributions do that use .gnu_debugdata. */
static const char make_file[] =
	"set -e; cd %s\n"
	"printf 'static int __attribute__((noinline)) hidden_one(int x)\\n"
	"{ return x * 7; }\\n"
	"int public_one(int x) { return hidden_one(x) + 1; }\\n' > a.c\n"
	"gcc -O1 -fPIC -shared -o a.so a.c\n"
	"nm -D a.so --format=posix --defined-only | cut -d' ' -f1 | sort > dyn\n"
	"nm a.so --format=posix --defined-only | cut -d' ' -f1 | sort > all\n"
	"comm -13 dyn all > keep\n"
	"objcopy --only-keep-debug a.so debug\n"
	"objcopy -S --keep-symbols=keep debug mini\n"
	"xz mini\n"
	"strip a.so -o plain.so\n"
	"objcopy --add-section .gnu_debugdata=mini.xz plain.so with.so\n"
	"head -c 100 mini.xz > cut.xz\n"
	"objcopy --add-section .gnu_debugdata=cut.xz plain.so damaged.so\n";

static int read_in(const char *dir, const char *name, struct elffile *e)
{
	char path[128];
	int fd, err;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	err = elffile_read(fd, e);
	close(fd);
	return err;
}

TEST(debugdata_names_what_stripping_took)
{
	char dir[] = "/tmp/vmmprof-XXXXXX", cmd[2048];
	struct elffile e;

	TEST_OK(mkdtemp(dir));
	snprintf(cmd, sizeof(cmd), make_file, dir);
	TEST_EQ(system(cmd), 0);
	TEST_EQ(read_in(dir, "plain.so", &e), 0);
	TEST_OK(has(&e, "public_one") && !has(&e, "hidden_one"));
	elffile_free(&e);
	TEST_EQ(read_in(dir, "with.so", &e), 0);
	TEST_OK(has(&e, "public_one") && has(&e, "hidden_one"));
	elffile_free(&e);
	TEST_EQ(read_in(dir, "damaged.so", &e), 0);
	TEST_OK(has(&e, "public_one") && !has(&e, "hidden_one"));
	elffile_free(&e);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	TEST_EQ(system(cmd), 0);
	return 0;
}

/* A few kilobytes that would become more than is allowed. */
TEST(debugdata_is_bounded)
{
	size_t size = DEBUG_DATA_MAX, packed = 0, got;
	unsigned char *zeros = calloc(1, size + 1), *xz = malloc(1 << 20);
	void *out;

	TEST_OK(zeros && xz);
	TEST_EQ(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, zeros,
					size + 1, xz, &packed, 1 << 20),
		LZMA_OK);
	TEST_EQ(debugdata_unpack(xz, packed, &out, &got), -EFBIG);
	packed = 0;
	TEST_EQ(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, zeros,
					1000000, xz, &packed, 1 << 20),
		LZMA_OK);
	TEST_EQ(debugdata_unpack(xz, packed, &out, &got), 0);
	TEST_EQ(got, 1000000);
	free(out);
	TEST_EQ(debugdata_unpack(xz, packed - 1, &out, &got), -EBADMSG);
	TEST_EQ(debugdata_unpack("no xz", 5, &out, &got), -EBADMSG);
	TEST_EQ(debugdata_unpack("", 0, &out, &got), -EBADMSG);
	free(zeros);
	free(xz);
	return 0;
}
