// SPDX-License-Identifier: GPL-2.0-only
/* analyzer/sym/elf.c: the test program itself, and damaged copies of it. */

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sym/elf.h"
#include "test.h"

int main(int argc, char **argv);

int elf_test_function(int x);
int elf_test_alias(int x) __attribute__((alias("elf_test_function")));
int __elf_test_function(int x) __attribute__((alias("elf_test_function")));

int __attribute__((noinline)) elf_test_function(int x)
{
	return x * 3 + 1;
}

asm(".text\n"
    ".type elf_test_untyped, @notype\n"
    "elf_test_untyped: nop\n nop\n ret\n"
    ".size elf_test_untyped, . - elf_test_untyped\n");

static const char *name_of(const struct elffile *e, size_t i)
{
	return e->strings + e->symbols[i].name;
}

/* Index of the symbol, or -1. */
static long find(const struct elffile *e, const char *name)
{
	size_t i;

	for (i = 0; i < e->nr_symbols; i++)
		if (!strcmp(name_of(e, i), name))
			return i;
	return -1;
}

/* Our own program, writable and private: -errno or a descriptor. */
static int copy_of_self(size_t *size)
{
	int from = open("/proc/self/exe", O_RDONLY);
	int fd = memfd_create("elf", 0);
	char buf[65536];
	ssize_t n;

	*size = 0;
	while ((n = read(from, buf, sizeof(buf))) > 0) {
		if (write(fd, buf, n) != n)
			return -EIO;
		*size += n;
	}
	close(from);
	return fd;
}

TEST(elf_finds_functions_of_the_running_program)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct elffile e;
	uintptr_t here, there;
	long f, m;

	TEST_EQ(elffile_read(fd, &e), 0);
	TEST_OK(e.nr_segments >= 1);
	TEST_OK(e.build_id_size == 20);
	f = find(&e, "elf_test_alias");
	m = find(&e, "main");
	TEST_OK(f >= 0 && m >= 0);
	TEST_OK(e.symbols[f].size > 0);
	/* A PIE: the distance of two functions is what the file says. */
	here = (uintptr_t)elf_test_function;
	there = (uintptr_t)main;
	TEST_EQ(here - there, e.symbols[f].addr - e.symbols[m].addr);
	TEST_OK(find(&e, "elf_test_untyped") >= 0);
	elffile_free(&e);
	close(fd);
	return 0;
}

TEST(elf_keeps_one_name_an_address_in_order)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct elffile e;
	size_t i;

	TEST_EQ(elffile_read(fd, &e), 0);
	for (i = 1; i < e.nr_symbols; i++)
		TEST_OK(e.symbols[i - 1].addr < e.symbols[i].addr);
	for (i = 0; i < e.nr_symbols; i++)
		TEST_OK(e.symbols[i].name < e.strings_size);
	TEST_EQ(e.strings[e.strings_size - 1], 0);
	/* Short before long, no underscores before underscores. */
	TEST_EQ(find(&e, "__elf_test_function"), -1);
	TEST_EQ(find(&e, "elf_test_function"), -1);
	TEST_OK(find(&e, "elf_test_alias") >= 0);
	elffile_free(&e);
	close(fd);
	return 0;
}

TEST(elf_build_id_alone_is_the_same)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct elffile a, b;

	TEST_EQ(elffile_read(fd, &a), 0);
	TEST_EQ(elffile_read_build_id(fd, &b), 0);
	TEST_EQ(b.build_id_size, a.build_id_size);
	TEST_EQ(memcmp(a.build_id, b.build_id, a.build_id_size), 0);
	TEST_EQ(b.nr_symbols, 0);
	elffile_free(&a);
	elffile_free(&b);
	close(fd);
	return 0;
}

TEST(elf_refuses_what_is_none)
{
	struct elffile e;
	int fd = memfd_create("none", 0);

	TEST_EQ(elffile_read(fd, &e), -ENOEXEC);
	TEST_EQ(write(fd, "#!/bin/sh\n", 10), 10);
	TEST_EQ(elffile_read(fd, &e), -ENOEXEC);
	close(fd);
	fd = open("/dev/zero", O_RDONLY);
	TEST_EQ(elffile_read(fd, &e), -ENOEXEC);
	close(fd);
	TEST_EQ(elffile_read(-1, &e), -EBADF);
	return 0;
}

TEST(elf_survives_truncation)
{
	struct elffile e;
	size_t size, cut;
	int fd = copy_of_self(&size);

	TEST_OK(fd >= 0);
	for (cut = size; cut > 64; cut -= cut / 9 + 1) {
		int err;

		TEST_EQ(ftruncate(fd, cut), 0);
		err = elffile_read(fd, &e);
		TEST_OK(err <= 0);
		if (!err)
			elffile_free(&e);
	}
	close(fd);
	return 0;
}

/* Every byte of the headers, to values that turn sizes and offsets around. */
TEST(elf_survives_damaged_headers)
{
	static const unsigned char values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	size_t size, i, v;
	int fd = copy_of_self(&size);
	unsigned char *p;

	TEST_OK(fd >= 0);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	TEST_OK(p != MAP_FAILED);
	for (i = 0; i < 64 + 14 * 56; i++) {
		unsigned char old = p[i];

		for (v = 0; v < sizeof(values); v++) {
			struct elffile e;

			p[i] = values[v];
			if (!elffile_read_build_id(fd, &e))
				elffile_free(&e);
			if (i >= 64 && (v || i % 8))
				continue;
			if (!elffile_read(fd, &e))
				elffile_free(&e);
		}
		p[i] = old;
	}
	munmap(p, size);
	close(fd);
	return 0;
}
