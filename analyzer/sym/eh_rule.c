// SPDX-License-Identifier: GPL-2.0-only
/* States of .eh_frame's programs to rules; the expressions that rules know. */

#include <stdint.h>
#include <string.h>

#include "sym/eh_rule.h"

/* DWARF operations that are part of a known expression. */
#define OP_DEREF 0x06
#define OP_BREG0 0x70
#define OP_BREGS 32

static bool fits(__s64 v)
{
	return v >= INT32_MIN && v <= INT32_MAX;
}

/* What the ABI's signal frame is described by; see glibc's __restore_rt. */
static bool signal_rule(const struct eh_state *s, struct vmmprof_unwind_rule *r)
{
	if (s->cfa.how != EH_DEREF || s->cfa.reg != EH_REG_SP ||
	    s->ra.how != EH_DEREF || s->ra.reg != EH_REG_SP ||
	    s->ra.offset != s->cfa.offset + 8)
		return false;
	r->kind = VMMPROF_UNWIND_SIGNAL;
	r->cfa = s->cfa.offset;
	r->bp_from = VMMPROF_BP_LOST;
	if (s->bp.how == EH_DEREF && s->bp.reg == EH_REG_SP &&
	    fits(s->bp.offset)) {
		r->bp_from = VMMPROF_BP_CFA;
		r->bp = s->bp.offset;
	}
	return true;
}

/* The rule's kind, if its CFA is in a form that rules know. */
static __u8 cfa_rule(const struct eh_column *cfa, struct vmmprof_unwind_rule *r)
{
	r->cfa = cfa->offset;
	switch (cfa->how) {
	case EH_REG:
		if (cfa->reg != EH_REG_SP && cfa->reg != EH_REG_BP)
			return VMMPROF_UNWIND_REGISTER;
		r->cfa_from = cfa->reg == EH_REG_SP ? VMMPROF_CFA_SP :
						      VMMPROF_CFA_BP;
		return VMMPROF_UNWIND_CALL;
	case EH_DEREF:
		if (cfa->reg != EH_REG_SP && cfa->reg != EH_REG_BP)
			return VMMPROF_UNWIND_REGISTER;
		if (cfa->reg == EH_REG_SP && cfa->offset)
			return VMMPROF_UNWIND_EXPRESSION;
		r->cfa_from = cfa->reg == EH_REG_SP ? VMMPROF_CFA_SP_WORD :
						      VMMPROF_CFA_BP_WORD;
		return VMMPROF_UNWIND_CALL;
	case EH_PLT:
		r->cfa_from = VMMPROF_CFA_PLT;
		return VMMPROF_UNWIND_CALL;
	}
	return VMMPROF_UNWIND_EXPRESSION;
}

static void bp_rule(const struct eh_column *bp, struct vmmprof_unwind_rule *r)
{
	r->bp_from = VMMPROF_BP_LOST;
	if (bp->how == EH_SAME) {
		r->bp_from = VMMPROF_BP_SAME;
	} else if (bp->how == EH_AT_CFA && fits(bp->offset)) {
		r->bp_from = VMMPROF_BP_CFA;
		r->bp = bp->offset;
	} else if (bp->how == EH_DEREF && bp->reg == EH_REG_BP &&
		   fits(bp->offset)) {
		r->bp_from = VMMPROF_BP_BP;
		r->bp = bp->offset;
	}
}

struct vmmprof_unwind_rule eh_rule(const struct eh_state *s, bool is_signal)
{
	struct vmmprof_unwind_rule r = { 0 };
	__u8 flags = is_signal ? VMMPROF_UNWIND_F_SIGNAL : 0;
	__u8 kind = VMMPROF_UNWIND_EXPRESSION;

	if (s->ra.how == EH_GONE) {
		kind = VMMPROF_UNWIND_END;
	} else if (fits(s->cfa.offset) && signal_rule(s, &r)) {
		r.flags = flags | VMMPROF_UNWIND_F_SIGNAL;
		return r;
	} else if (fits(s->cfa.offset) && s->ra.how == EH_AT_CFA &&
		   s->ra.offset == -8) {
		kind = cfa_rule(&s->cfa, &r);
	}
	if (kind != VMMPROF_UNWIND_CALL)
		return (struct vmmprof_unwind_rule){ .kind = kind };
	bp_rule(&s->bp, &r);
	r.kind = kind;
	r.flags = flags;
	return r;
}

/*
 * The PLT's is elf_x86_64_eh_frame_lazy_plt of binutils: 8 bytes more once the
 * stub has pushed its number.
 */
struct eh_column eh_expression(struct eh_bytes *b, bool location)
{
	static const __u8 plt[] = { 0x77, 8,	0x80, 0,    0x3f, 0x1a,
				    0,	  0x2a, 0x33, 0x24, 0x22 };
	struct eh_column c = { .how = EH_OTHER };
	__u64 len = eh_uleb(b);
	struct eh_bytes in = *b;
	__u8 copy[sizeof(plt)], op;

	if (b->bad || len > b->end - b->at) {
		b->bad = true;
		return c;
	}
	in.end = b->at + len;
	b->at += len;
	if (len == sizeof(plt) && !location) {
		memcpy(copy, in.bytes + in.at, sizeof(plt));
		op = copy[6];
		copy[6] = 0;
		if (!memcmp(copy, plt, sizeof(plt)) && op >= 0x30 &&
		    op < 0x40) {
			c.how = EH_PLT;
			c.offset = op - 0x30;
			return c;
		}
	}
	op = eh_fixed(&in, 1);
	c.reg = op - OP_BREG0;
	c.offset = eh_sleb(&in);
	if (in.bad || op < OP_BREG0 || op >= OP_BREG0 + OP_BREGS)
		return c;
	if (in.at == in.end)
		c.how = location ? EH_DEREF : EH_REG;
	else if (!location && in.end - in.at == 1 &&
		 eh_fixed(&in, 1) == OP_DEREF)
		c.how = EH_DEREF;
	return c;
}
