// SPDX-License-Identifier: GPL-2.0-only
/* analyzer/sym/code_reader.c: the test's own code, and core files made here. */

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sym/code_reader.h"
#include "sym/elf.h"
#include "test.h"

#define SELF "/proc/self/exe"

int code_test_function(int x);

int __attribute__((noinline)) code_test_function(int x)
{
	return x * 3 + 1;
}

/* Where that function is in our own file. */
static int find_self(struct elffile *e, __u64 *start, __u64 *end)
{
	int fd = open(SELF, O_RDONLY);
	__u32 i;

	TEST_EQ(elffile_read(fd, e), 0);
	close(fd);
	for (i = 0; i < e->nr_symbols; i++) {
		if (strcmp(e->strings + e->symbols[i].name,
			   "code_test_function"))
			continue;
		*start = e->symbols[i].addr;
		*end = *start + e->symbols[i].size;
		return 0;
	}
	return 1;
}

TEST(code_of_a_file_is_what_runs)
{
	struct code code;
	struct elffile e;
	__u64 start, end;
	__u8 id[20];

	TEST_OK(!find_self(&e, &start, &end));
	memcpy(id, e.build_id, 20);
	TEST_EQ(code_read(SELF, 0, id, 20, start, end, &code), 0);
	TEST_EQ(code.size, end - start);
	TEST_OK(!memcmp(code.bytes, (void *)code_test_function, code.size));
	TEST_OK(!code.ia32);
	code_free(&code);
	/* no more than there is, and than the bound */
	TEST_EQ(code_read(SELF, 0, id, 20, start, ~0ull, &code), 0);
	TEST_OK(code.size > end - start && code.size <= CODE_MAX);
	code_free(&code);
	TEST_EQ(code_read(SELF, 0, id, 20, 1ull << 60, ~0ull, &code), -ENODATA);
	TEST_EQ(code_read(SELF, 0, id, 19, start, end, &code), -ESTALE);
	TEST_EQ(code_read(SELF, 0, id, 0, start, end, &code), -ESTALE);
	id[3]++;
	TEST_EQ(code_read(SELF, 0, id, 20, start, end, &code), -ESTALE);
	TEST_EQ(code_read("/dev/null", 0, id, 20, start, end, &code), -EINVAL);
	elffile_free(&e);
	return 0;
}

/* Our own file with sections of code that have no bytes, as in debug files. */
static int debug_file(void)
{
	int from = open(SELF, O_RDONLY), fd = memfd_create("debug", 0);
	char buf[65536];
	Elf64_Ehdr eh;
	Elf64_Shdr sh;
	unsigned int i;
	ssize_t n;
	off_t at;

	while ((n = read(from, buf, sizeof(buf))) > 0)
		if (write(fd, buf, n) != n)
			return -1;
	close(from);
	if (pread(fd, &eh, sizeof(eh), 0) != sizeof(eh))
		return -1;
	for (i = 0; i < eh.e_shnum; i++) {
		at = eh.e_shoff + i * sizeof(sh);
		if (pread(fd, &sh, sizeof(sh), at) != sizeof(sh))
			return -1;
		if (!(sh.sh_flags & SHF_EXECINSTR))
			continue;
		sh.sh_type = SHT_NOBITS;
		if (pwrite(fd, &sh, sizeof(sh), at) != sizeof(sh))
			return -1;
	}
	return fd;
}

TEST(debug_files_have_no_code_whatever_their_segments_say)
{
	struct code code;
	struct elffile e;
	__u64 start, end;
	char path[64];
	int fd = debug_file();

	TEST_OK(fd >= 0);
	sprintf(path, "/proc/self/fd/%d", fd);
	TEST_OK(!find_self(&e, &start, &end));
	TEST_EQ(code_read(path, 0, e.build_id, 20, start, end, &code),
		-ENODATA);
	close(fd);
	elffile_free(&e);
	return 0;
}

TEST(code_of_a_kernel_is_moved_and_checked)
{
	const __u64 moved = 0x7fffffff81000000ull;
	struct code code;
	struct elffile e;
	__u64 start, end, slide, text;

	TEST_OK(!find_self(&e, &start, &end));
	text = e.segments[0].vaddr + moved;
	TEST_EQ(code_read_kernel(SELF, e.build_id, 20, text, start + moved,
				 end + moved, &code, &slide),
		0);
	TEST_EQ(slide, moved);
	TEST_OK(!memcmp(code.bytes, (void *)code_test_function, end - start));
	code_free(&code);
	TEST_EQ(code_read_kernel(SELF, e.build_id, 20, text + 1, start + moved,
				 end + moved, &code, &slide),
		-ENXIO);
	elffile_free(&e);
	return 0;
}

static int core = -1;

/* A core file with 0x100 bytes of 0x90 at @vaddr; e_phnum as it says. */
static int make_core(__u64 vaddr, __u64 filesz, unsigned int phnum)
{
	struct {
		Elf64_Ehdr eh;
		Elf64_Phdr ph[2];
		__u8 bytes[0x100];
	} f = { 0 };
	int fd = memfd_create("core", 0);

	memcpy(f.eh.e_ident, ELFMAG, SELFMAG);
	f.eh.e_ident[EI_CLASS] = ELFCLASS64;
	f.eh.e_type = ET_CORE;
	f.eh.e_phoff = sizeof(f.eh);
	f.eh.e_phentsize = sizeof(f.ph[0]);
	f.eh.e_phnum = phnum;
	f.ph[0].p_type = PT_NOTE;
	f.ph[1].p_type = PT_LOAD;
	f.ph[1].p_vaddr = vaddr;
	f.ph[1].p_filesz = filesz;
	f.ph[1].p_offset = (char *)f.bytes - (char *)&f;
	memset(f.bytes, 0x90, sizeof(f.bytes));
	TEST_EQ(write(fd, &f, sizeof(f)), sizeof(f));
	core = fd;
	return 0;
}

TEST(code_of_a_running_kernel_is_at_its_address)
{
	const __u64 at = 0xffffffff81000000ull;
	struct code code;

	TEST_OK(!make_core(at, 0x100, 2));
	TEST_EQ(code_read_core(core, at + 0x10, at + 0x20, &code), 0);
	TEST_EQ(code.size, 0x10);
	TEST_EQ(code.bytes[15], 0x90);
	code_free(&code);
	TEST_EQ(code_read_core(core, at + 0xf0, at + 0x200, &code), 0);
	TEST_EQ(code.size, 0x10);
	code_free(&code);
	TEST_EQ(code_read_core(core, at - 1, at + 1, &code), -ENODATA);
	TEST_EQ(code_read_core(core, at + 0x100, at + 0x101, &code), -ENODATA);
	/* a file that ends before its headers, or its bytes, do */
	TEST_OK(!make_core(at, 1ull << 50, 2));
	TEST_EQ(code_read_core(core, at + 0x200, at + 0x300, &code), -ENODATA);
	TEST_OK(!make_core(at, 0, 200));
	TEST_EQ(code_read_core(core, at, at + 1, &code), -EBADMSG);
	core = open(SELF, O_RDONLY);
	TEST_EQ(code_read_core(core, at, at + 1, &code), -ENOEXEC);
	return 0;
}
