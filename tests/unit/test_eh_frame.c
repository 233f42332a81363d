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

#include "sym/eh_frame_rows.h"
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

/* The columns that matter, as readelf names them; 0: it prints none. */
struct columns {
	int cfa, bp, ra;
};

static void read_columns(const char *line, struct columns *c)
{
	char copy[512], *save, *word;
	int i = 0;

	memset(c, 0, sizeof(*c));
	snprintf(copy, sizeof(copy), "%s", line);
	for (word = strtok_r(copy, "\n ", &save); word;
	     word = strtok_r(NULL, "\n ", &save), i++) {
		if (!strcmp(word, "CFA"))
			c->cfa = i;
		else if (!strcmp(word, "rbp"))
			c->bp = i;
		else if (!strcmp(word, "ra"))
			c->ra = i;
	}
}

static void word_at(const char *line, int column, char *ret, size_t size)
{
	char copy[512], *save, *word;

	snprintf(copy, sizeof(copy), "%s", line);
	word = strtok_r(copy, "\n ", &save);
	/* "r1 (rdx)" is one column */
	for (; word && column; column -= word && *word != '(')
		word = strtok_r(NULL, "\n ", &save);
	snprintf(ret, size, "%s", word ? word : "");
}

static bool same_bp(const struct vmmprof_unwind_rule *r, const char *bp)
{
	if (!strcmp(bp, "exp"))
		return r->bp_from == VMMPROF_BP_BP ||
		       r->bp_from == VMMPROF_BP_LOST;
	if (*bp == 'c')
		return r->bp_from == VMMPROF_BP_CFA && r->bp == atoi(bp + 1);
	return r->bp_from == VMMPROF_BP_SAME;
}

/* Is it the rule for what readelf printed? */
static bool same_rule(const struct vmmprof_unwind_rule *r, const char *line,
		      const struct columns *c, long *nr_exp)
{
	char cfa[64], bp[64] = "u", ra[64];

	word_at(line, c->cfa, cfa, sizeof(cfa));
	word_at(line, c->ra, ra, sizeof(ra));
	if (c->bp)
		word_at(line, c->bp, bp, sizeof(bp));
	if (!strcmp(ra, "u"))
		return r->kind == VMMPROF_UNWIND_END;
	if (!strcmp(cfa, "exp")) {
		++*nr_exp;
		return r->kind == VMMPROF_UNWIND_SIGNAL ||
		       r->kind == VMMPROF_UNWIND_EXPRESSION ||
		       (r->kind == VMMPROF_UNWIND_CALL &&
			r->cfa_from >= VMMPROF_CFA_SP_WORD);
	}
	if (strcmp(ra, "c-8"))
		return r->kind == VMMPROF_UNWIND_EXPRESSION;
	if (strncmp(cfa, "rsp", 3) && strncmp(cfa, "rbp", 3))
		return r->kind == VMMPROF_UNWIND_REGISTER;
	return r->kind == VMMPROF_UNWIND_CALL && r->cfa == atoi(cfa + 3) &&
	       r->cfa_from ==
		       (cfa[1] == 's' ? VMMPROF_CFA_SP : VMMPROF_CFA_BP) &&
	       same_bp(r, bp);
}

/* A row of readelf holds from @start to @end: so do ours. */
static int check_row(const struct unwind_table *t, const char *line,
		     const struct columns *c, unsigned long long start,
		     unsigned long long end, long *nr_exp)
{
	const struct vmmprof_unwind_rule *first, *last;

	/* nothing is printed of programs without instructions */
	if (!start || start >= end)
		return 0;
	first = unwind_table_find(t, start);
	last = unwind_table_find(t, end - 1);
	if (first && last == first && same_rule(first, line, c, nr_exp))
		return 0;
	printf("# %llx..%llx: %s", start, end, line);
	return 1;
}

static int check_rows(const char *path, long least)
{
	unsigned long long start, end = 0, at = 0, next;
	char line[512], row[512] = "";
	struct columns columns = { 0 };
	long n = 0, nr_exp = 0;
	struct unwind_table t;
	struct elf_section s;
	struct eh_frame f;
	FILE *in;

	TEST_EQ(open_frame(path, &s, &f), 0);
	TEST_EQ(eh_frame_table(&f, &t), 0);
	in = readelf(path);
	TEST_OK(in);
	while (fgets(line, sizeof(line), in)) {
		char *pc = strstr(line, " FDE ") ? strstr(line, " pc=") : NULL;

		if (pc || strstr(line, " CIE ")) {
			TEST_EQ(check_row(&t, row, &columns, at, end, &nr_exp),
				0);
			at = 0;
			end = 0;
			if (pc)
				sscanf(pc, " pc=%llx..%llx", &start, &end);
		} else if (strstr(line, " LOC ")) {
			read_columns(line, &columns);
		} else if (end && strspn(line, "0123456789abcdef") == 16 &&
			   sscanf(line, "%llx ", &next) == 1) {
			if (at)
				TEST_EQ(check_row(&t, row, &columns, at, next,
						  &nr_exp),
					0);
			at = next;
			snprintf(row, sizeof(row), "%s", line);
			n++;
		}
	}
	TEST_EQ(check_row(&t, row, &columns, at, end, &nr_exp), 0);
	pclose(in);
	TEST_OK(n > least);
	/* the stubs of the PLT, __restore_rt and the like */
	TEST_OK(nr_exp < n / 100 + 4);
	unwind_table_free(&t);
	free(s.bytes);
	return 0;
}

TEST(rules_are_those_that_readelf_prints)
{
	int err = check_rows(program(), 50);

	return err ? err : check_rows(libc(), 10000);
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
	struct unwind_table t;
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
		if (!eh_frame_table(&f, &t))
			unwind_table_free(&t);
	}
	memcpy(bytes, good, sizeof(good));
	for (f.size = 0; f.size < sizeof(good); f.size++) {
		eh_frame_begin(&f, &it);
		TEST_OK(!eh_frame_next(&it, &fde));
	}
	return 0;
}
