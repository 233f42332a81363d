// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules of a process's code, and return addresses that frame pointers led to.
 * Code without frame pointers leaves RBP to its callers, so that such a chain
 * leaps over frames: rules tell where.
 */

#include <errno.h>
#include <string.h>

#include "model/chain_user.h"
#include "sym/elf.h"

/*
 * What calls main() and the functions of threads, in glibc (csu/libc-start.c,
 * sysdeps/nptl/libc_start_call_main.h, nptl/pthread_create.c, clone.S) and musl.
 * They are often built without frame pointers: they are found, but not who called
 * them, which is of no interest.
 */
static const char *const entries[CHAIN_ENTRIES] = {
	"_start",
	"__libc_start_call_main",
	"__libc_start_main",
	"__libc_start_main_impl",
	"start_thread",
	"__clone3",
	"__clone",
	"libc_start_main_stage2",
};

int chain_entry_names(struct chain_names *n, struct resolver *r)
{
	size_t i;
	int err = 0;

	for (i = 0; i < CHAIN_ENTRIES && !err; i++)
		err = strings_add(&r->strings, entries[i], strlen(entries[i]),
				  &n->entry[i]);
	return err;
}

/* Is the outermost frame where a thread begins? */
static bool at_entry(const struct chain_frames *f, const struct chain_names *n)
{
	const struct chain_frame *last = &f->frame[f->nr - 1];
	size_t i;

	if (last->kind != FRAME_CODE || last->func == VMMPROF_NONE)
		return false;
	for (i = 0; i < CHAIN_ENTRIES; i++)
		if (last->func == n->entry[i])
			return true;
	return false;
}

/* What is known of the process's stack. */
static bool read_stack(void *arg, __u64 addr, __u64 *value)
{
	const struct chain_part *p = arg;
	const __u64 before = p->head.nr_kernel + p->head.nr_user;
	const __u64 words = p->head.stack_size / 8;
	__u64 at = addr - p->regs.sp;

	if (!(p->head.hdr.flags & VMMPROF_C_REGS) || at % 8)
		return false;
	if (at / 8 < words) /* below the stack pointer it is very large */
		*value = p->data[before + at / 8];
	else if (at < sizeof(p->regs.top) && p->regs.top[at / 8])
		*value = p->regs.top[at / 8];
	else
		return false;
	return true;
}

static bool is_stub(const struct resolver *r, const struct chain_frame *frame)
{
	const size_t end = strlen(ELFFILE_STUB);
	const char *name;
	size_t len;

	if (frame->func == VMMPROF_NONE)
		return false;
	name = strings_get(&r->strings, frame->func);
	len = strlen(name);
	return len > end && !strcmp(name + len - end, ELFFILE_STUB);
}

/*
 * The rule of the code of the outermost frame; NULL: none is known.  Linkers
 * leave out that of stubs in static programs, and lld in all: it is the one that
 * binutils writes (elf_x86_64_eh_frame_lazy_plt), whose push is behind the jump.
 */
static const struct vmmprof_unwind_rule *
rule_of_last(const struct chain_frames *f, struct resolver *r,
	     const struct resolve_space *in)
{
	static const struct vmmprof_unwind_rule of_stubs = {
		.kind = VMMPROF_UNWIND_CALL,
		.cfa_from = VMMPROF_CFA_PLT,
		.cfa = 11, /* where the push has been executed */
		.bp_from = VMMPROF_BP_SAME,
	};
	const struct chain_frame *last = &f->frame[f->nr - 1];
	const struct vmmprof_unwind_rule *rule;

	if (last->file == VMMPROF_NONE)
		return NULL;
	rule = resolve_rule(r, in, last->file, last->link);
	if ((!rule || rule->kind == VMMPROF_UNWIND_UNKNOWN) && is_stub(r, last))
		return &of_stubs;
	return rule;
}

/* Code that has its caller's frame pointer at RBP. */
static bool has_pointer(const struct vmmprof_unwind_rule *rule)
{
	return rule->kind == VMMPROF_UNWIND_CALL &&
	       rule->cfa_from == VMMPROF_CFA_BP;
}

/*
 * Behind no call, by the rules of the code before it: it is the beginning of what
 * a signal handler returns to, or of what a context or a thread begins with.
 */
static bool begins(const struct vmmprof_unwind_rule *before,
		   const struct vmmprof_unwind_rule *at)
{
	if (!at || at->kind == VMMPROF_UNWIND_UNKNOWN)
		return false;
	if (!before || before->kind == VMMPROF_UNWIND_UNKNOWN)
		return true;
	return at->kind == VMMPROF_UNWIND_SIGNAL ||
	       (at->kind == VMMPROF_UNWIND_END &&
		before->kind != VMMPROF_UNWIND_END);
}

/*
 * Add the code that returns to @ret: a call, or code that begins there, which the
 * C library does at multiples of 16.
 */
static int push_return(struct chain_frames *f, struct resolver *r,
		       const struct resolve_space *in, __u64 ret)
{
	const struct vmmprof_unwind_rule *rule;
	int err = chain_push_code(f, r, in, true, call_of(ret));

	if (err || ret & 15)
		return err;
	rule = rule_of_last(f, r, in);
	f->nr--;
	err = chain_push_code(f, r, in, true, ret);
	if (err || begins(rule, rule_of_last(f, r, in)))
		return err;
	f->nr--;
	return chain_push_code(f, r, in, true, call_of(ret));
}

/*
 * Go outwards by rules from the frame that is there, as far as words are known.
 * *end: UNWIND_STEP as long as frame pointers may go on from there.
 */
static int unwind(struct chain_frames *f, struct resolver *r,
		  const struct resolve_space *in, const struct chain_part *p,
		  struct unwind_regs *regs, enum unwind_result *end)
{
	const struct vmmprof_unwind_rule *rule;
	unsigned int i;
	int err = 0;

	for (i = 0; i < VMMPROF_CHAIN_DEPTH && !err; i++) {
		rule = rule_of_last(f, r, in);
		if (!rule || (has_pointer(rule) && !p->head.stack_size)) {
			f->unchecked |= !rule && !i;
			*end = UNWIND_STEP;
			return 0;
		}
		*end = unwind_step(rule, regs, read_stack, (void *)p);
		if (*end != UNWIND_STEP)
			return 0;
		err = regs->exact ? chain_push_code(f, r, in, true, regs->ip) :
				    push_return(f, r, in, regs->ip);
	}
	return err;
}

/* Where the code is not the process's, nothing was called from. */
static bool no_code(struct chain_frames *f, __u32 machine)
{
	if (f->frame[f->nr - 1].cause != CAUSE_NOT_MAPPED)
		return false;
	f->nr--;
	chain_gap(f, machine, CHAIN_NO_CODE);
	return true;
}

/* The return addresses that frame pointers led to, from number @i on. */
static int push_pointers(struct chain_frames *f, struct resolver *r,
			 const struct chain_names *n,
			 const struct resolve_space *in,
			 const struct chain_part *p, size_t i)
{
	const __u64 *data = p->data + p->head.nr_kernel;
	const struct vmmprof_unwind_rule *rule;
	size_t from = f->nr;
	int err = 0;

	for (; i < p->head.nr_user && !err; i++) {
		if (at_entry(f, n))
			return 0;
		rule = f->nr > from ? rule_of_last(f, r, in) : NULL;
		if (rule && !has_pointer(rule))
			chain_gap(f, in->machine, CHAIN_NO_POINTER);
		err = push_return(f, r, in, data[i]);
		if (!err && no_code(f, in->machine))
			return 0;
	}
	if (!err && !at_entry(f, n))
		chain_gap(f, in->machine, chain_end_of(p->head.end_user));
	return err;
}

/*
 * Rules and frame pointers may have found the same frame: go on behind it.
 * False: they have not.
 */
static bool behind_last(const struct chain_frames *f, const __u64 *data,
			size_t nr, size_t *i)
{
	__u64 last = f->frame[f->nr - 1].addr;
	size_t k;

	for (k = *i; k < nr; k++) {
		if (call_of(data[k]) != last)
			continue;
		*i = k + 1;
		return true;
	}
	return false;
}

int chain_push_left(struct chain_frames *f, struct resolver *r,
		    const struct resolve_space *in, __u64 pc)
{
	int err = chain_push_code(f, r, in, true, pc);

	return err ? err : !no_code(f, in->machine);
}

int chain_push_user(struct chain_frames *f, struct resolver *r,
		    const struct chain_names *n, const struct resolve_space *in,
		    const struct chain_part *p, __u64 pc, bool kernel)
{
	const __u64 *data = p->data + p->head.nr_kernel;
	struct unwind_regs regs = {
		.ip = pc,
		.sp = p->regs.sp,
		.bp = p->regs.bp,
		/* that of the kernel's code is another one */
		.has_bp = !kernel && p->head.hdr.flags & VMMPROF_C_REGS,
		.exact = true,
	};
	size_t first = kernel && p->head.nr_user;
	enum unwind_result end = UNWIND_STEP;
	size_t was;
	int err = 0;

	if (first) {
		err = chain_push_left(f, r, in, pc);
		if (err <= 0)
			return err;
		err = 0;
	}
	was = f->nr;
	if (!err && (first || !kernel))
		err = unwind(f, r, in, p, &regs, &end);
	if (err || end == UNWIND_DONE || (f->nr > was && at_entry(f, n)))
		return err;
	if (end != UNWIND_STEP)
		chain_gap(f, in->machine,
			  p->head.stack_size ? CHAIN_UNWIND + end :
					       CHAIN_NO_POINTER);
	if (f->nr > was && end == UNWIND_STEP &&
	    !behind_last(f, data, p->head.nr_user, &first) &&
	    p->head.stack_size)
		chain_gap(f, in->machine, CHAIN_UNWIND + UNWIND_NO_RULE);
	return push_pointers(f, r, n, in, p, first);
}
