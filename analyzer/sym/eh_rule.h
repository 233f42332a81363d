/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a program of .eh_frame has said at an address, and the rule that it
 * makes.
 */
#ifndef SYM_EH_RULE_H
#define SYM_EH_RULE_H

#include <vmmprof/maps.h>

#include "sym/eh_bytes.h"

/* x86-64 psABI, "DWARF Register Number Mapping". */
#define EH_REG_BP 6
#define EH_REG_SP 7

/* Where a value is. */
enum eh_how {
	EH_SAME,   /* unchanged; not the CFA */
	EH_REG,	   /* it is reg + offset */
	EH_DEREF,  /* it is the word at reg + offset */
	EH_AT_CFA, /* it is the word at CFA + offset */
	EH_PLT,	   /* only the CFA: see VMMPROF_CFA_PLT; offset is the limit */
	EH_GONE,   /* undefined */
	EH_OTHER,  /* something that is not known here */
};

struct eh_column {
	__u8 how;
	__u64 reg;
	__s64 offset;
};

struct eh_state {
	struct eh_column cfa, bp, ra;
};

/*
 * An expression behind its length.  Known ones: reg + offset, the word there,
 * and that of the linker for the PLT.  @location: it says where the value is.
 */
struct eh_column eh_expression(struct eh_bytes *b, bool location);

struct vmmprof_unwind_rule eh_rule(const struct eh_state *s, bool is_signal);

#endif /* SYM_EH_RULE_H */
