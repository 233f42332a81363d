// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz entry of analyzer/code/disasm.c, and of the library behind it.  First
 * byte: 32 bits or 64, which syntax; the rest is code.
 */

#include <stdlib.h>
#include <string.h>

#include "code/disasm.h"

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	struct disasm d;
	struct insn in;
	__u64 addr = 0xffffffff81000000ull;
	size_t used = 0;

	if (!size)
		return 0;
	if (disasm_init(&d, data + 1, size - 1, addr, data[0] & 1, data[0] & 2))
		abort();
	/* Each step takes its bytes, and all are taken in the end. */
	while (disasm_next(&d, &in)) {
		if (!in.size || in.size > 15 || in.addr != addr + used ||
		    !memchr(in.text, 0, sizeof(in.text)))
			abort();
		used += in.size;
	}
	if (used != size - 1)
		abort();
	disasm_deinit(&d);
	return 0;
}
