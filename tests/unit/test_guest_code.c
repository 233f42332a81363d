// SPDX-License-Identifier: GPL-2.0-only
/* What vmmprof-guest reads for the host: code that it named itself, no more. */

#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest-mapper/code.c"
#include "guest-mapper/codefile.c"
#include "guest-mapper/codekernel.c"
#include "guest-mapper/kcore.c"

#include "build.h"
#include "test.h"
#include "format/bundle.h"

static struct code_want wants[VMMPROF_CODE_RANGES];

static int parse(const char *text)
{
	return code_list_parse(text, strlen(text), wants);
}

TEST(list_of_code_is_read_as_it_was_written)
{
	static const struct code_want in[] = {
		{ 0xffffffff81000010, VMMPROF_NONE, 262144 },
		{ 0, 0, 1 },
		{ 0x1a40, 4294967294, 96 },
	};
	char text[256];
	int len = 0, i;

	for (i = 0; i < 3; i++)
		len += code_list_line(&in[i], text + len, sizeof(text) - len);
	TEST_STR(text, "kernel ffffffff81000010 262144\n0 0 1\n"
		       "4294967294 1a40 96\n");
	TEST_EQ(code_list_line(&in[0], text, 31), -ENOSPC);
	TEST_EQ(parse("kernel ffffffff81000010 262144\n0 0 1\n"
		      "4294967294 1a40 96\n"),
		3);
	for (i = 0; i < 3; i++)
		TEST_OK(wants[i].addr == in[i].addr &&
			wants[i].file == in[i].file &&
			wants[i].size == in[i].size);
	TEST_EQ(parse(""), 0);
	return 0;
}

TEST(list_of_code_that_is_none_is_refused)
{
	static const char *const bad[] = {
		"1 2 3",
		"1 2\n",
		"1 2 3 4\n",
		"\n",
		"1  2 3\n",
		" 1 2 3\n",
		"1 2 0\n",
		"1 2 262145\n",
		"4294967295 2 3\n",
		"-1 2 3\n",
		"1 0x2 3\n",
		"1 2 3\r\n",
		"kernel 2 3 4\n",
		"kernels 2 3\n",
		"1 ffffffffffffffff 2\n",
		"1 AB 2\n",
		"kernel  2 3\n",
		"1 10000000000000000 2\n",
		"1 2 3\n1 2 3\nx",
		"../x 1 2\n",
		"99999999999 2 3\n",
		"kernel ",
		"kernel",
	};
	static char many[CODE_LIST_MAX];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		TEST_EQ(parse(bad[i]), -EINVAL);
	TEST_EQ(code_list_parse("1 2 3\n\0", 7, wants), -EINVAL);
	/* 1 MiB of all, 256 lines */
	TEST_EQ(parse("1 0 262144\n1 0 262144\n1 0 262144\n1 0 262144\n"), 4);
	TEST_EQ(parse("1 0 262144\n1 0 262144\n1 0 262144\n1 0 262144\n1 2 3\n"),
		-EINVAL);
	for (i = 0; i < 256; i++)
		strcat(many, "1 2 3\n");
	TEST_EQ(parse(many), 256);
	strcat(many, "1 2 3\n");
	TEST_EQ(parse(many), -EINVAL);
	return 0;
}

static struct build b;
static char dir[64], path[96];
static Elf64_Phdr text; /* our own */

static int find_text(struct dl_phdr_info *info, size_t size, void *arg)
{
	int i;

	(void)size;
	(void)arg;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    info->dlpi_phdr[i].p_flags & PF_X)
			text = info->dlpi_phdr[i];
	return 1;
}

static __u64 file_dev; /* of the next ones */

static void put_file(__u32 id, const char *name, __u64 ino, __u32 flags)
{
	struct vmmprof_maps_file f = {
		.id = id,
		.dev = file_dev,
		.ino = ino,
		.flags = flags,
	};
	struct vmmprof_maps_map m = {
		.start = 1, .end = 2, .pid = getpid(), .file = id
	};

	build_item(&b, VMMPROF_MAPS_MAP, &m, sizeof(m), NULL, 0);
	build_item(&b, VMMPROF_MAPS_FILE, &f, sizeof(f), name,
		   strlen(name) + 1);
}

static struct code_file_cache *open_files(size_t size)
{
	struct code_file_cache *f = NULL;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), i;

	if (fd < 0 || write(fd, b.data, size) != (ssize_t)size)
		abort();
	close(fd);
	for (i = 0; i < 8; i++)
		wants[i] = (struct code_want){ text.p_offset + 16, i, 32 };
	if (code_files_open(path, wants, 8, &f))
		return NULL;
	return f;
}

static void begin(void)
{
	strcpy(dir, "/tmp/vmmprof-test-XXXXXX");
	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/bundle", dir);
	dl_iterate_phdr(find_text, NULL);
	build_header(&b, VMMPROF_FILE_MAPS);
}

static void end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		abort();
}

TEST(code_comes_out_of_files_that_are_still_the_same)
{
	char exe[4096] = "", link[128], other[128], buf[64], want[64];
	struct code_file_cache *f;
	struct stat st;
	__u32 flags = 9;
	int fd, i;

	begin();
	if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0 ||
	    stat(exe, &st))
		abort();
	snprintf(link, sizeof(link), "%s/link", dir);
	snprintf(other, sizeof(other), "%s/pipe", dir);
	if (symlink(exe, link) || mkfifo(other, 0600))
		abort();
	file_dev = st.st_dev;
	put_file(0, exe, st.st_ino, 0);
	put_file(1, exe, st.st_ino + 1, 0);
	put_file(2, link, st.st_ino + 1, 0);
	put_file(3, other, 0, 0);
	put_file(4, dir, 0, 0);
	put_file(5, "/dev/zero", 0, 0);
	put_file(6, "self/exe", st.st_ino, 0);
	build_end(&b);
	f = open_files(b.size);
	TEST_OK(f);
	TEST_EQ(code_files_read(f, &wants[0], buf, &flags), 32);
	fd = open(exe, O_RDONLY);
	TEST_EQ(pread(fd, want, 32, text.p_offset + 16), 32);
	close(fd);
	TEST_OK(!memcmp(buf, want, 32) && !flags);
	/* others by now, no files, no such file */
	for (i = 1; i < 8; i++)
		TEST_EQ(code_files_read(f, &wants[i], buf, &flags), -ENOENT);
	/* what is not code: the head of the file, and what is behind */
	wants[0].addr = 0;
	TEST_EQ(code_files_read(f, &wants[0], buf, &flags), -ENOENT);
	wants[0].addr = text.p_offset + text.p_filesz;
	TEST_EQ(code_files_read(f, &wants[0], buf, &flags), -ENOENT);
	wants[0].addr -= 5;
	TEST_EQ(code_files_read(f, &wants[0], buf, &flags), 5);
	code_files_close(f);
	end();
	return 0;
}

TEST(vdso_s_code_is_ours)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	struct code_file_cache *f;
	char buf[64];
	__u32 flags;

	begin();
	put_file(0, "[vdso]", 1, VMMPROF_FILE_F_PSEUDO);
	put_file(1, "[vdso]", 2, VMMPROF_FILE_F_PSEUDO | VMMPROF_FILE_F_UNREAD);
	build_end(&b);
	f = open_files(b.size);
	TEST_OK(f);
	wants[0].addr = 64;
	TEST_EQ(code_files_read(f, &wants[0], buf, &flags),
		image ? 32 : -ENOENT);
	TEST_OK(!image || !memcmp(buf, image + 64, 32));
	wants[0].addr = 1 << 20;
	TEST_EQ(code_files_read(f, &wants[0], buf, &flags), -ENOENT);
	TEST_EQ(code_files_read(f, &wants[1], buf, &flags), -ENOENT);
	code_files_close(f);
	end();
	return 0;
}

TEST(bundle_that_is_cut_is_refused)
{
	struct code_file_cache *f;
	size_t whole, size;

	begin();
	put_file(0, "/bin/sh", 1, 0);
	put_file(1, "/bin/true", 1, 0);
	whole = b.size;
	build_end(&b);
	for (size = 0; size <= whole; size += 4)
		TEST_OK(!open_files(size));
	f = open_files(b.size);
	TEST_OK(f);
	code_files_close(f);
	end();
	return 0;
}

/* The whole file at @path; bytes. */
static size_t read_bundle_file(char *buf, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, buf, size);

	close(fd);
	return n;
}

TEST(bundle_is_as_before_if_code_has_no_room_in_it)
{
	static char list[4096], before[4096], after[4096];
	struct rlimit no_more, limit;
	char exe[4096] = "";
	struct stat st;
	int len;

	begin();
	if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0 ||
	    stat(exe, &st))
		abort();
	file_dev = st.st_dev;
	put_file(0, exe, st.st_ino, 0);
	build_end(&b);
	code_files_close(open_files(b.size));
	TEST_EQ(read_bundle_file(before, sizeof(before)), b.size);
	len = snprintf(list, sizeof(list), "0 %llx %u\n",
		       (unsigned long long)text.p_offset + 16, 64);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	no_more = limit;
	no_more.rlim_cur = b.size + 40;
	setrlimit(RLIMIT_FSIZE, &no_more);
	TEST_EQ(code_write(list, len, path, NULL), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &limit);
	TEST_EQ(read_bundle_file(after, sizeof(after)), b.size);
	TEST_OK(!memcmp(before, after, b.size));
	TEST_EQ(code_write(list, len, path, NULL), 0);
	TEST_OK(read_bundle_file(after, sizeof(after)) > b.size + 64);
	end();
	return 0;
}

static struct code_kernel k;

static void open_kernel(void)
{
	static const __u64 addr[] = { 0xffffffff81000040, 0xffffffff81000000,
				      0xffffffff81000000, 0xffffffff81000100,
				      0xffffffffc0000000, 0xffffffff81000050,
				      0xffffffff81000001, 0xffffffff81002000 };
	static const char *const lines[] = {
		"ffffffff81000000 T _stext\n",
		"ffffffff81000000 T begin\n",
		"ffffffff81000050 d data\n",
		"ffffffff81000030 t __pfx_other\n",
		"ffffffff81000040 t other\n",
		"ffffffffc0000000 t in\t[mod]\n",
		"ffffffff81000100 t last\n",
		"ffffffff81001000 T _etext\n",
		"ffffffff81002000 t init\n",
		"ffffffffc0000100 t in_other\t[mod2]\n",
		"0000000000000000 A percpu\n",
		"nonsense\n",
		"ffffffff81000100\n",
		"",
	};
	size_t i;

	for (i = 0; i < 8; i++)
		wants[i] = (struct code_want){ addr[i], VMMPROF_NONE, 4096 };
	code_kernel_open(&k, wants, 8);
	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		code_kernel_line(&k, lines[i]);
	code_kernel_last(&k);
}

TEST(kernel_s_functions_end_where_the_next_symbol_begins)
{
	open_kernel();
	TEST_EQ(k.nr, 7);
	TEST_OK(k.funcs[0].text && k.funcs[0].next == 0xffffffff81000040);
	TEST_OK(!k.funcs[1].text);
	TEST_OK(k.funcs[2].text && k.funcs[2].next == 0xffffffff81000050);
	TEST_OK(!k.funcs[3].text);
	TEST_OK(k.funcs[4].text && k.funcs[4].next == 0xffffffff81001000);
	TEST_OK(k.funcs[5].text && k.funcs[5].next == 0xffffffffc0000000 &&
		k.funcs[5].module != k.funcs[5].next_module);
	TEST_OK(k.funcs[6].text && k.funcs[6].next == 0xffffffffc0000100 &&
		k.funcs[6].module != k.funcs[6].next_module);
	code_kernel_close(&k);
	return 0;
}

/* A core file with a pattern at these addresses. */
static void open_pattern(void)
{
	static Elf64_Phdr ph = { .p_type = PT_LOAD,
				 .p_vaddr = 0xffffffff81000000,
				 .p_memsz = 0x50000000 };
	__u8 page[8192];
	size_t i;

	for (i = 0; i < sizeof(page); i++)
		page[i] = i / 16 + i;
	k.kcore.fd = memfd_create("core", 0);
	k.kcore.segments = malloc(sizeof(ph));
	k.kcore.segments[0] = ph;
	k.kcore.nr = 1;
	k.kcore.info = NULL;
	if (pwrite(k.kcore.fd, page, sizeof(page), 0) != sizeof(page) ||
	    pwrite(k.kcore.fd, page, sizeof(page), 0x3f000000) != sizeof(page))
		abort();
	k.open = true;
}

TEST(kernel_s_memory_is_read_where_functions_are_and_no_further)
{
	__u8 buf[4096];

	open_kernel();
	code_kernel_close(&k);
	open_pattern();
	TEST_EQ(code_kernel_read(&k, &wants[0], buf), 16);
	TEST_OK(buf[0] == 0x44 && buf[15] == 0x53);
	TEST_EQ(code_kernel_read(&k, &wants[1], buf), 64);
	TEST_EQ(code_kernel_read(&k, &wants[3], buf), 0xf00);
	TEST_EQ(code_kernel_read(&k, &wants[4], buf), 256);
	/* of the kernel's start */
	TEST_EQ(code_kernel_read(&k, &wants[7], buf), -ENOENT);
	wants[0].size = 3;
	TEST_EQ(code_kernel_read(&k, &wants[0], buf), 3);
	/* data, the middle of a function, nothing that was asked for */
	TEST_EQ(code_kernel_read(&k, &wants[5], buf), -ENOENT);
	wants[0].addr++;
	TEST_EQ(code_kernel_read(&k, &wants[0], buf), -ENOENT);
	wants[0].addr = 0x1000;
	TEST_EQ(code_kernel_read(&k, &wants[0], buf), -ENOENT);
	code_kernel_close(&k);
	return 0;
}
