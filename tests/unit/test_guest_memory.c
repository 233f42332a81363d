// SPDX-License-Identifier: GPL-2.0-only
/* analyzer/introspect/guest_memory.c, guest_space.c, elf_note.c. */

#include <elf.h>

#include "tests/gen/guest_make.h"
#include "introspect/elf_note.h"
#include "test.h"

TEST(memory_that_could_be_written_is_refused)
{
	const struct guest_slot slot = { 0, 4096, 0 };
	struct guest_memory m;
	int fd = memfd_create("x", 0);

	TEST_EQ(guest_memory_init(&m, fd, &slot, 1), -EPERM);
	TEST_EQ(guest_memory_init(&m, -1, &slot, 1), -EBADF);
	close(fd);
	return 0;
}

TEST(slots_that_make_no_sense_are_refused)
{
	static const struct guest_slot bad[][2] = {
		{ { 0, 8192, 0 }, { 4096, 4096, 65536 } }, /* overlap */
		{ { 0, 4096, 0 }, { 0, 4096, 0 } },
		{ { 0, 4096, 0 }, { 8192, 0, 0 } },
		{ { 0, 4096, 0 }, { 8192, 100, 0 } },
		{ { 0, 4096, 0 }, { 8192, 4096, 1 } },
		{ { 0, 4096, 0 }, { -4096ull, 8192, 0 } },
		{ { 0, 4096, 0 }, { 8192, 8192, -4096ull } },
	};
	struct guest_memory m;
	int fd = open("/dev/zero", O_RDONLY);
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		TEST_EQ(guest_memory_init(&m, fd, bad[i], 2), -EINVAL);
	TEST_EQ(guest_memory_init(&m, fd, bad[0], 0), -EINVAL);
	close(fd);
	return 0;
}

TEST(reads_cross_slots_and_end_with_them)
{
	struct made m;
	char buf[16];

	TEST_EQ(made_init(&m), 0);
	memcpy(m.mem + 0x100000 - 4, "12345678", 8);
	TEST_EQ(guest_memory_read(&m.guest, 0x100000 - 4, buf, 8), 0);
	TEST_OK(!memcmp(buf, "12345678", 8));
	TEST_EQ(guest_memory_read(&m.guest, MADE_SIZE - 4, buf, 4), 0);
	TEST_EQ(guest_memory_read(&m.guest, MADE_SIZE - 4, buf, 5), -EFAULT);
	TEST_EQ(guest_memory_read(&m.guest, MADE_SIZE, buf, 1), -EFAULT);
	TEST_EQ(guest_memory_read(&m.guest, -1ull, buf, 1), -EFAULT);
	made_deinit(&m);
	return 0;
}

TEST(reads_are_taken_from_a_budget)
{
	struct made m;
	char buf[4096];

	TEST_EQ(made_init(&m), 0);
	guest_memory_budget(&m.guest, 2, 100);
	TEST_EQ(guest_memory_read(&m.guest, 0, buf, 60), 0);
	TEST_EQ(guest_memory_read(&m.guest, 0, buf, 60), -EDQUOT);
	TEST_EQ(guest_memory_read(&m.guest, 0, buf, 40), 0);
	TEST_EQ(guest_memory_read(&m.guest, 0, buf, 0), 0);
	TEST_EQ(guest_memory_read(&m.guest, 0, buf, 1), -EDQUOT);
	made_deinit(&m);
	return 0;
}

TEST(memory_that_is_gone_is_said)
{
	const struct guest_slot slot = { 0, 1 << 20, 0 };
	struct guest_memory m;
	int fd = open("/dev/null", O_RDONLY);
	char c;

	TEST_EQ(guest_memory_init(&m, fd, &slot, 1), 0);
	TEST_EQ(guest_memory_read(&m, 0, &c, 1), -ENODATA);
	guest_memory_deinit(&m);
	close(fd);
	return 0;
}

TEST(pages_of_all_sizes_are_found)
{
	struct made m;
	struct guest_page page;
	__u64 span;

	TEST_EQ(made_init(&m), 0);
	/* user 0x400000: 4 KiB at 0x7000; 0x600000: 2 MiB at 2 MiB, PAT set */
	made_entry(&m, MADE_ROOT, 0, 0x3000 | P | W | U);
	made_entry(&m, 0x3000, 0, 0x4000 | P | W | U);
	made_entry(&m, 0x4000, 2, 0x5000 | P | W | U);
	made_entry(&m, 0x5000, 0, 0x7000 | P | U);
	made_entry(&m, 0x4000, 3, 0x200000 | 0x1000 | P | W | LARGE | NX);
	TEST_EQ(guest_space_page(&m.space, 0x400123, &page, &span), 0);
	TEST_EQ(page.gpa, 0x7123);
	TEST_EQ(page.size, 4096);
	TEST_EQ(span, 4096 - 0x123);
	TEST_OK(!page.write && page.user && page.exec);
	TEST_EQ(guest_space_page(&m.space, 0x612345, &page, &span), 0);
	TEST_EQ(page.gpa, 0x212345);
	TEST_EQ(page.size, 2 << 20);
	TEST_OK(page.write && !page.user && !page.exec);
	TEST_EQ(guest_space_page(&m.space, MADE_DIRECT + 0x1234, &page, NULL),
		0);
	TEST_EQ(page.gpa, 0x1234);
	TEST_EQ(page.size, 1 << 30);
	/* nothing, at each level */
	TEST_EQ(guest_space_page(&m.space, 0x401000, &page, &span), -ENOENT);
	TEST_EQ(span, 4096);
	TEST_EQ(guest_space_page(&m.space, 0x800000, &page, &span), -ENOENT);
	TEST_EQ(span, 2 << 20);
	TEST_EQ(guest_space_page(&m.space, 0x40000000, &page, &span), -ENOENT);
	TEST_EQ(span, 1 << 30);
	TEST_EQ(guest_space_page(&m.space, 1ull << 39, &page, &span), -ENOENT);
	TEST_EQ(span, 1ull << 39);
	made_deinit(&m);
	return 0;
}

TEST(five_levels_are_walked)
{
	struct made m;
	struct guest_page page;
	const __u64 va = 0x00ab000000400010ull;

	TEST_EQ(made_init(&m), 0);
	TEST_EQ(guest_space_page(&m.space, va, &page, NULL), -EFAULT);
	m.space.la57 = true;
	m.space.root = 0x6000;
	made_entry(&m, 0x6000, 0xab, 0x7000 | P);
	made_entry(&m, 0x7000, 0, 0x8000 | P);
	made_entry(&m, 0x8000, 0, 0x9000 | P);
	made_entry(&m, 0x9000, 2, 0x400000 | P | LARGE);
	TEST_EQ(guest_space_page(&m.space, va, &page, NULL), 0);
	TEST_EQ(page.gpa, 0x400010);
	TEST_EQ(guest_space_page(&m.space, 0x0200000000000000ull, &page, NULL),
		-EFAULT);
	made_deinit(&m);
	return 0;
}

TEST(page_tables_that_lead_astray_end)
{
	struct made m;
	struct guest_page page;
	__u64 word;

	TEST_EQ(made_init(&m), 0);
	/* a table that is its own, one outside, a reserved large page */
	made_entry(&m, MADE_ROOT, 1, MADE_ROOT | P | W);
	made_entry(&m, MADE_ROOT, 2, 0xffffffffff000ull | P);
	made_entry(&m, MADE_ROOT, 3, 0x3000 | P | LARGE);
	guest_memory_budget(&m.guest, 100, 100 * 4096);
	TEST_EQ(guest_space_page(&m.space,
				 1ull << 39 | 1ull << 30 | 1 << 21 | 1 << 12,
				 &page, NULL),
		0);
	TEST_EQ(page.gpa, MADE_ROOT);
	TEST_EQ(guest_space_page(&m.space, 2ull << 39, &page, NULL), -EFAULT);
	TEST_EQ(guest_space_page(&m.space, 3ull << 39, &page, NULL), -EFAULT);
	/* What is mapped is in no slot. */
	TEST_EQ(guest_space_u64(&m.space, MADE_DIRECT + MADE_SIZE, &word),
		-EFAULT);
	TEST_OK(m.guest.reads > 90);
	made_deinit(&m);
	return 0;
}

TEST(tables_are_read_again_when_asked)
{
	struct made m;
	__u64 word;

	TEST_EQ(made_init(&m), 0);
	made_word(&m, 0x20000, 1234);
	TEST_EQ(guest_space_u64(&m.space, MADE_DIRECT + 0x20000, &word), 0);
	TEST_EQ(word, 1234);
	made_entry(&m, 0x2000, 0, 0);
	TEST_EQ(guest_space_u64(&m.space, MADE_DIRECT + 0x20000, &word), 0);
	guest_memory_forget(&m.guest);
	TEST_EQ(guest_space_u64(&m.space, MADE_DIRECT + 0x20000, &word),
		-ENOENT);
	made_deinit(&m);
	return 0;
}

TEST(strings_end_within_their_bound)
{
	struct made m;
	char buf[100];

	TEST_EQ(made_init(&m), 0);
	memset(m.mem + 0x20000, 'x', 1000);
	TEST_EQ(guest_space_string(&m.space, MADE_DIRECT + 0x20000, buf, 100),
		-ENAMETOOLONG);
	m.mem[0x20063] = 0;
	TEST_EQ(guest_space_string(&m.space, MADE_DIRECT + 0x20000, buf, 100),
		-ENAMETOOLONG);
	m.mem[0x20062] = 0;
	TEST_EQ(guest_space_string(&m.space, MADE_DIRECT + 0x20000, buf, 100),
		98);
	/* The page behind it is not there, and not needed. */
	strcpy((char *)m.mem + MADE_SIZE - 5, "last");
	TEST_EQ(guest_space_string(&m.space, MADE_DIRECT + MADE_SIZE - 5, buf,
				   100),
		4);
	TEST_STR(buf, "last");
	made_deinit(&m);
	return 0;
}

/* An ELF file mapped at 0x30000 of the direct map; its note at 0x300. */
static void make_elf(struct made *m)
{
	const __u32 note[] = { 4, 20, NT_GNU_BUILD_ID, 0x554e47, 1, 2, 3, 4, 5 };
	const Elf64_Ehdr file = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB },
		.e_phoff = 64,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
	};
	const Elf64_Phdr headers[] = {
		{ .p_type = PT_LOAD, .p_vaddr = 0x400000 },
		{ .p_type = PT_NOTE,
		  .p_offset = 0x300,
		  .p_vaddr = 0x400300,
		  .p_filesz = sizeof(note) },
	};

	memcpy(m->mem + 0x30000, &file, sizeof(file));
	memcpy(m->mem + 0x30000 + 64, headers, sizeof(headers));
	memcpy(m->mem + 0x30300, note, sizeof(note));
}

TEST(build_ids_come_from_mapped_headers)
{
	static const __u32 want[5] = { 1, 2, 3, 4, 5 };
	Elf64_Ehdr *file;
	Elf64_Phdr *headers;
	struct made m;
	__u8 id[20];

	TEST_EQ(made_init(&m), 0);
	make_elf(&m);
	file = (void *)(m.mem + 0x30000);
	headers = (void *)(m.mem + 0x30000 + 64);
	TEST_EQ(elf_note_read(&m.space, MADE_DIRECT + 0x30000, id), 20);
	TEST_OK(!memcmp(id, want, 20));
	/* a note elsewhere, without end, longer than the segment */
	headers[1].p_vaddr = 0x10000000;
	TEST_EQ(elf_note_read(&m.space, MADE_DIRECT + 0x30000, id), -EFAULT);
	headers[1].p_vaddr = 1ull << 45;
	TEST_EQ(elf_note_read(&m.space, MADE_DIRECT + 0x30000, id), -ENOENT);
	headers[1].p_vaddr = 0x400300;
	headers[1].p_filesz = -1ull;
	TEST_EQ(elf_note_read(&m.space, MADE_DIRECT + 0x30000, id), 0);
	headers[1].p_filesz = 35;
	TEST_EQ(elf_note_read(&m.space, MADE_DIRECT + 0x30000, id), 0);
	headers[1].p_filesz = 36;
	((__u32 *)(m.mem + 0x30300))[0] = 0xffffffff;
	TEST_EQ(elf_note_read(&m.space, MADE_DIRECT + 0x30000, id), 0);
	((__u32 *)(m.mem + 0x30300))[0] = 4;
	((__u32 *)(m.mem + 0x30300))[1] = 0xfffffffd;
	TEST_EQ(elf_note_read(&m.space, MADE_DIRECT + 0x30000, id), 0);
	/* too many headers, none that is loaded, another format */
	file->e_phnum = 65;
	TEST_EQ(elf_note_read(&m.space, MADE_DIRECT + 0x30000, id), -EBADMSG);
	file->e_phnum = 2;
	headers[0].p_type = PT_NULL;
	TEST_EQ(elf_note_read(&m.space, MADE_DIRECT + 0x30000, id), -EBADMSG);
	file->e_ident[EI_CLASS] = 3;
	TEST_EQ(elf_note_read(&m.space, MADE_DIRECT + 0x30000, id), -EBADMSG);
	made_deinit(&m);
	return 0;
}
