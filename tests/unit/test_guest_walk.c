// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's reading of a guest's memory, stacks and current task
 * (kmod/guest_memory.c, chain_guest.c, identity_read.c) on memory that is made up here: page tables of 4 and of 5
 * levels, which few machines have, and hostile ones.
 */
#include "test.h"

#include "tests/unit/kernel/guest_chain.h"

#define RAM   0x400000ull
#define MAP   3ull
#define LARGE (MAP | PT_LARGE)

/* Guest physical: the root, tables as they are needed, memory. */
#define ROOT  0x1000ull
#define DATA  0x200000ull
#define GONE  0x300000ull /* a page that the host has not */
#define NONE  0x800000ull /* no slot is there */

int fake_srcu, fake_pagefault;
static u8 ram[RAM] __attribute__((aligned(4096)));
static u64 next_table;
static struct kvm vm;
static struct kvm_vcpu vcpu = { .kvm = &vm };
static struct vmmprof_guest_memory memory;

unsigned long copy_from_user_nmi(void *to, const void *from, unsigned long n)
{
	size_t at = (const u8 *)from - ram;

	if (at >= RAM || n > RAM - at)
		abort(); /* not the VM's */
	if (at - GONE < PAGE_SIZE)
		return n;
	memcpy(to, from, n);
	return 0;
}

static u64 *word(u64 gpa)
{
	return (u64 *)(ram + gpa);
}

static void begin(unsigned int levels)
{
	memset(ram, 0, sizeof(ram));
	next_table = ROOT + PAGE_SIZE;
	vm.slots.slot[0] = (struct kvm_memory_slot){
		.npages = RAM / PAGE_SIZE, .userspace_addr = (uintptr_t)ram
	};
	vcpu.arch.cr4 = levels == 5 ? X86_CR4_LA57 : 0;
	vcpu.arch.efer = EFER_LMA;
	vcpu.arch.maxphyaddr = 46;
	vmmprof_guest_begin(&memory, &vcpu, ROOT);
}

/* The entry of @va in the table of @level, 0: that of pages; tables are made. */
static u64 *entry(u64 va, int level)
{
	u64 table = ROOT, *e;
	int l = vcpu.arch.cr4 ? 4 : 3;

	for (;; l--) {
		e = word(table + 8 * (va >> (12 + 9 * l) & 511));
		if (l == level)
			return e;
		if (!*e) {
			*e = next_table | MAP;
			next_table += PAGE_SIZE;
		}
		table = *e & PT_ADDRESS;
	}
}

/* What is at @va; 0: nothing, memory.why says why. */
static u64 at(u64 va)
{
	u64 value;

	return vmmprof_guest_word(&memory, va, &value) ? value : 0;
}

TEST(fifth_level_is_walked)
{
	const u64 low = 0x123456789000, high = 5ull << 48 | low;

	begin(5);
	*entry(low, 0) = DATA | MAP;
	*entry(high, 0) = (DATA + 0x1000) | MAP;
	*word(DATA + 0x18) = 11;
	*word(DATA + 0x1018) = 22;
	TEST_EQ(at(low + 0x18), 11);
	TEST_EQ(at(high + 0x18), 22);
	TEST_EQ(at((6ull << 48) + low), 0);
	TEST_EQ(memory.why, VMMPROF_END_UNMAPPED);
	/* Without LA57 the same root is a table of the fourth level. */
	vcpu.arch.cr4 = 0;
	vmmprof_guest_begin(&memory, &vcpu, *entry(high, 0) & PT_ADDRESS);
	TEST_EQ(memory.levels, 4);
	TEST_EQ(at(high + 0x18), 0);
	return 0;
}

TEST(addresses_that_are_not_canonical_lead_nowhere)
{
	const u64 low = 0x123456789000, upper = 0xffff888000000000;
	unsigned int levels;
	u64 last;

	for (levels = 4; levels <= 5; levels++) {
		last = levels == 5 ? 56 : 47; /* the last bit of user mode's */
		begin(levels);
		*entry(low, 0) = DATA | MAP;
		*entry(upper, 0) = DATA | MAP;
		*word(DATA + 0x18) = 11;
		TEST_EQ(at(low + 0x18), 11);
		TEST_EQ(at(upper + 0x18), 11);
		TEST_EQ(at((low | 1ull << (last + 1)) + 0x18), 0);
		TEST_EQ(memory.why, VMMPROF_END_UNMAPPED);
		TEST_EQ(at((low | 1ull << 63) + 0x18), 0);
		TEST_EQ(at((upper & ~(1ull << 63)) + 0x18), 0);
		TEST_EQ(memory.why, VMMPROF_END_UNMAPPED);
	}
	return 0;
}

TEST(large_pages_are_of_two_levels)
{
	unsigned int levels;
	int level;

	for (levels = 4; levels <= 5; levels++) {
		for (level = 1; level < (int)levels; level++) {
			/* of 2 MiB at 2 MiB; of 1 GiB, of more at 0 */
			const u64 start = level == 1 ? DATA : 0;
			const u64 va = 1ull << 40 | (DATA - start) | 0x2340;

			begin(levels);
			*word(DATA + 0x2340) = 33;
			*entry(va, level) = start | LARGE;
			TEST_EQ(at(va), level <= 2 ? 33 : 0);
			if (level > 2)
				TEST_EQ(memory.why, VMMPROF_END_UNMAPPED);
		}
	}
	return 0;
}

TEST(hostile_entries_end_at_each_level)
{
	static const struct {
		u64 entry;
		u8 why;
	} cases[] = {
		{ 0, VMMPROF_END_UNMAPPED },
		{ DATA, VMMPROF_END_UNMAPPED }, /* not present */
		{ NONE | MAP, VMMPROF_END_NO_MEMORY },
		{ GONE | MAP, VMMPROF_END_NOT_PRESENT },
		{ BIT_ULL(46) | MAP, VMMPROF_END_UNMAPPED }, /* reserved */
		{ BIT_ULL(51) | DATA | MAP, VMMPROF_END_UNMAPPED },
		{ BIT_ULL(45) | MAP, VMMPROF_END_NO_MEMORY },
	};
	u64 va;
	unsigned int levels;
	size_t i;
	int level;

	for (levels = 4; levels <= 5; levels++) {
		va = levels == 5 ? 0x12345678abc000 : 0x345678abc000;
		for (level = 0; level < (int)levels; level++) {
			for (i = 0; i < ARRAY_SIZE(cases); i++) {
				begin(levels);
				*entry(va, level) = cases[i].entry;
				TEST_EQ(at(va), 0);
				TEST_EQ(memory.why, cases[i].why);
			}
		}
	}
	return 0;
}

TEST(table_of_itself_is_read_and_left)
{
	const u64 index = 0x55;
	u64 va = 0, i;

	begin(5);
	*word(ROOT + 8 * index) = ROOT | MAP;
	for (i = 0; i < 5; i++)
		va |= index << (12 + 9 * i);
	TEST_EQ(at(va + 8 * index), ROOT | MAP);
	/* as often as one chain may, and not once more */
	for (i = 0; i < VMMPROF_GUEST_WALKS; i++) {
		*entry(i << 12, 0) = DATA | MAP;
		*word(DATA) = 44;
	}
	for (i = 0; i < VMMPROF_GUEST_WALKS - 1; i++)
		TEST_EQ(at(i << 12), 44);
	TEST_EQ(at(i << 12), 0);
	TEST_EQ(memory.why, VMMPROF_END_DEPTH);
	return 0;
}

TEST(memory_slot_that_goes_is_not_read)
{
	begin(5);
	*entry(0x5000, 0) = DATA | MAP;
	*word(DATA) = 55;
	TEST_EQ(at(0x5000), 55);
	vm.slots.slot[0].flags = KVM_MEMSLOT_INVALID;
	vmmprof_guest_begin(&memory, &vcpu, ROOT);
	TEST_EQ(at(0x5000), 0);
	TEST_EQ(memory.why, VMMPROF_END_NO_MEMORY);
	vm.slots.slot[0].flags = 0;
	return 0;
}

static struct vmmprof_chain_buf buf;

static void chain_of(u64 sp, u64 bp, bool kernel, u32 depth)
{
	const struct vmmprof_guest_at where = {
		.ip = kernel ? 0xffffffff81000010 : 0x401000,
		.sp = sp,
		.cr3 = ROOT,
		.ss_ar = kernel ? 0 : 3 << 5,
		.code64 = true,
	};

	vcpu.arch.regs[VCPU_REGS_RBP] = bp;
	vmmprof_chain_begin(&buf, VMMPROF_C_GUEST, depth);
	vmmprof_chain_guest(&buf, &memory, &vcpu, &where);
}

static void chain(u64 sp, u64 bp, bool kernel)
{
	chain_of(sp, bp, kernel, 16);
}

static void put_frame(u64 gpa, u64 next, u64 ip)
{
	word(gpa)[0] = next;
	word(gpa)[1] = ip;
}

TEST(user_stack_above_the_fourth_level)
{
	const u64 va = 0x00fedcba98765000;

	begin(5);
	*entry(va, 0) = DATA | MAP;
	put_frame(DATA + 0x100, va + 0x200, 0x401111);
	put_frame(DATA + 0x200, 0, 0x401222);
	chain(va + 0x80, va + 0x100, false);
	TEST_EQ(buf.end_user, VMMPROF_END_DONE);
	TEST_EQ(buf.nr_user, 2);
	TEST_EQ(buf.data[0], 0x401111);
	TEST_EQ(buf.data[1], 0x401222);
	TEST_EQ(fake_srcu, 0);
	TEST_EQ(fake_pagefault, 0);
	return 0;
}

/* As the kernel's stacks lie with 5 levels: above VMALLOC_START. */
TEST(kernel_stack_of_five_levels)
{
	const u64 stack = 0xffa0000000104000, user = 0x7f0000001000;
	struct pt_regs *regs;
	int i;

	begin(5);
	for (i = 0; i < 4; i++)
		*entry(stack + 4096 * i, 0) = (DATA + 4096 * i) | MAP;
	*entry(user, 0) = (DATA + 0x10000) | MAP;
	regs = (struct pt_regs *)(ram + DATA + STACK_SIZE) - 1;
	*regs = (struct pt_regs){ .ip = 0x401000,
				  .cs = USER_CS,
				  .flags = FLAGS_FIXED | X86_EFLAGS_IF,
				  .sp = user + 0x80,
				  .bp = user + 0x100,
				  .ss = USER_DS };
	put_frame(DATA + 0x10100, user + 0x200, 0x401111);
	*word(DATA + 0x3e08) = 0xffffffff81000020;
	*word(DATA + 0x3e10) = stack + 0x3e80;
	chain(stack + 0x3e00, 0, true);
	TEST_EQ(buf.end_kernel, VMMPROF_END_DONE);
	TEST_EQ(buf.nr_kernel, 2);
	TEST_EQ(buf.data[0], 0xffffffff81000020ull << 16 | 1);
	TEST_EQ(buf.data[1], 0x80ull << 16 | VMMPROF_WORD_STACK | 2);
	TEST_EQ(buf.end_user, VMMPROF_END_DONE);
	TEST_EQ(buf.nr_user, 2);
	TEST_EQ(buf.data[2], 0x401000);
	TEST_EQ(buf.data[3], 0x401111);
	/* With 4 levels it is no address. */
	vcpu.arch.cr4 = 0;
	chain(stack + 0x3e00, 0, true);
	TEST_EQ(buf.end_kernel, VMMPROF_END_FRAME);
	chain(1ull << 63, 0, true);
	TEST_EQ(buf.end_kernel, VMMPROF_END_FRAME);
	return 0;
}

/* entry_SYSCALL_64: RSP, RDI and RAX of user mode on the entry stack. */
TEST(stack_before_sysret)
{
	const u64 stack = 0xfffffe0000003000, user = 0x7f0000001000;
	u64 sp;

	begin(4);
	*entry(stack, 0) = DATA | MAP;
	*entry(user, 0) = (DATA + 0x1000) | MAP;
	put_frame(DATA + 0x1100, 0, 0x401111);
	*word(DATA + 0xff8) = user + 0x80;
	*word(DATA + 0xff0) = 7;
	vcpu.arch.regs[VCPU_REGS_RCX] = 0x401000;
	for (sp = stack + 0xfe8; sp < stack + 0x1000; sp += 8) {
		chain(sp, user + 0x100, true);
		TEST_EQ(buf.end_kernel, VMMPROF_END_DONE);
		TEST_EQ(buf.nr_kernel, 0);
		TEST_EQ(buf.end_user, VMMPROF_END_DONE);
		TEST_EQ(buf.nr_user, 2);
		TEST_EQ(buf.data[0], 0x401000);
		TEST_EQ(buf.data[1], 0x401111);
	}
	chain(stack + 0xfe0, user + 0x100, true);
	TEST_EQ(buf.nr_user, 0);
	vcpu.arch.regs[VCPU_REGS_RCX] = 0;
	chain(stack + 0xff0, user + 0x100, true);
	TEST_EQ(buf.nr_user, 0);
	return 0;
}

/*
 * The end of the stack that ends at @top, of which only the last page is there: @nr
 * words that look like return addresses, the last one the link to @next.  Returns
 * its stack pointer.
 */
static u64 stack_of_words(u64 top, u64 gpa, u32 nr, u64 next)
{
	u64 *w = word(gpa + PAGE_SIZE - 8 * nr);
	u32 i;

	*entry(top - PAGE_SIZE, 0) = gpa | MAP;
	for (i = 0; i + 1 < nr; i++)
		w[i] = 0xffffffff81000020;
	w[i] = next;
	return top - 8 * nr;
}

/*
 * A guest that chooses how many words each of its stacks has: at no time more than
 * there is room for, also when a link took the last of it.
 */
TEST(words_of_linked_stacks_stay_within_their_room)
{
	const u64 user = 0x7f0000001000, tops = 0xffffffff90000000;
	u64 last, one, eight, sp, end = tops + 4 * STACK_SIZE;
	struct pt_regs *regs = (struct pt_regs *)(ram + DATA + PAGE_SIZE) - 1;
	int i;

	begin(4);
	*entry(end - PAGE_SIZE, 0) = DATA | MAP;
	*entry(user, 0) = (DATA + 0x8000) | MAP;
	*regs = (struct pt_regs){ .ip = 0x401000,
				  .cs = USER_CS,
				  .flags = FLAGS_FIXED | X86_EFLAGS_IF,
				  .sp = user + 0x80,
				  .bp = user + 0x100,
				  .ss = USER_DS };
	for (i = 0; i < VMMPROF_CHAIN_DEPTH; i++)
		put_frame(DATA + 0x8100 + 16 * i, user + 0x110 + 16 * i,
			  0x401111);
	for (i = 1; i <= 3; i++)
		((u64 *)regs)[-i] = 0xffffffff81000020;
	last = end - sizeof(*regs) - 3 * 8;
	vcpu.arch.regs[VCPU_REGS_RCX] = 0;
	one = stack_of_words(tops + 3 * STACK_SIZE, DATA + 0x1000, 1, last);
	eight = stack_of_words(tops + 2 * STACK_SIZE, DATA + 0x2000, 8, one);
	sp = stack_of_words(tops + STACK_SIZE, DATA + 0x3000, 500, eight);
	chain_of(sp, 0, true, VMMPROF_CHAIN_DEPTH);
	TEST_EQ(buf.nr_kernel, VMMPROF_CHAIN_WORDS);
	TEST_EQ(buf.end_kernel, VMMPROF_END_ROOM);
	TEST_EQ(buf.nr_user, 0);
	/* the same, but for the stack of one word: both parts are full */
	stack_of_words(tops + 2 * STACK_SIZE, DATA + 0x2000, 8, last);
	chain_of(sp, 0, true, VMMPROF_CHAIN_DEPTH);
	TEST_EQ(buf.nr_kernel, VMMPROF_CHAIN_WORDS);
	TEST_EQ(buf.end_kernel, VMMPROF_END_ROOM);
	TEST_EQ(buf.nr_user, VMMPROF_CHAIN_DEPTH + 1);
	TEST_EQ(buf.nr_kernel + buf.nr_user, VMMPROF_CHAIN_DATA);
	return 0;
}

/* A task of which members are in another page than those before them. */
TEST(task_in_two_pages_is_read)
{
	const struct vmmprof_guest_layout layout = {
		.task_mm = 0,
		.task_tgid = 8,
		.task_pid = 12,
		.task_comm = 16,
		.task_flags = VMMPROF_NONE,
		.task_start = VMMPROF_NONE
	};
	const u64 gs = 0xffff888000100000, page = 0xffff888000204000;
	const u64 members[] = { 0, 71ull << 32 | 70, 0x702d6f77742d6e69,
				0x73656761 }; /* "in-two-p", "ages" */
	static struct vmmprof_whose w;
	struct vmmprof_who who;
	unsigned int i, first;
	char comm[17] = "";

	begin(4);
	*entry(gs, 0) = DATA | MAP;
	*entry(page, 0) = (DATA + 0x1000) | MAP;
	*entry(page + PAGE_SIZE, 0) = (DATA + 0x5000) | MAP;
	/* so many of its words are in the first page: from all to one */
	for (first = 4; first; first--) {
		memset(&w, 0, sizeof(w));
		vmmprof_whose_layout(&w, &layout);
		memset(word(DATA + 0x2000), 0xff, 32);
		memset(word(DATA + 0x5000), 0xff, 32);
		for (i = 0; i < 4; i++)
			*word(i < first ? DATA + 0x2000 - 8 * (first - i) :
					  DATA + 0x5000 +
						  8 * (i - first)) = members[i];
		*word(DATA) = page + PAGE_SIZE - 8 * first;
		TEST_EQ(vmmprof_whose_fill(&w, &memory, gs, 0, &who),
			VMMPROF_WHO_FIRST);
		TEST_EQ(who.tgid, 70);
		TEST_EQ(who.tid, 71);
		TEST_EQ(who.mm, 0);
		memcpy(comm, who.comm, sizeof(who.comm));
		TEST_STR(comm, "in-two-pages");
	}
	/* the half that is not there is why */
	*entry(page + PAGE_SIZE, 0) = 0;
	memset(&w.small, 0, sizeof(w.small));
	TEST_EQ(vmmprof_whose_fill(&w, &memory, gs, 0, &who),
		VMMPROF_WHO_UNMAPPED);
	/* a hostile guest's base: its word would end behind the page */
	*entry(gs + PAGE_SIZE, 0) = DATA | MAP;
	TEST_EQ(vmmprof_whose_fill(&w, &memory, gs + 2 * PAGE_SIZE - 4, 0,
				   &who),
		VMMPROF_WHO_NO_BASE);
	TEST_EQ(fake_pagefault, 0);
	return 0;
}
