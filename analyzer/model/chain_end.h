/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why a chain, or a part of it, has no more frames: what the module wrote
 * (enum vmmprof_chain_end), or why there is nothing of it.
 */
#ifndef MODEL_CHAIN_END_H
#define MODEL_CHAIN_END_H

#include <vmmprof/record.h>

#include "sym/unwind.h"

/* Behind the values of enum vmmprof_chain_end. */
enum chain_end {
	CHAIN_LOST = VMMPROF_END_BITS + 1, /* no CHAIN record came */
	CHAIN_ID,			   /* it refers to data not seen */
	CHAIN_L2,
	CHAIN_PROTECTED,
	CHAIN_SMM,
	CHAIN_SHADOW,
	CHAIN_UNPAGED,
	CHAIN_NO_RULES,	 /* words of a stack, without the kernel's ORC */
	CHAIN_NO_CODE,	 /* a return address where no code is */
	CHAIN_TREE_FULL, /* there were too many others */
	CHAIN_NO_POINTER, /* code that does not keep its caller's frame pointer */
	CHAIN_SWITCH,	  /* the page table may be another task's already */
	CHAIN_EXEC,	  /* ... another program's */
	CHAIN_OTHER,	  /* a reason that this program does not know */
	CHAIN_UNWIND,	  /* + enum unwind_result */
	NR_CHAIN_ENDS = CHAIN_UNWIND + UNWIND_NR
};

/* What became of the chain of a sample.  Each sample is of one class. */
enum chain_class {
	CHAIN_COMPLETE,	 /* to the outermost frame */
	CHAIN_TRUNCATED, /* as many frames as were asked for */
	CHAIN_BROKEN,
	NR_CHAIN_CLASSES
};

/* A reason out of a record as one of those above; CHAIN_OTHER for new ones. */
unsigned int chain_end_of(unsigned int raw);

/* Words for a table, at most 48 characters, and one word; never NULL. */
const char *chain_end_text(unsigned int end);
const char *chain_end_key(unsigned int end);

enum chain_class chain_class_of(unsigned int end);

#endif /* MODEL_CHAIN_END_H */
