// SPDX-License-Identifier: GPL-2.0-only
/* The reasons why chains end, in words. */

#include <stddef.h>

#include "model/chain_end.h"

static const struct {
	const char *key, *text;
} ends[NR_CHAIN_ENDS] = {
	[VMMPROF_END_NONE] = { "none", "nothing recorded" },
	[VMMPROF_END_DONE] = { "done", "complete" },
	[VMMPROF_END_DEPTH] = { "depth", "more frames than recorded" },
	[VMMPROF_END_FRAME] = { "frame", "no frame pointer" },
	[VMMPROF_END_UNMAPPED] = { "unmapped", "stack not mapped" },
	[VMMPROF_END_NO_MEMORY] = { "no-memory",
				    "stack is no memory of the VM" },
	[VMMPROF_END_NOT_PRESENT] = { "not-present", "stack not in memory" },
	[VMMPROF_END_UNWINDER] = { "unwinder",
				   "the kernel's unwinder gave up" },
	[VMMPROF_END_MOVED] = { "moved", "the vCPU had gone on" },
	[VMMPROF_END_BUSY] = { "busy", "the one before was being read" },
	[VMMPROF_END_ROOM] = { "room", "more of the stack than fits" },
	[VMMPROF_END_BITS] = { "bits", "not 64-bit code" },
	[CHAIN_LOST] = { "lost", "no chain recorded" },
	[CHAIN_ID] = { "id", "refers to a lost chain" },
	[CHAIN_L2] = { "l2", "nested guest" },
	[CHAIN_PROTECTED] = { "protected", "protected guest" },
	[CHAIN_SMM] = { "smm", "system management mode" },
	[CHAIN_SHADOW] = { "shadow", "shadow paging" },
	[CHAIN_UNPAGED] = { "unpaged", "guest without paging" },
	[CHAIN_NO_RULES] = { "no-rules", "no unwind table" },
	[CHAIN_NO_CODE] = { "no-code", "no code at the return address" },
	[CHAIN_TREE_FULL] = { "too-many", "too many different chains" },
	[CHAIN_NO_POINTER] = { "no-pointer", "code without a frame pointer" },
	[CHAIN_SWITCH] = { "switch", "page table of another task" },
	[CHAIN_EXEC] = { "exec", "between two programs" },
	[CHAIN_OTHER] = { "other", "unknown reason" },
	[CHAIN_UNWIND + UNWIND_STEP] = { "step", NULL },
	[CHAIN_UNWIND + UNWIND_DONE] = { "unwound", NULL },
	[CHAIN_UNWIND + UNWIND_NO_RULE] = { "no-rule", NULL },
	[CHAIN_UNWIND + UNWIND_UNKNOWN] = { "unknown-rule", NULL },
	[CHAIN_UNWIND + UNWIND_REGISTER] = { "register", NULL },
	[CHAIN_UNWIND + UNWIND_EXPRESSION] = { "expression", NULL },
	[CHAIN_UNWIND + UNWIND_NO_BP] = { "no-bp", NULL },
	[CHAIN_UNWIND + UNWIND_NO_WORD] = { "no-word", NULL },
	[CHAIN_UNWIND + UNWIND_NO_IP] = { "no-ip", NULL },
	[CHAIN_UNWIND + UNWIND_BACKWARDS] = { "backwards", NULL },
};

unsigned int chain_end_of(unsigned int raw)
{
	return raw <= VMMPROF_END_BITS ? raw : CHAIN_OTHER;
}

const char *chain_end_text(unsigned int end)
{
	if (end >= CHAIN_UNWIND && end < NR_CHAIN_ENDS)
		return unwind_result_text(end - CHAIN_UNWIND);
	return ends[end < NR_CHAIN_ENDS ? end : CHAIN_OTHER].text;
}

const char *chain_end_key(unsigned int end)
{
	return ends[end < NR_CHAIN_ENDS ? end : CHAIN_OTHER].key;
}

enum chain_class chain_class_of(unsigned int end)
{
	return end == VMMPROF_END_DONE	? CHAIN_COMPLETE :
	       end == VMMPROF_END_DEPTH ? CHAIN_TRUNCATED :
					  CHAIN_BROKEN;
}
