// SPDX-License-Identifier: GPL-2.0-only
/* The running kernel's code is given away, and nothing else of its memory. */

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "tree.h"
#include "host/kernel_text.h"
#include "os/text_ranges.h"

#define TEXT   0xffffffff81000000ull
#define MODULE 0xffffffffc0100000ull
#define BOOT   "9a4d7dcb-7ad9-4d2e-8f6a-1c5f5a2b6c11"

/* The image has 8 pages; of the module there are 6, its functions in two. */
static const char kallsyms[] = "0000000000000000 A fixed_percpu_data\n"
			       "ffffffff81000000 T _text\n"
			       "ffffffff81000000 T _stext\n"
			       "ffffffff81000010 T copy\n"
			       "ffffffff81002345 T _etext\n"
			       "ffffffff81004000 D secret\n"
			       "ffffffff81006000 T _sinittext\n"
			       "ffffffffc0100010 t first\t[mod]\n"
			       "ffffffffc0101ff0 t last\t[mod]\n"
			       "ffffffffc0103000 d table\t[mod]\n"
			       "ffffffffc0200000 t init\t[mod]\n"
			       "ffffffffc0108000 t going\t[gone]\n"
			       "ffffffffc0300000 t bpf_prog_1\t[bpf]\n";
static const char modules[] = "mod 24576 1 other, Live 0xffffffffc0100000 (OE)\n"
			      "gone 4096 0 - Unloading 0xffffffffc0108000\n";

static char base[64], path[4][128];

/* Every byte of the memory is the page number it is in. */
static void put_core(void)
{
	static struct {
		Elf64_Ehdr eh;
		Elf64_Phdr ph[2];
		__u8 image[0x8000], module[0x6000];
	} f;
	size_t i;

	memcpy(f.eh.e_ident, ELFMAG, SELFMAG);
	f.eh.e_ident[EI_CLASS] = ELFCLASS64;
	f.eh.e_type = ET_CORE;
	f.eh.e_phoff = sizeof(f.eh);
	f.eh.e_phentsize = sizeof(f.ph[0]);
	f.eh.e_phnum = 2;
	f.ph[0] = (Elf64_Phdr){ .p_type = PT_LOAD,
				.p_vaddr = TEXT,
				.p_filesz = sizeof(f.image),
				.p_offset = (char *)f.image - (char *)&f };
	f.ph[1] = (Elf64_Phdr){ .p_type = PT_LOAD,
				.p_vaddr = MODULE,
				.p_filesz = sizeof(f.module),
				.p_offset = (char *)f.module - (char *)&f };
	for (i = 0; i < sizeof(f.image); i++)
		f.image[i] = 0x10 + i / 0x1000;
	for (i = 0; i < sizeof(f.module); i++)
		f.module[i] = 0x20 + i / 0x1000;
	tree_put_bytes(base, "kcore", &f, sizeof(f));
}

static struct kernel_files begin(void)
{
	static const char *const names[] = { "kcore", "kallsyms", "modules",
					     "boot_id" };
	int i;

	strcpy(base, "/tmp/vmmprof-test-XXXXXX");
	if (!mkdtemp(base))
		abort();
	for (i = 0; i < 4; i++)
		snprintf(path[i], sizeof(path[i]), "%s/%s", base, names[i]);
	put_core();
	tree_put(base, "kallsyms", kallsyms);
	tree_put(base, "modules", modules);
	tree_put(base, "boot_id", BOOT "\n");
	return (struct kernel_files){ path[0], path[1], path[2], path[3],
				      1 << 20 };
}

static int end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", base);
	return system(command);
}

TEST(only_text_is_given_away)
{
	const struct kernel_files files = begin();
	static const struct {
		uint64_t start;
		size_t size;
		long want;
		__u8 byte;
	} asked[] = {
		{ TEXT, 0x10, 0x10, 0x10 },
		{ TEXT + 0x1ff0, 0x20, 0x20, 0x11 },
		{ TEXT + 0x2340, 0x100, 5, 0x12 }, /* to _etext */
		{ TEXT, 0x40000, 0x2345, 0x10 },
		{ TEXT - 1, 0x10, -EFAULT, 0 },
		{ TEXT + 0x2345, 1, -EFAULT, 0 },
		{ TEXT + 0x4000, 8, -EFAULT, 0 }, /* data */
		{ TEXT + 0x6000, 8, -EFAULT, 0 }, /* freed */
		{ MODULE, 8, 8, 0x20 },
		{ MODULE + 0x1ff0, 0x20, 0x10, 0x21 }, /* to its page's end */
		{ MODULE + 0x2000, 8, -EFAULT, 0 },
		{ MODULE + 0x3000, 8, -EFAULT, 0 },
		{ MODULE + 0x8000, 8, -EFAULT, 0 },   /* not live */
		{ MODULE + 0x100000, 8, -EFAULT, 0 }, /* freed */
		{ MODULE + 0x200000, 8, -EFAULT, 0 }, /* nobody's */
		{ 0xffff888000000000ull, 8, -EFAULT, 0 },
		{ 0, 8, -EFAULT, 0 },
		{ ~0ull, 8, -EFAULT, 0 },
	};
	struct kernel_text t;
	static __u8 buf[0x40000];
	size_t i;

	TEST_EQ(kernel_text_start(&t, &files), 0);
	for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		memset(buf, 0, sizeof(buf));
		TEST_EQ(kernel_text_get(&t, BOOT, asked[i].start, buf,
					asked[i].size),
			asked[i].want);
		TEST_EQ(buf[0], asked[i].byte);
		if (asked[i].want > 0)
			TEST_EQ(buf[asked[i].want], 0);
	}
	TEST_EQ(kernel_text_get(&t, "another", TEXT, buf, 8), -ESTALE);
	TEST_EQ(kernel_text_get(&t, "", TEXT, buf, 8), -ESTALE);
	kernel_text_end(&t);
	TEST_EQ(kernel_text_get(&t, BOOT, TEXT, buf, 8), -ENOTCONN);
	return end();
}

TEST(what_is_asked_wrongly_is_not_answered)
{
	struct kernel_files files = begin();
	struct kernel_text_request r = { TEXT, 8, 0, BOOT };
	struct kernel_text_answer answer;
	struct kernel_text t;
	__u8 buf[0x1000];
	int i, given = 0;

	files.all = 0x3000;
	TEST_EQ(kernel_text_start(&t, &files), 0);
	for (i = 0; i < 3; i++) {
		r.size = i == 0 ? KERNEL_TEXT_PART + 1 : i == 1 ? 0 : 8;
		memset(r.boot_id, i == 2 ? 'x' : 0, sizeof(r.boot_id));
		TEST_EQ(send(t.sock, &r, sizeof(r), 0), sizeof(r));
		TEST_EQ(recv(t.sock, &answer, sizeof(answer), 0),
			sizeof(answer.size));
		TEST_EQ(answer.size, -EINVAL);
	}
	/* not more than all */
	for (i = 0; i < 8; i++)
		given += kernel_text_get(&t, BOOT, TEXT + i, buf, 0x1000) > 0;
	TEST_EQ(given, 3);
	TEST_EQ(kernel_text_get(&t, BOOT, TEXT + 9, buf, 0x1000), -EDQUOT);
	/* no request at all ends it */
	TEST_EQ(send(t.sock, "x", 1, 0), 1);
	TEST_EQ(recv(t.sock, &answer, sizeof(answer), 0), 0);
	kernel_text_end(&t);
	return end();
}

static bool is_open(const char *file)
{
	char link[64], name[PATH_MAX];
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;
	bool ret = false;
	ssize_t n;

	while (dir && (e = readdir(dir))) {
		snprintf(link, sizeof(link), "/proc/self/fd/%.20s", e->d_name);
		n = readlink(link, name, sizeof(name) - 1);
		name[n > 0 ? n : 0] = '\0';
		ret |= !strcmp(name, file);
	}
	closedir(dir);
	return ret;
}

TEST(who_asks_does_not_have_the_memory_open)
{
	const struct kernel_files files = begin();
	struct kernel_text t;
	__u8 buf[8];
	int fd;

	TEST_EQ(kernel_text_start(&t, &files), 0);
	TEST_EQ(kernel_text_get(&t, BOOT, TEXT, buf, 8), 8);
	TEST_OK(!is_open(files.kcore) && !is_open(files.kallsyms));
	kernel_text_end(&t);
	/* that it would be seen */
	fd = open(files.kcore, O_RDONLY);
	TEST_OK(is_open(files.kcore));
	close(fd);
	return end();
}

TEST(modules_loaded_later_are_found)
{
	const struct kernel_files files = begin();
	struct kernel_text t;
	__u8 buf[8];

	TEST_OK(!unlink(files.modules));
	TEST_EQ(kernel_text_start(&t, &files), 0);
	TEST_EQ(kernel_text_get(&t, BOOT, TEXT, buf, 8), 8);
	TEST_EQ(kernel_text_get(&t, BOOT, MODULE, buf, 8), -EFAULT);
	kernel_text_end(&t);
	tree_put(base, "modules", "");
	TEST_EQ(kernel_text_start(&t, &files), 0);
	TEST_EQ(kernel_text_get(&t, BOOT, MODULE, buf, 8), -EFAULT);
	tree_put(base, "modules", modules);
	TEST_EQ(kernel_text_get(&t, BOOT, MODULE, buf, 8), 8);
	kernel_text_end(&t);
	return end();
}

TEST(without_addresses_there_is_none)
{
	struct kernel_files files = begin();
	struct kernel_text t;
	__u8 buf[8];

	tree_put(base, "kallsyms",
		 "0000000000000000 T _stext\n0000000000000000 T _etext\n");
	TEST_EQ(kernel_text_start(&t, &files), 0);
	TEST_EQ(kernel_text_get(&t, BOOT, TEXT, buf, 8), -EFAULT);
	TEST_EQ(kernel_text_get(&t, BOOT, 0, buf, 8), -EFAULT);
	kernel_text_end(&t);
	files.kcore = "/nowhere";
	TEST_EQ(kernel_text_start(&t, &files), -ENOENT);
	TEST_EQ(t.sock, -1);
	return end();
}
