// SPDX-License-Identifier: GPL-2.0-only
/*
 * Steps from frame to frame, and the whole: this program unwinds its own stack
 * by the .eh_frame of its files, out of a signal handler and a recursion of
 * known depth.
 */

#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>
#include <unistd.h>

#include "sym/eh_frame_rows.h"
#include "sym/elf.h"
#include "sym/unwind.h"

#include "test.h"

#define DEPTH 12

static bool read_memory(void *arg, __u64 addr, __u64 *value)
{
	(void)arg;
	if (addr & 7 || addr < 4096)
		return false;
	*value = *(__u64 *)addr;
	return true;
}

static struct unwind_table tables[16];
static __u64 biases[16];
static unsigned int nr_tables;

static int add_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *path = *info->dlpi_name ? info->dlpi_name :
					      "/proc/self/exe";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_section s;

	(void)size;
	(void)arg;
	if (fd >= 0 && nr_tables < 16 &&
	    !elffile_section(fd, ".eh_frame", &s)) {
		struct eh_frame f = { s.bytes, s.size, s.addr, s.ia32 };

		biases[nr_tables] = info->dlpi_addr;
		if (!eh_frame_table(&f, &tables[nr_tables]))
			nr_tables++;
		free(s.bytes);
	}
	if (fd >= 0)
		close(fd);
	return 0;
}

static const struct vmmprof_unwind_rule *find(__u64 addr)
{
	const struct vmmprof_unwind_rule *r = NULL;
	unsigned int i;

	for (i = 0; i < nr_tables && !r; i++)
		r = unwind_table_find(&tables[i], addr - biases[i]);
	return r;
}

/* What the handler found. */
static __u64 chain[256];
static unsigned int nr_chain, nr_signals;
static enum unwind_result end;

static void handler(int sig)
{
	struct unwind_regs regs = { .has_bp = true, .exact = true };
	const struct vmmprof_unwind_rule *r;

	(void)sig;
	asm volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
		     : "=&r"(regs.ip), "=&r"(regs.sp), "=&r"(regs.bp));
	do {
		r = find(unwind_lookup(&regs));
		end = unwind_step(r, &regs, read_memory, NULL);
		nr_signals += r && r->kind == VMMPROF_UNWIND_SIGNAL;
		chain[nr_chain++] = regs.ip;
	} while (!end && nr_chain < 256);
}

__attribute__((noinline)) static void recurse(int depth)
{
	char room[16 * (depth & 3) + 16];

	memset(room, 0, sizeof(room));
	if (depth)
		recurse(depth - 1);
	else
		raise(SIGUSR1);
	/* there is something to do behind the call */
	asm volatile("" : : "r"(room) : "memory");
}

/* How many of the chain are inside of @function, before the @next one. */
static unsigned int count(void (*function)(int), __u64 size)
{
	unsigned int i, n = 0;

	for (i = 0; i < nr_chain; i++)
		n += chain[i] - (__u64)function < size;
	return n;
}

TEST(this_program_unwinds_its_own_stack)
{
	struct eh_frame_iter it;
	struct elf_section s;
	struct eh_fde fde;
	__u64 size = 0;
	int fd;

	dl_iterate_phdr(add_object, NULL);
	signal(SIGUSR1, handler);
	recurse(DEPTH - 1);
	TEST_EQ(end, UNWIND_DONE);
	TEST_EQ(nr_signals, 1);
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	TEST_EQ(elffile_section(fd, ".eh_frame", &s), 0);
	close(fd);
	eh_frame_begin(&(struct eh_frame){ s.bytes, s.size, s.addr, false },
		       &it);
	while (eh_frame_next(&it, &fde))
		if (fde.start + biases[0] == (__u64)recurse)
			size = fde.end - fde.start;
	free(s.bytes);
	TEST_OK(size);
	TEST_EQ(count(recurse, size), DEPTH);
	while (nr_tables)
		unwind_table_free(&tables[--nr_tables]);
	return 0;
}

/* A stack of eight words at 0x1000; its last one cannot be read. */
static bool read_made(void *arg, __u64 addr, __u64 *value)
{
	const __u64 *words = arg;

	if (addr < 0x1000 || addr >= 0x1038 || addr & 7)
		return false;
	*value = words[(addr - 0x1000) / 8];
	return true;
}

TEST(a_step_says_why_there_is_none)
{
	__u64 words[8] = { 1, 2, 0x1028, 4, 5, 6, 7 };
	struct vmmprof_unwind_rule r = { .kind = VMMPROF_UNWIND_CALL };
	const struct unwind_regs from = { .ip = 0x40000b,
					  .sp = 0x1000,
					  .bp = 0x1010 };
	struct unwind_regs to = from;

	TEST_EQ(unwind_step(NULL, &to, read_made, words), UNWIND_NO_RULE);
	TEST_EQ(unwind_step(&r, &to, read_made, words), UNWIND_BACKWARDS);
	r.cfa = 64;
	TEST_EQ(unwind_step(&r, &to, read_made, words), UNWIND_NO_WORD);
	r.cfa_from = VMMPROF_CFA_BP;
	TEST_EQ(unwind_step(&r, &to, read_made, words), UNWIND_NO_BP);
	r.kind = VMMPROF_UNWIND_REGISTER;
	TEST_EQ(unwind_step(&r, &to, read_made, words), UNWIND_REGISTER);
	r.kind = VMMPROF_UNWIND_EXPRESSION;
	TEST_EQ(unwind_step(&r, &to, read_made, words), UNWIND_EXPRESSION);
	r.kind = VMMPROF_UNWIND_END;
	TEST_EQ(unwind_step(&r, &to, read_made, words), UNWIND_DONE);
	r.kind = VMMPROF_UNWIND_UNKNOWN;
	TEST_EQ(unwind_step(&r, &to, read_made, words), UNWIND_UNKNOWN);
	r.kind = VMMPROF_UNWIND_IRET;
	r.cfa_from = VMMPROF_CFA_SP;
	TEST_EQ(unwind_step(&r, &to, read_made, words), UNWIND_NO_IP);
	r.cfa = 40;
	TEST_EQ(unwind_step(&r, &to, read_made, words), UNWIND_NO_WORD);
	TEST_OK(!memcmp(&to, &from, sizeof(to)));
	return 0;
}

TEST(each_form_of_a_rule_finds_its_caller)
{
	__u64 words[8] = { 0x1010, 2, 0x1028, 4, 5, 6, 7 };
	struct vmmprof_unwind_rule r = { .kind = VMMPROF_UNWIND_CALL };
	const struct unwind_regs from = {
		.ip = 0x40000b, .sp = 0x1000, .bp = 0x1010, .has_bp = true
	};
	struct unwind_regs to = from;

	/* bp: the word below the return address */
	r.cfa = 0x20;
	r.bp_from = VMMPROF_BP_CFA;
	r.bp = -16;
	TEST_EQ(unwind_step(&r, &to, read_made, words), UNWIND_STEP);
	TEST_EQ(to.ip, 4);
	TEST_EQ(to.sp, 0x1020);
	TEST_EQ(to.bp, 0x1028);
	to = from;
	r.cfa_from = VMMPROF_CFA_SP_WORD;
	r.cfa = 8;
	r.bp_from = VMMPROF_BP_BP;
	r.bp = 8;
	TEST_EQ(unwind_step(&r, &to, read_made, words), UNWIND_STEP);
	TEST_EQ(to.ip, 0x1028);
	TEST_EQ(to.sp, 0x1018);
	TEST_EQ(to.bp, 4);
	to = from;
	r.cfa_from = VMMPROF_CFA_BP_WORD;
	r.cfa = 0;
	r.bp_from = VMMPROF_BP_LOST;
	TEST_EQ(unwind_step(&r, &to, read_made, words), UNWIND_STEP);
	TEST_EQ(to.ip, 5);
	TEST_OK(!to.has_bp);
	/* 11 bytes into a stub of the PLT its number is on the stack */
	to = from;
	r.cfa_from = VMMPROF_CFA_PLT;
	r.cfa = 11;
	TEST_EQ(unwind_step(&r, &to, read_made, words), UNWIND_STEP);
	TEST_EQ(to.ip, 2);
	to = from;
	r.cfa = 12;
	TEST_EQ(unwind_step(&r, &to, read_made, words), UNWIND_STEP);
	TEST_EQ(to.ip, 0x1010);
	/* RIP, CS, RFLAGS, RSP */
	to = from;
	r.kind = VMMPROF_UNWIND_IRET;
	r.cfa_from = VMMPROF_CFA_SP;
	r.cfa = 8;
	r.flags = VMMPROF_UNWIND_F_SIGNAL;
	TEST_EQ(unwind_step(&r, &to, read_made, words), UNWIND_STEP);
	TEST_EQ(to.ip, 2);
	TEST_EQ(to.sp, 5);
	TEST_OK(to.exact);
	TEST_EQ(unwind_lookup(&to), 2);
	TEST_EQ(unwind_lookup(&from), 0x40000a);
	return 0;
}
