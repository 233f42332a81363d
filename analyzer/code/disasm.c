// SPDX-License-Identifier: GPL-2.0-only
/* Disassembly by capstone. */

#include <capstone/capstone.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "code/disasm.h"

int disasm_init(struct disasm *d, const __u8 *bytes, size_t size, __u64 addr,
		bool ia32, bool intel)
{
	csh handle;

	memset(d, 0, sizeof(*d));
	d->bytes = bytes;
	d->left = size;
	d->addr = addr;
	if (cs_open(CS_ARCH_X86, ia32 ? CS_MODE_32 : CS_MODE_64, &handle))
		return -ENOMEM;
	d->handle = handle;
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	if (cs_option(handle, CS_OPT_SYNTAX,
		      intel ? CS_OPT_SYNTAX_INTEL : CS_OPT_SYNTAX_ATT))
		return -ENOMEM;
	d->insn = cs_malloc(handle);
	return d->insn ? 0 : -ENOMEM;
}

void disasm_deinit(struct disasm *d)
{
	csh handle = d->handle;

	if (d->insn)
		cs_free(d->insn, 1);
	if (handle)
		cs_close(&handle);
	memset(d, 0, sizeof(*d));
}

static enum flow flow_of(csh handle, const cs_insn *in)
{
	if (cs_insn_group(handle, in, CS_GRP_RET) ||
	    cs_insn_group(handle, in, CS_GRP_IRET) || in->id == X86_INS_JMP ||
	    in->id == X86_INS_LJMP || in->id == X86_INS_UD2)
		return FLOW_AWAY;
	if (cs_insn_group(handle, in, CS_GRP_CALL))
		return FLOW_CALL;
	if (cs_insn_group(handle, in, CS_GRP_JUMP))
		return FLOW_BRANCH;
	return FLOW_NEXT;
}

bool disasm_next(struct disasm *d, struct insn *ret)
{
	const cs_x86 *x86;
	cs_insn *in = d->insn;

	if (!d->left)
		return false;
	memset(ret, 0, sizeof(*ret));
	ret->addr = d->addr;
	/* capstone advances all three past the instruction, if there is one. */
	if (!cs_disasm_iter(d->handle, &d->bytes, &d->left, &d->addr, in)) {
		ret->bad = true;
		ret->size = 1;
		snprintf(ret->text, sizeof(ret->text), ".byte 0x%02x",
			 d->bytes[0]);
		d->bytes++;
		d->left--;
		d->addr++;
		return true;
	}
	ret->size = in->size;
	ret->flow = flow_of(d->handle, in);
	ret->repeats = ret->flow == FLOW_NEXT &&
		       !strncmp(in->mnemonic, "rep", 3);
	snprintf(ret->text, sizeof(ret->text), "%s%s%s", in->mnemonic,
		 *in->op_str ? " " : "", in->op_str);
	x86 = &in->detail->x86;
	if (x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM &&
	    (cs_insn_group(d->handle, in, CS_GRP_JUMP) ||
	     ret->flow == FLOW_CALL))
		ret->target = x86->operands[0].imm;
	return true;
}
