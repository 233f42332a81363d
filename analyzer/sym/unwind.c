// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a frame to its caller.  Offsets in struct pt_regs: arch/x86/include/asm/
 * ptrace.h; what the CPU pushes: SDM, "64-Bit Mode Stack Frame".
 */

#include "sym/unwind.h"

/* In struct pt_regs, bytes. */
#define PT_BP	32
#define PT_IP	128

/* From RIP to RSP of an interrupt's frame. */
#define IRET_SP 24

static const char *const texts[UNWIND_NR] = {
	[UNWIND_STEP] = "not yet at the outermost frame",
	[UNWIND_DONE] = "complete",
	[UNWIND_NO_RULE] = "no unwind table for this code",
	[UNWIND_UNKNOWN] = "the unwind table has no rule for this code",
	[UNWIND_REGISTER] = "needs a register that is not recorded",
	[UNWIND_EXPRESSION] = "needs an expression of an unknown form",
	[UNWIND_NO_BP] = "the frame pointer is not known",
	[UNWIND_NO_WORD] = "a word of the stack is missing",
	[UNWIND_NO_IP] = "the interrupted code is not recorded",
	[UNWIND_BACKWARDS] = "the stack goes backwards",
};

const char *unwind_result_text(enum unwind_result r)
{
	return (unsigned int)r < UNWIND_NR ? texts[r] : "unknown";
}

/* A step under way. */
struct step {
	const struct vmmprof_unwind_rule *rule;
	const struct unwind_regs *from;
	unwind_read_fn read;
	void *arg;
};

static enum unwind_result find_cfa(const struct step *s, __u64 *cfa)
{
	const struct vmmprof_unwind_rule *r = s->rule;

	if ((r->cfa_from == VMMPROF_CFA_BP ||
	     r->cfa_from == VMMPROF_CFA_BP_WORD) &&
	    !s->from->has_bp)
		return UNWIND_NO_BP;
	switch (r->cfa_from) {
	case VMMPROF_CFA_SP:
		*cfa = s->from->sp + r->cfa;
		break;
	case VMMPROF_CFA_BP:
		*cfa = s->from->bp + r->cfa;
		break;
	case VMMPROF_CFA_SP_WORD:
		if (!s->read(s->arg, s->from->sp, cfa))
			return UNWIND_NO_WORD;
		*cfa += r->cfa;
		break;
	case VMMPROF_CFA_BP_WORD:
		if (!s->read(s->arg, s->from->bp + r->cfa, cfa))
			return UNWIND_NO_WORD;
		break;
	case VMMPROF_CFA_PLT:
		*cfa = s->from->sp + 8;
		if ((__s32)(s->from->ip & 15) >= r->cfa)
			*cfa += 8;
		break;
	default:
		return UNWIND_UNKNOWN;
	}
	return UNWIND_STEP;
}

static void find_bp(const struct step *s, __u64 cfa, struct unwind_regs *to)
{
	__u64 at;

	switch (s->rule->bp_from) {
	case VMMPROF_BP_SAME:
		return;
	case VMMPROF_BP_CFA:
		at = cfa + s->rule->bp;
		break;
	case VMMPROF_BP_BP:
		if (!to->has_bp)
			return;
		at = s->from->bp + s->rule->bp;
		break;
	default:
		to->has_bp = false;
		return;
	}
	to->has_bp = s->read(s->arg, at, &to->bp);
}

static enum unwind_result step_call(const struct step *s,
				    struct unwind_regs *to)
{
	enum unwind_result r;
	__u64 cfa;

	r = find_cfa(s, &cfa);
	if (r)
		return r;
	if (s->rule->cfa_from == VMMPROF_CFA_SP && cfa <= s->from->sp)
		return UNWIND_BACKWARDS;
	if (!s->read(s->arg, cfa - 8, &to->ip))
		return UNWIND_NO_WORD;
	to->sp = cfa;
	find_bp(s, cfa, to);
	return UNWIND_STEP;
}

/* Registers that an interrupt or an exception left at the CFA. */
static enum unwind_result step_regs(const struct step *s,
				    struct unwind_regs *to)
{
	bool all = s->rule->kind == VMMPROF_UNWIND_REGS;
	enum unwind_result r;
	__u64 cfa, ip;

	r = find_cfa(s, &cfa);
	if (r)
		return r;
	ip = all ? cfa + PT_IP : cfa;
	if (!s->read(s->arg, ip, &to->ip))
		return UNWIND_NO_IP;
	if (!s->read(s->arg, ip + IRET_SP, &to->sp))
		return UNWIND_NO_WORD;
	if (all && s->rule->bp_from == VMMPROF_BP_SAME)
		to->has_bp = s->read(s->arg, cfa + PT_BP, &to->bp);
	else
		find_bp(s, cfa, to);
	return UNWIND_STEP;
}

static enum unwind_result step_signal(const struct step *s,
				      struct unwind_regs *to)
{
	__u64 sp = s->from->sp;

	if (!s->read(s->arg, sp + s->rule->cfa, &to->sp) ||
	    !s->read(s->arg, sp + s->rule->cfa + 8, &to->ip))
		return UNWIND_NO_WORD;
	to->has_bp = s->rule->bp_from != VMMPROF_BP_LOST &&
		     s->read(s->arg, sp + s->rule->bp, &to->bp);
	return UNWIND_STEP;
}

enum unwind_result unwind_step(const struct vmmprof_unwind_rule *rule,
			       struct unwind_regs *regs, unwind_read_fn read,
			       void *arg)
{
	struct step s = { rule, regs, read, arg };
	struct unwind_regs to = *regs;
	enum unwind_result r;

	if (!rule)
		return UNWIND_NO_RULE;
	switch (rule->kind) {
	case VMMPROF_UNWIND_CALL:
		r = step_call(&s, &to);
		break;
	case VMMPROF_UNWIND_REGS:
	case VMMPROF_UNWIND_IRET:
		r = step_regs(&s, &to);
		break;
	case VMMPROF_UNWIND_SIGNAL:
		r = step_signal(&s, &to);
		break;
	case VMMPROF_UNWIND_END:
		return UNWIND_DONE;
	case VMMPROF_UNWIND_REGISTER:
		return UNWIND_REGISTER;
	case VMMPROF_UNWIND_EXPRESSION:
		return UNWIND_EXPRESSION;
	default:
		return UNWIND_UNKNOWN;
	}
	if (r)
		return r;
	/* what some threads begin with */
	if (!to.ip)
		return UNWIND_DONE;
	to.exact = rule->flags & VMMPROF_UNWIND_F_SIGNAL;
	*regs = to;
	return UNWIND_STEP;
}
