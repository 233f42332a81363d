// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel stacks that were laid out by known rules are unwound to the frames they
 * were made of: by random call trees with frames of any size, frame pointers,
 * exceptions and interrupt stacks, recorded as the module does.
 */

#include <stdbool.h>

#include "model/chain_kernel.h"
#include "sym/unwind_table.h"

#include "test.h"

#define TEXT	0xffffffff81000000ull
#define STACK	0xffffc90000100000ull /* and its size below: interrupts' */
#define IRQS	0xfffffe0000100000ull
#define SIZE	0x8000
#define FRAMES	60
#define PT_REGS 168

static __u64 random_state = 7;

static __u32 draw(__u32 below)
{
	random_state = random_state * 6364136223846793005ull + 1;
	return (random_state >> 33) % below;
}

/* A stack that is being laid out. */
struct tree {
	__u64 task[SIZE / 8], irq[SIZE / 8];
	__u64 ip, sp, bp;
	bool exact, on_irq;
	__u64 left; /* the task's sp, with on_irq */
	struct unwind_builder rules;
	__u64 next;	       /* the function after the last one */
	__u64 ips[FRAMES + 1]; /* outermost first */
	bool exacts[FRAMES + 1];
	unsigned int nr;
};

static void put(struct tree *t, __u64 addr, __u64 value)
{
	if (addr >= IRQS)
		t->irq[(addr - IRQS) / 8] = value;
	else
		t->task[(addr - STACK) / 8] = value;
}

/* Code of its own for a frame: only there @rule holds. */
static int enter(struct tree *t, const struct vmmprof_unwind_rule *rule,
		 bool exact)
{
	static const struct vmmprof_unwind_rule wrong = {
		.kind = VMMPROF_UNWIND_CALL,
		.cfa = 8,
	};
	__u64 look;

	t->ip = t->next + 16 + draw(1000);
	t->next += 4096;
	t->exact = exact;
	t->ips[t->nr] = t->ip;
	t->exacts[t->nr++] = exact;
	look = exact ? t->ip : t->ip - 1;
	if (unwind_builder_add(&t->rules, t->next - 4096, &wrong) ||
	    unwind_builder_add(&t->rules, look, rule) ||
	    unwind_builder_add(&t->rules, look + 1, &wrong))
		return 1;
	return 0;
}

/* A function that is called: its frame's size is random. */
static int call(struct tree *t, bool exact)
{
	struct vmmprof_unwind_rule r = { .kind = VMMPROF_UNWIND_CALL };
	__u64 cfa = t->sp;

	put(t, cfa - 8, t->ip);
	switch (draw(3)) {
	case 0: /* RBP stays */
		t->sp = cfa - 8 - 8 * draw(12);
		r.cfa = cfa - t->sp;
		break;
	case 1: /* RBP is saved, and used for something else */
		t->sp = cfa - 24 - 8 * draw(12);
		put(t, cfa - 16, t->bp);
		t->bp = draw(1000);
		r.cfa = cfa - t->sp;
		r.bp_from = VMMPROF_BP_CFA;
		r.bp = -16;
		break;
	default: /* a frame pointer */
		put(t, cfa - 16, t->bp);
		t->bp = cfa - 16;
		t->sp = cfa - 16 - 8 * draw(12);
		r.cfa_from = VMMPROF_CFA_BP;
		r.cfa = 16;
		r.bp_from = VMMPROF_BP_CFA;
		r.bp = -16;
	}
	return enter(t, &r, exact);
}

/* An exception: struct pt_regs, then its handler, which is in assembler. */
static int exception(struct tree *t, bool exact)
{
	struct vmmprof_unwind_rule r = {
		.kind = VMMPROF_UNWIND_REGS,
		.flags = VMMPROF_UNWIND_F_SIGNAL,
	};
	__u64 regs = (t->sp - 8 * draw(4) - PT_REGS) & -16ull;
	unsigned int i;

	for (i = 0; i < PT_REGS; i += 8)
		put(t, regs + i, draw(1000));
	put(t, regs + 32, t->bp);
	put(t, regs + 128, t->ip);
	put(t, regs + 152, t->sp);
	t->bp = draw(1000);
	t->sp = regs;
	return enter(t, &r, exact);
}

/*
 * A function that calls on the interrupts' stack, whose last word leads back: of
 * 5.10, which has the old stack pointer in RBP, or of later kernels.
 */
static int switch_stack(struct tree *t, bool exact)
{
	struct vmmprof_unwind_rule r = {
		.kind = VMMPROF_UNWIND_CALL,
		.cfa_from = VMMPROF_CFA_SP_WORD,
		.cfa = 16 + 8 * draw(6),
		.bp_from = VMMPROF_BP_CFA,
		.bp = -16,
	};

	put(t, t->sp - 8, t->ip);
	put(t, t->sp - 16, t->bp);
	if (draw(2)) {
		r.cfa = 16;
		r.cfa_from = VMMPROF_CFA_BP;
		t->bp = t->sp - 16;
	} else {
		t->bp = draw(1000);
	}
	t->left = t->sp - r.cfa;
	t->sp = IRQS + SIZE - 8;
	put(t, t->sp, t->left);
	t->on_irq = true;
	return enter(t, &r, exact);
}

static int grow(struct tree *t, unsigned int frames)
{
	struct vmmprof_unwind_rule entry = {
		.kind = draw(2) ? VMMPROF_UNWIND_REGS : VMMPROF_UNWIND_END,
	};
	bool was_exact = false, exact;

	t->sp = STACK + SIZE - PT_REGS;
	t->next = TEXT;
	if (enter(t, &entry, false))
		return 1;
	while (t->nr <= frames) {
		int what = draw(12), err;

		/* exceptions interrupt, the innermost frame was sampled */
		exact = t->nr == frames || !draw(6);
		if (was_exact)
			err = exception(t, exact = t->nr == frames);
		else if (!what && !t->on_irq && !exact)
			err = switch_stack(t, exact);
		else
			err = call(t, exact);
		if (err)
			return err;
		was_exact = exact;
	}
	return 0;
}

/* As the module does: words that point into this stack, or into the kernel. */
static size_t take(const __u64 *stack, __u64 base, __u64 low, __u64 end,
		   __u64 *to)
{
	size_t nr = 0;
	__u64 at;

	for (at = base; at < end; at += 8) {
		__u64 word = stack[(at - low) / 8];

		if (word - base < end - base)
			to[nr++] = (word - base) << 16 | VMMPROF_WORD_STACK |
				   (at - base) / 8;
		else if (word >= TEXT)
			to[nr++] = word << 16 | (at - base) / 8;
	}
	return nr;
}

static size_t record(const struct tree *t, __u64 *words)
{
	__u64 base = t->sp;
	size_t nr = 0;

	if (t->on_irq) {
		nr = take(t->irq, base, IRQS, IRQS + SIZE, words);
		base = t->left;
		words[nr++] = VMMPROF_WORD_BASE;
		words[nr++] = base;
	}
	return nr +
	       take(t->task, base, STACK, STACK + SIZE - PT_REGS, words + nr);
}

static const struct vmmprof_unwind_rule *rule_of(void *arg, __u64 addr)
{
	return unwind_table_find(arg, addr);
}

static void unwind(const struct tree *t, const __u64 *words, size_t nr,
		   struct unwind_table *table, struct chain_kernel *ret)
{
	struct chain_kernel_from from = {
		.ip = t->ip,
		.sp = t->sp,
		.bp = t->bp,
		.has_bp = true,
		.words = words,
		.nr_words = nr,
		.end = VMMPROF_END_DONE,
	};

	chain_kernel(&from, rule_of, table, ret);
}

static int check_tree(unsigned int frames)
{
	static __u64 words[SIZE / 4];
	static struct chain_kernel c;
	static struct tree t;
	struct unwind_table table;
	unsigned int i;
	size_t nr;

	memset(&t, 0, sizeof(t));
	TEST_EQ(grow(&t, frames), 0);
	TEST_EQ(unwind_builder_end(&t.rules, t.next + 4096, &table), 0);
	nr = record(&t, words);
	TEST_OK(nr <= VMMPROF_CHAIN_WORDS);
	unwind(&t, words, nr, &table, &c);
	TEST_EQ(c.end, UNWIND_DONE);
	TEST_EQ(c.nr, t.nr - 1);
	for (i = 0; i < c.nr; i++) {
		TEST_EQ(c.ip[i], t.ips[t.nr - 2 - i]);
		TEST_EQ(c.exact[i], t.exacts[t.nr - 2 - i]);
	}
	unwind_table_free(&table);
	return 0;
}

TEST(random_stacks_are_unwound_to_what_they_were_made_of)
{
	unsigned int i;

	for (i = 0; i < 3000; i++)
		if (check_tree(1 + draw(FRAMES - 1)))
			return 1;
	return 0;
}

/* One frame, whose caller is in the word at its CFA. */
static const struct vmmprof_unwind_rule one = {
	.kind = VMMPROF_UNWIND_CALL,
	.cfa = 16,
};

static const struct vmmprof_unwind_rule *one_rule(void *arg, __u64 addr)
{
	(void)arg;
	return addr >= TEXT && addr < TEXT + 4096 ? &one : NULL;
}

/* What is not recorded is not invented. */
TEST(a_chain_that_cannot_be_finished_says_why)
{
	__u64 words[] = { (TEXT + 100) << 16 | 1, 1 };
	struct chain_kernel_from from = {
		.ip = TEXT,
		.sp = STACK,
		.words = words,
		.nr_words = 1,
		.end = VMMPROF_END_ROOM,
	};
	static struct chain_kernel c;

	chain_kernel(&from, one_rule, NULL, &c);
	TEST_EQ(c.nr, 1);
	TEST_EQ(c.ip[0], TEXT + 100);
	TEST_EQ(c.end, UNWIND_NO_WORD);
	from.ip = TEXT + 5000;
	chain_kernel(&from, one_rule, NULL, &c);
	TEST_EQ(c.nr, 0);
	TEST_EQ(c.end, UNWIND_NO_RULE);
	/* a base without its value */
	words[0] = VMMPROF_WORD_BASE;
	from.ip = TEXT;
	chain_kernel(&from, one_rule, NULL, &c);
	TEST_EQ(c.nr, 0);
	TEST_EQ(c.end, UNWIND_NO_WORD);
	return 0;
}

static const struct vmmprof_unwind_rule *loop_rule(void *arg, __u64 addr)
{
	static const struct vmmprof_unwind_rule r = {
		.kind = VMMPROF_UNWIND_CALL,
		.cfa_from = VMMPROF_CFA_SP_WORD,
	};

	(void)arg;
	(void)addr;
	return &r;
}

TEST(a_stack_that_leads_to_itself_ends)
{
	/* the last word leads to itself, above a return address */
	const __u64 words[] = { 16ull << 16 | VMMPROF_WORD_STACK,
				(TEXT + 100) << 16 | 1,
				16ull << 16 | VMMPROF_WORD_STACK | 2 };
	struct chain_kernel_from from = {
		.ip = TEXT,
		.sp = STACK,
		.words = words,
		.nr_words = 3,
		.end = VMMPROF_END_DONE,
	};
	static struct chain_kernel c;

	chain_kernel(&from, loop_rule, NULL, &c);
	TEST_EQ(c.nr, VMMPROF_CHAIN_DEPTH);
	TEST_EQ(c.end, UNWIND_STEP);
	return 0;
}
