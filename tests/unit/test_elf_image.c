// SPDX-License-Identifier: GPL-2.0-only
/*
 * analyzer/introspect/elf_image*.c: the C library, which is stripped and has
 * what stripped files keep, with pages of it not known.
 */

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "introspect/elf_image.h"
#include "sym/elf.h"
#include "sym/symbol.h"
#include "test.h"

struct file {
	__u8 *bytes;
	size_t size;
	struct elffile elf;
	/* pages that are known: all but those behind, and one in so many */
	size_t end;
	unsigned int lacks_one_in;
	int error; /* instead of -ENOENT */
};

static struct file lib;

static int read_page(void *arg, __u64 offset, void *buf, size_t size)
{
	const struct file *f = arg;
	unsigned int page = offset / 4096;

	if (offset % 4096 + size > 4096 || offset + size > f->size)
		return -EINVAL;
	if (page * 4096ul >= f->end ||
	    (f->lacks_one_in && page * 2654435761u % f->lacks_one_in == 0 &&
	     page))
		return f->error;
	memcpy(buf, f->bytes + offset, size);
	return 0;
}

/* The C library of this process. */
static int begin(void)
{
	char line[512], *path = NULL;
	FILE *maps = fopen("/proc/self/maps", "r");
	struct stat st;
	int fd;

	while (!path && fgets(line, sizeof(line), maps))
		if (strstr(line, "/libc.so.6"))
			path = strchr(line, '/');
	fclose(maps);
	TEST_OK(path);
	path[strcspn(path, "\n")] = '\0';
	fd = open(path, O_RDONLY);
	TEST_OK(fd >= 0);
	TEST_EQ(elffile_read(fd, &lib.elf), 0);
	fstat(fd, &st);
	lib.size = st.st_size;
	lib.bytes = malloc(lib.size);
	TEST_EQ(read(fd, lib.bytes, lib.size), (ssize_t)lib.size);
	lib.end = lib.size;
	lib.lacks_one_in = 0;
	lib.error = -ENOENT;
	close(fd);
	return 0;
}

static int end(void)
{
	elffile_free(&lib.elf);
	free(lib.bytes);
	return 0;
}

static int make(struct elf_image *image, struct elffile *elf)
{
	const struct elf_bytes b = { read_page, &lib, lib.size, 0 };
	int err = elf_image_make(&b, image);

	memset(elf, 0, sizeof(*elf));
	return err ?: elffile_read_memory(image->bytes, image->size, elf);
}

/* Of several names of one address another one may be known. */
static bool has_alias(__u64 addr, const char *name)
{
	struct elf_section syms, names;
	const Elf64_Sym *s;
	bool found = false;
	size_t i;

	if (elffile_section_memory(lib.bytes, lib.size, ".dynsym", &syms))
		return false;
	if (!elffile_section_memory(lib.bytes, lib.size, ".dynstr", &names)) {
		s = syms.bytes;
		for (i = 0; i < syms.size / sizeof(*s) && !found; i++)
			found = s[i].st_value == addr &&
				!strcmp((char *)names.bytes + s[i].st_name,
					name);
		free(names.bytes);
	}
	free(syms.bytes);
	return found;
}

/* How many have names and bounds; each of them is one of the file's own. */
static int check(const struct elffile *elf, size_t *names, size_t *bounds)
{
	struct symbols own;
	__u32 i;

	symbols_of_elf(&own, &lib.elf);
	*names = *bounds = 0;
	for (i = 0; i < elf->nr_symbols; i++) {
		const struct vmmprof_symbol *s = &elf->symbols[i];
		const char *name = elf->strings + s->name;
		const char *want = symbols_find(&own, s->addr);
		__u64 start, stop;

		TEST_OK(want);
		if (!*name) {
			TEST_OK(symbols_extent(&own, s->addr, &start, &stop));
			TEST_EQ(start, s->addr);
			++*bounds;
			continue;
		}
		/* a stub by another alias, its resolver's address or its section */
		TEST_OK(!strcmp(name, want) || has_alias(s->addr, name) ||
			(strstr(want, "@plt") &&
			 (strstr(name, "@plt") || *name == '.')));
		++*names;
	}
	return 0;
}

static int same_segments(const struct elffile *elf)
{
	TEST_EQ(elf->nr_segments, lib.elf.nr_segments);
	TEST_OK(!memcmp(elf->segments, lib.elf.segments,
			elf->nr_segments * sizeof(*elf->segments)));
	return 0;
}

TEST(a_file_of_which_all_is_known_is_as_it_is)
{
	struct elf_image image;
	struct elffile elf;

	TEST_EQ(begin(), 0);
	TEST_EQ(make(&image, &elf), 0);
	TEST_OK(image.sections && !image.lacks && !image.large);
	TEST_EQ(same_segments(&elf), 0);
	TEST_EQ(image.build_id_size, 20);
	TEST_OK(!memcmp(image.build_id, lib.elf.build_id, 20));
	TEST_EQ(elf.nr_symbols, lib.elf.nr_symbols);
	TEST_EQ(elf.strings_size, lib.elf.strings_size);
	TEST_OK(!memcmp(elf.symbols, lib.elf.symbols,
			elf.nr_symbols * sizeof(*elf.symbols)));
	TEST_OK(!memcmp(elf.strings, lib.elf.strings, elf.strings_size));
	elffile_free(&elf);
	elf_image_deinit(&image);
	return end();
}

TEST(without_section_headers_its_segments_lead_to_the_same)
{
	struct elf_section own, got;
	struct elf_image image;
	size_t names, bounds;
	struct elffile elf;

	TEST_EQ(begin(), 0);
	lib.end = lib.size - 4096; /* they are at its end */
	TEST_EQ(make(&image, &elf), 0);
	TEST_OK(!image.sections && image.lacks);
	TEST_EQ(same_segments(&elf), 0);
	TEST_EQ(image.build_id_size, 20);
	TEST_EQ(check(&elf, &names, &bounds), 0);
	/* but names of stubs, which sections have */
	TEST_OK(names > 2000);
	TEST_OK(names + bounds > lib.elf.nr_symbols - 100);
	TEST_EQ(elffile_section_memory(lib.bytes, lib.size, ".eh_frame", &own),
		0);
	TEST_EQ(elffile_section_memory(image.bytes, image.size, ".eh_frame",
				       &got),
		0);
	TEST_EQ(got.addr, own.addr);
	TEST_OK(got.size >= own.size);
	TEST_OK(!memcmp(got.bytes, own.bytes, own.size));
	free(own.bytes);
	free(got.bytes);
	elffile_free(&elf);
	elf_image_deinit(&image);
	return end();
}

TEST(pages_that_lack_cost_names_and_make_no_wrong_ones)
{
	struct elf_image image;
	size_t names, bounds, with_names = 0, lacking = 0;
	struct elffile elf;
	unsigned int n;

	TEST_EQ(begin(), 0);
	for (n = 2; n < 40; n++) {
		lib.lacks_one_in = n;
		TEST_EQ(make(&image, &elf), 0);
		TEST_EQ(same_segments(&elf), 0);
		TEST_EQ(check(&elf, &names, &bounds), 0);
		TEST_OK(image.lacks || elf.nr_symbols == lib.elf.nr_symbols);
		lacking += image.lacks;
		with_names += names > 0;
		elffile_free(&elf);
		elf_image_deinit(&image);
	}
	TEST_OK(with_names > 20 && lacking > 20);
	return end();
}

TEST(what_is_no_program_is_refused)
{
	struct elf_image image;
	struct elffile elf;
	size_t i;

	TEST_EQ(begin(), 0);
	lib.end = 0;
	TEST_EQ(make(&image, &elf), -ENOENT);
	TEST_OK(!image.bytes);
	lib.end = lib.size;
	lib.lacks_one_in = 1;
	lib.error = -EDQUOT;
	TEST_EQ(make(&image, &elf), -EDQUOT);
	lib.lacks_one_in = 0;
	lib.bytes[0] = 0;
	TEST_EQ(make(&image, &elf), -EBADMSG);
	lib.bytes[0] = 0x7f;
	/* whatever its headers say */
	for (i = 16; i < 1024; i++) {
		lib.bytes[i] ^= 0xff;
		if (!make(&image, &elf))
			elffile_free(&elf);
		elf_image_deinit(&image);
		lib.bytes[i] ^= 0xff;
	}
	return end();
}

#define LONG_NAMES   (16u << 20)
#define LONG_SYMBOLS 1000u

/* A program whose names are one, of 16 MiB: each symbol has it. */
static void make_long_names(void)
{
	static const char names[] = "\0.text";
	const size_t symbols = 4096 + LONG_NAMES;
	const Elf64_Ehdr eh = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_shoff = 0x400,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 5,
		.e_shstrndx = 4,
	};
	const Elf64_Shdr sh[5] = {
		[1] = { .sh_type = SHT_SYMTAB,
			.sh_link = 2,
			.sh_offset = symbols,
			.sh_entsize = sizeof(Elf64_Sym),
			.sh_size = LONG_SYMBOLS * sizeof(Elf64_Sym) },
		[2] = { .sh_type = SHT_STRTAB,
			.sh_offset = 4096,
			.sh_size = LONG_NAMES },
		[3] = { .sh_name = 1,
			.sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			.sh_addr = 0x1000,
			.sh_size = LONG_SYMBOLS * 16 },
		[4] = { .sh_type = SHT_STRTAB,
			.sh_offset = 0x800,
			.sh_size = sizeof(names) },
	};
	unsigned int i;

	memset(&lib, 0, sizeof(lib));
	lib.size = symbols + LONG_SYMBOLS * sizeof(Elf64_Sym);
	lib.end = lib.size;
	lib.error = -ENOENT;
	lib.bytes = calloc(1, lib.size);
	memcpy(lib.bytes, &eh, sizeof(eh));
	memcpy(lib.bytes + 0x400, sh, sizeof(sh));
	memcpy(lib.bytes + 0x800, names, sizeof(names));
	memset(lib.bytes + 4096, 'A', LONG_NAMES - 1);
	for (i = 0; i < LONG_SYMBOLS; i++) {
		const Elf64_Sym s = {
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = 3,
			.st_value = 0x1000 + i * 16,
			.st_size = 16,
		};

		memcpy(lib.bytes + symbols + i * sizeof(s), &s, sizeof(s));
	}
}

TEST(names_as_large_as_their_section_are_cut)
{
	struct elf_image image;
	struct elffile elf;
	__u32 i;

	make_long_names();
	TEST_EQ(make(&image, &elf), 0);
	TEST_OK(image.sections && !image.lacks && !image.large);
	TEST_EQ(elf.nr_symbols, LONG_SYMBOLS);
	for (i = 0; i < elf.nr_symbols; i++)
		TEST_EQ(strlen(elf.strings + elf.symbols[i].name), 4096);
	elffile_free(&elf);
	elf_image_deinit(&image);
	/* one that is not known up to there is no name: page 1 alone */
	lib.lacks_one_in = 2654435761u;
	TEST_EQ(make(&image, &elf), 0);
	TEST_OK(image.lacks);
	TEST_EQ(elf.nr_symbols, 0);
	elffile_free(&elf);
	elf_image_deinit(&image);
	free(lib.bytes);
	return 0;
}

TEST(a_file_s_symbols_are_read_until_it_is_late)
{
	struct elf_bytes b = { read_page, &lib, 0, 1 };
	struct elf_image image;

	make_long_names();
	b.size = lib.size;
	TEST_EQ(elf_image_make(&b, &image), -EDQUOT);
	TEST_OK(!image.bytes);
	b.until_ns = ~0ull;
	TEST_EQ(elf_image_make(&b, &image), 0);
	elf_image_deinit(&image);
	free(lib.bytes);
	return 0;
}
