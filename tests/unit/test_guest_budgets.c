// SPDX-License-Identifier: GPL-2.0-only
/*
 * analyzer/introspect/bundle*.c: what one process or one file takes of the budget
 * lacks nothing that others need, and what is left out is told.
 */

#include "format/bundle.h"
#include "introspect/bundle.h"
#include "introspect/elf_image.h"
#include "sym/symbol.h"
#include "tests/gen/guest_kernel_make.h"
#include "guest_tree.h"
#include "test.h"

/* Another file, whose first page is HUGE_PAGE; physical addresses. */
enum {
	HUGE_FILE = 0x20000,
	HUGE_INODE = 0x20040,
	HUGE_MAPPING = 0x20080,
	HUGE_DENTRY = 0x20100,
	HUGE_NAME = 0x20180,
	HUGE_NODES = 0x20400, /* 1 KiB each: of the shift 6 * i */
	HUGE_PAGE = 0x18000,
	HUGE_STRUCT = PAGES + (HUGE_PAGE - CONTENT) / GUEST_PAGE * 64,
	MANY_VMAS = 0x200000,
};

#define MANY	   36000
#define HUGE_SIZE  0x10000000000ull /* 1 TiB */
#define HUGE_TABLE (47ull << 20)    /* less than ELF_IMAGE_MAX */

static struct made m;
static struct guest_kernel k;
static struct guest_bundle_stat stat;

/* A program with a table of @size bytes of symbols, of which no page is there. */
static void huge_program(__u64 size)
{
	const Elf64_Ehdr eh = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_phoff = 0x40,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shoff = 0x100,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 2,
	};
	const Elf64_Phdr ph = {
		.p_type = PT_LOAD,
		.p_flags = PF_X,
		.p_filesz = 1 << 20,
	};
	const Elf64_Shdr sh[3] = {
		[1] = { .sh_type = SHT_DYNSYM,
			.sh_link = 2,
			.sh_offset = 1 << 20,
			.sh_size = size },
		[2] = { .sh_type = SHT_STRTAB,
			.sh_offset = 0x200,
			.sh_size = 8 },
	};

	memcpy(m.mem + HUGE_PAGE, &eh, sizeof(eh));
	memcpy(m.mem + HUGE_PAGE + 0x40, &ph, sizeof(ph));
	memcpy(m.mem + HUGE_PAGE + 0x100, sh, sizeof(sh));
}

/*
 * It is the first one that is mapped, "/mnt/a/huge".  Its tree of pages has as
 * many levels as there can be, and below the lowest nothing but page 0.
 */
static void huge_file(void)
{
	int i;

	memcpy(m.mem + HUGE_FILE, m.mem + FILE_1, 64);
	made_word(&m, HUGE_FILE + 8, D(HUGE_DENTRY));
	made_word(&m, HUGE_FILE + 16, D(HUGE_INODE));
	made_word(&m, HUGE_FILE + 24, D(HUGE_MAPPING));
	made_word(&m, HUGE_INODE, 4321);
	made_word(&m, HUGE_INODE + 8, D(SUPER));
	made_word(&m, HUGE_INODE + 16, HUGE_SIZE);
	memcpy(m.mem + HUGE_DENTRY, m.mem + DENTRIES + 4 * 64, 64);
	memcpy(m.mem + HUGE_DENTRY + 12, &(__u32){ 4 }, 4);
	made_word(&m, HUGE_DENTRY + 16, D(HUGE_NAME));
	strcpy((char *)m.mem + HUGE_NAME, "huge");
	made_word(&m, HUGE_MAPPING, D(HUGE_INODE));
	made_word(&m, HUGE_MAPPING + 8, D(HUGE_NODES + 10 * 1024) | 2);
	for (i = 0; i <= 10; i++) {
		const __u64 node = HUGE_NODES + i * 1024;

		m.mem[node] = 6 * i;
		made_word(&m, node + 8,
			  i ? D(node - 1024) | 2 : D(HUGE_STRUCT));
	}
	made_word(&m, HUGE_STRUCT, 1 << 3);
	made_word(&m, HUGE_STRUCT + 24, D(HUGE_MAPPING));
	made_word(&m, HUGE_STRUCT + 32, 0);
	made_word(&m, VMAS + 56, D(HUGE_FILE));
}

static int begin(void)
{
	TEST_EQ(made_init(&m), 0);
	made_guest(&m, &k);
	TEST_EQ(guest_tree_load(&m), 0);
	huge_file();
	k.phys_mask = GUEST_CR3_ADDRESS;
	return 0;
}

static int bundle_of(struct bundle *ret)
{
	struct problems problems = { 0 };
	struct item_writer w;
	int fd = memfd_create("bundle", 0), copy = dup(fd), err;

	err = item_writer_begin(&w, fd, VMMPROF_FILE_MAPS);
	err = err ?: guest_bundle_write(&k, -1, false, &w, &stat);
	err = item_writer_close(&w, true) ?: err;
	lseek(copy, 0, SEEK_SET);
	if (!err)
		err = bundle_init(ret, copy, "bundle", &problems);
	close(copy);
	problems_deinit(&problems);
	return err;
}

static const struct bundle_file *file_of(const struct bundle *b,
					 const char *path)
{
	size_t i;

	for (i = 0; i < b->nr_files; i++)
		if (!strcmp(b->files[i].item->path, path))
			return &b->files[i];
	return NULL;
}

/* How many functions are known of a file; -1: there is no such file. */
static int functions_of(const struct bundle *b, const char *path)
{
	const struct bundle_file *f = file_of(b, path);
	struct symbols s;
	int n = 0;
	__u32 i;

	if (!f || !f->symtab || symbols_init(&s, f->symtab))
		return f ? 0 : -1;
	for (i = 0; i < s.nr_symbols; i++)
		n += s.strings[s.symbols[i].name] != '\0';
	symbols_deinit(&s);
	return n;
}

static bool noted(const struct bundle *b, const char *words)
{
	size_t i;

	for (i = 0; i < b->nr_notes; i++)
		if (strstr(b->notes[i], words))
			return true;
	return false;
}

TEST(a_table_of_symbols_that_is_too_large_is_told)
{
	struct bundle b;

	TEST_EQ(begin(), 0);
	huge_program(ELF_IMAGE_MAX + 4096ull);
	TEST_EQ(bundle_of(&b), 0);
	TEST_EQ(functions_of(&b, "/mnt/a/huge"), 0);
	TEST_OK(functions_of(&b, "/mnt/a/b c") >= 3);
	TEST_EQ(stat.files_left, 1);
	TEST_OK(noted(&b, "symbols of 1 mapped files are left out"));
	TEST_OK(!stat.out_of_budget);
	return guest_tree_end(&m, &b);
}

TEST(a_file_that_takes_its_budget_leaves_the_next_one_its_own)
{
	struct guest_memory *mem = &m.guest;
	struct bundle b;

	TEST_EQ(begin(), 0);
	huge_program(HUGE_TABLE);
	TEST_EQ(bundle_of(&b), 0);
	TEST_EQ(functions_of(&b, "/mnt/a/huge"), 0);
	TEST_EQ(file_of(&b, "/mnt/a/huge")->item->flags, VMMPROF_FILE_F_UNREAD);
	TEST_OK(functions_of(&b, "/mnt/a/b c") >= 3);
	TEST_EQ(stat.files_left, 1);
	TEST_OK(noted(&b, "symbols of 1 mapped files are left out"));
	TEST_OK(!stat.out_of_budget);
	/* 96 MiB or 400,000 reads, and not more */
	TEST_OK(GUEST_READ_BYTES - mem->bytes < 97u << 20);
	TEST_OK(GUEST_READS - mem->reads < 401000);
	TEST_OK(GUEST_READ_BYTES - mem->bytes > 95u << 20 ||
		GUEST_READS - mem->reads > 399000);
	return guest_tree_end(&m, &b);
}

TEST(a_program_with_damaged_headers_costs_itself)
{
	static const struct {
		size_t at, size;
		__u64 value;
	} damage[] = {
		{ offsetof(Elf64_Ehdr, e_phnum), 2, 0xffff },
		{ offsetof(Elf64_Ehdr, e_phentsize), 2, 32 },
		{ offsetof(Elf64_Ehdr, e_phoff), 8, -8ull },
		/* half of one in the file */
		{ offsetof(Elf64_Ehdr, e_phoff), 8, HUGE_SIZE - 8 },
	};
	struct bundle b;
	size_t i;

	for (i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
		TEST_EQ(begin(), 0);
		huge_program(4096);
		memcpy(m.mem + HUGE_PAGE + damage[i].at, &damage[i].value,
		       damage[i].size);
		TEST_EQ(bundle_of(&b), 0);
		TEST_EQ(file_of(&b, "/mnt/a/huge")->item->flags,
			VMMPROF_FILE_F_UNREAD);
		TEST_OK(!file_of(&b, "/mnt/a/huge")->symtab);
		TEST_OK(functions_of(&b, "/mnt/a/b c") >= 3);
		TEST_EQ(guest_tree_end(&m, &b), 0);
	}
	return 0;
}

/* Process 1 has many mappings in a list, process 2 those that it had. */
static void many_mappings(int nr)
{
	int i;

	k.members.lacks[GUEST_VMA_TREE] = GUEST_MM_MT;
	made_word(&m, MM_1 + 8, D(MANY_VMAS));
	for (i = 0; i < nr; i++) {
		const __u64 at = MANY_VMAS + i * 128;

		made_word(&m, at, (i + 1ull) << 20);
		made_word(&m, at + 8, ((i + 1ull) << 20) + 0x1000);
		made_word(&m, at + 16, D(MM_1));
		made_word(&m, at + 24, GUEST_VM_EXEC | 1);
		made_word(&m, at + 56, D(FILE_1));
		made_word(&m, at + 64, i + 1 < nr ? D(at + 128) : 0);
	}
}

static size_t maps_of(const struct bundle *b, __u32 pid)
{
	size_t i, n = 0;

	for (i = 0; i < b->nr_maps; i++)
		n += b->maps[i]->pid == pid;
	return n;
}

TEST(a_process_with_too_many_mappings_leaves_others_theirs)
{
	struct guest_memory *mem = &m.guest;
	struct bundle b;

	TEST_EQ(begin(), 0);
	many_mappings(MANY);
	TEST_EQ(bundle_of(&b), 0);
	TEST_EQ(stat.many, 1);
	TEST_OK(noted(&b, "mappings of 1 processes are left out in part"));
	TEST_OK(maps_of(&b, 1) > 10000 && maps_of(&b, 1) < MANY);
	TEST_EQ(maps_of(&b, 2), 4);
	TEST_OK(!stat.out_of_budget && !stat.torn);
	TEST_OK(mem->reads > GUEST_READS / 2);
	TEST_EQ(guest_tree_end(&m, &b), 0);
	/* of fewer all are there */
	TEST_EQ(begin(), 0);
	many_mappings(3000);
	TEST_EQ(bundle_of(&b), 0);
	TEST_EQ(stat.many, 0);
	TEST_EQ(maps_of(&b, 1), 3000);
	TEST_EQ(maps_of(&b, 2), 4);
	TEST_EQ(b.nr_notes, 0);
	return guest_tree_end(&m, &b);
}

TEST(mappings_end_with_the_budget)
{
	struct guest_vmas v;

	TEST_EQ(begin(), 0);
	many_mappings(100);
	guest_memory_budget(&m.guest, 40, 1 << 20);
	TEST_EQ(guest_vmas_read(&k, D(MM_1), &v), 0);
	TEST_OK(v.many && !v.torn);
	TEST_OK(v.nr > 10 && v.nr < 40);
	guest_vmas_deinit(&v);
	made_deinit(&m);
	return 0;
}

TEST(a_part_of_a_budget_gives_back_what_is_left)
{
	struct guest_budget rest;
	char buf[64];

	TEST_EQ(begin(), 0);
	guest_memory_budget(&m.guest, 10, 1000);
	guest_memory_part(&m.guest, 2, 100, &rest);
	TEST_EQ(guest_memory_read(&m.guest, 0, buf, 64), 0);
	TEST_EQ(guest_memory_read(&m.guest, 0, buf, 64), -EDQUOT);
	TEST_EQ(guest_memory_read(&m.guest, 0, buf, 10), 0);
	TEST_EQ(guest_memory_read(&m.guest, 0, buf, 1), -EDQUOT);
	guest_memory_whole(&m.guest, &rest);
	TEST_EQ(m.guest.reads, 8);
	TEST_EQ(m.guest.bytes, 1000 - 74);
	/* no more than there is */
	guest_memory_part(&m.guest, 20, 100, &rest);
	TEST_EQ(m.guest.reads, 8);
	TEST_EQ(rest.reads, 0);
	made_deinit(&m);
	return 0;
}
