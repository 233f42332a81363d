// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unwinds the kernel stack of a guest out of the words that were recorded.  A
 * word that is missing where an interrupted IP should be is one of user mode:
 * every address of the kernel is recorded.
 */

#include <string.h>

#include "model/chain_kernel.h"
#include "base/search.h"
#include "base/sort.h"

#define PAGE 4096

struct word {
	__u64 addr;
	__u64 value;
};

struct stack {
	struct word words[VMMPROF_CHAIN_WORDS];
	size_t nr;
};

static int compare(const void *pa, const void *pb)
{
	const struct word *a = pa, *b = pb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static void add(struct stack *s, __u64 addr, __u64 value)
{
	s->words[s->nr++] = (struct word){ addr, value };
}

/*
 * A stack that was left for another one is linked from the last word of that
 * one's last page (arch/x86/include/asm/irq_stack.h).  The link points to
 * neither of what is recorded, but it is the next base; below it is the return
 * address of what was called on the new stack, the last word that is recorded.
 */
static __u64 link_addr(const struct stack *s, __u64 base)
{
	__u64 last = base;

	if (s->nr && s->words[s->nr - 1].addr > base)
		last = s->words[s->nr - 1].addr;
	return (last | (PAGE - 1)) - 7;
}

/* Where the words were, and what they are. */
static void read_words(const struct chain_kernel_from *from, struct stack *s)
{
	size_t i, nr = from->nr_words;
	__u64 base = from->sp, at;
	bool sorted = true;

	s->nr = 0;
	if (nr > VMMPROF_CHAIN_WORDS)
		nr = VMMPROF_CHAIN_WORDS;
	for (i = 0; i < nr; i++) {
		__u64 w = from->words[i];

		if ((w & 0xffff) == VMMPROF_WORD_BASE) {
			if (++i == nr)
				break;
			add(s, link_addr(s, base), from->words[i]);
			base = from->words[i];
			continue;
		}
		at = base + 8 * (w & VMMPROF_WORD_INDEX);
		if (w & VMMPROF_WORD_STACK)
			add(s, at, base + ((__s64)w >> 16));
		else
			add(s, at, w >> 16 | 0xffffULL << 48);
	}
	for (i = 1; i < s->nr; i++)
		sorted &= s->words[i - 1].addr < s->words[i].addr;
	if (!sorted)
		sort_array(s->words, s->nr, sizeof(*s->words), compare);
}

static bool read_word(void *arg, __u64 addr, __u64 *value)
{
	const struct stack *s = arg;
	size_t lo = 0, hi = s->nr, mid;

	BISECT(lo, hi, mid, s->words[mid].addr < addr);
	if (lo == s->nr || s->words[lo].addr != addr)
		return false;
	*value = s->words[lo].value;
	return true;
}

/*
 * Up to 5.11 the function that changes stacks has the one it left in RBP, too,
 * (asm_call_on_stack of arch/x86/entry/entry_64.S), and whoever saves RBP on the
 * new one writes a word that is not recorded: it is the link's.
 */
static bool bp_of_link(const struct stack *s, struct unwind_regs *regs)
{
	if (regs->has_bp || (regs->sp & (PAGE - 1)) != PAGE - 8)
		return false;
	regs->has_bp = read_word((void *)s, regs->sp, &regs->bp);
	return regs->has_bp;
}

/* What a jump by a return left below it is the return address. */
static enum unwind_result step_jump(const struct stack *s,
				    struct unwind_regs *regs)
{
	if (!read_word((void *)s, regs->sp, &regs->ip))
		return UNWIND_NO_WORD;
	regs->sp += 8;
	return UNWIND_STEP;
}

void chain_kernel(const struct chain_kernel_from *from, chain_rule_fn rule,
		  void *arg, struct chain_kernel *ret)
{
	struct unwind_regs regs = {
		.ip = from->ip,
		.sp = from->sp,
		.bp = from->bp,
		.has_bp = from->has_bp,
		.exact = true,
	};
	const struct vmmprof_unwind_rule *r;
	struct stack stack;
	__u64 at;

	read_words(from, &stack);
	ret->nr = 0;
	for (;;) {
		at = unwind_lookup(&regs);
		r = rule(arg, at);
		ret->end = unwind_step(r, &regs, read_word, &stack);
		if (ret->end == UNWIND_NO_BP && bp_of_link(&stack, &regs))
			ret->end = unwind_step(r, &regs, read_word, &stack);
		if (ret->end == UNWIND_NO_IP && from->end == VMMPROF_END_DONE)
			ret->end = UNWIND_DONE;
		if (!ret->end && from->jumps && from->jumps(arg, at, regs.ip))
			ret->end = step_jump(&stack, &regs);
		if (ret->end || ret->nr == VMMPROF_CHAIN_DEPTH)
			return;
		ret->ip[ret->nr] = regs.ip;
		ret->exact[ret->nr++] = regs.exact;
	}
}
