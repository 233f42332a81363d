// SPDX-License-Identifier: GPL-2.0-only
/*
 * .eh_frame: the functions and rules that are read of this program and of libc
 * are those that readelf prints of them; damaged bytes end in an error.
 */

#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sym/eh_frame.h"
#include "sym/elf.h"

#include "test.h"

/* This program, or the libc that it runs with. */
static const char *program(void)
{
	return "/proc/self/exe";
}

static const char *libc(void)
{
	Dl_info info;

	return dladdr((void *)getpid, &info) ? info.dli_fname : "";
}

/* What readelf prints of it, to be closed by pclose(). */
static FILE *readelf(const char *path)
{
	char command[4096], real[2048] = "";

	if (!realpath(path, real))
		return NULL;
	snprintf(command, sizeof(command),
		 "readelf -W --debug-dump=frames-interp '%s' 2>/dev/null",
		 real);
	return popen(command, "r");
}

static int open_frame(const char *path, struct elf_section *s,
		      struct eh_frame *f)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? -errno : elffile_section(fd, ".eh_frame", s);

	close(fd);
	f->bytes = s->bytes;
	f->size = s->size;
	f->addr = s->addr;
	f->ia32 = s->ia32;
	return err;
}

/* All functions are those of readelf, in its order. */
static int check_bounds(const char *path)
{
	unsigned long long start, end;
	struct eh_frame_iter it;
	struct elf_section s;
	struct eh_frame f;
	struct eh_fde fde;
	char line[256];
	FILE *in;
	long n = 0;

	TEST_EQ(open_frame(path, &s, &f), 0);
	in = readelf(path);
	TEST_OK(in);
	eh_frame_begin(&f, &it);
	while (fgets(line, sizeof(line), in)) {
		char *pc = strstr(line, " FDE ") ? strstr(line, " pc=") : NULL;

		if (!pc || sscanf(pc, " pc=%llx..%llx", &start, &end) != 2)
			continue;
		TEST_OK(eh_frame_next(&it, &fde));
		TEST_EQ(fde.start, start);
		TEST_EQ(fde.end, end);
		n++;
	}
	pclose(in);
	TEST_OK(!eh_frame_next(&it, &fde));
	TEST_EQ(it.damaged, 0);
	TEST_OK(n > 20);
	free(s.bytes);
	return 0;
}

TEST(functions_are_those_that_readelf_prints)
{
	int err = check_bounds(program());

	return err ? err : check_bounds(libc());
}

/* Each byte of a small section changed, and each length of it. */
TEST(damaged_bytes_only_lose_functions)
{
	/* CIE "zR" with pcrel sdata4, FDE of 16 bytes at address 0x1000 */
	static const __u8 good[] = {
		0x14, 0,    0,	  0, 0,	   0,	 0,   0,  1,	'z', 'R', 0,
		1,    0x78, 0x10, 1, 0x1b, 0xc,	 7,   8,  0x90, 1,   0,	  0,
		0x14, 0,    0,	  0, 0x1c, 0,	 0,   0,  0xe0, 0xf, 0,	  0,
		0x10, 0,    0,	  0, 0,	   0x41, 0xe, 16, 0,	0,   0,	  0,
	};
	__u8 bytes[sizeof(good)];
	struct eh_frame f = { .bytes = bytes, .size = sizeof(bytes) };
	struct eh_frame_iter it;
	struct eh_fde fde;
	size_t i;

	memcpy(bytes, good, sizeof(good));
	eh_frame_begin(&f, &it);
	TEST_OK(eh_frame_next(&it, &fde));
	TEST_EQ(fde.start, 0x1000);
	TEST_EQ(fde.end, 0x1010);
	TEST_OK(!eh_frame_next(&it, &fde));
	TEST_EQ(it.damaged, 0);
	for (i = 0; i < 256 * sizeof(good); i++) {
		memcpy(bytes, good, sizeof(good));
		bytes[i / 256] = i;
		f.size = sizeof(good);
		eh_frame_begin(&f, &it);
		while (eh_frame_next(&it, &fde))
			TEST_OK(fde.end > fde.start &&
				fde.program <= fde.program_end &&
				fde.program_end <= f.size);
	}
	memcpy(bytes, good, sizeof(good));
	for (f.size = 0; f.size < sizeof(good); f.size++) {
		eh_frame_begin(&f, &it);
		TEST_OK(!eh_frame_next(&it, &fde));
	}
	return 0;
}
