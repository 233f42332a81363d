/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes of x86 code as instructions, one after the other.  The bytes may be an
 * attacker's: each step takes at least one of them, and what is no instruction
 * is shown as a byte.  The only user of capstone.
 */
#ifndef CODE_DISASM_H
#define CODE_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#define INSN_TEXT 200

/* Where execution continues. */
enum flow {
	FLOW_NEXT,   /* at the next one */
	FLOW_BRANCH, /* there, or elsewhere */
	FLOW_CALL,   /* there, when the callee is done */
	FLOW_AWAY,   /* elsewhere: jmp, ret */
};

struct insn {
	__u64 addr;
	__u64 target; /* of a jump or call to an address that is in it, else 0 */
	__u32 size;   /* bytes */
	__u8 flow;    /* enum flow */
	bool bad;     /* one byte that begins no instruction */
	bool repeats; /* rep: may be interrupted before it is done */
	char text[INSN_TEXT];
};

struct disasm {
	size_t handle; /* capstone's */
	void *insn;
	const uint8_t *bytes;
	size_t left;
	uint64_t addr;
};

/*
 * Begin at @bytes, which run at @addr and must live as long.  0 or -ENOMEM.
 * deinit is due in either case.
 */
int disasm_init(struct disasm *d, const __u8 *bytes, size_t size, __u64 addr,
		bool ia32, bool intel);
void disasm_deinit(struct disasm *d);

/* The next one; false at the end. */
bool disasm_next(struct disasm *d, struct insn *ret);

#endif /* CODE_DISASM_H */
