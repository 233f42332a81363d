// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz entry of analyzer/sym/eh_frame*: the input is the section, which begins
 * at the link address 0x1000; first byte: 32 bits or 64.
 */

#include <stdlib.h>

#include "sym/eh_frame_rows.h"

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	struct eh_frame f = { .addr = 0x1000 };
	struct eh_frame_iter it;
	struct unwind_table t;
	struct eh_fde fde;
	size_t nr = 0;

	if (!size)
		return 0;
	f.ia32 = data[0] & 1;
	f.bytes = data + 1;
	f.size = size - 1;
	eh_frame_begin(&f, &it);
	while (eh_frame_next(&it, &fde)) {
		if (fde.end <= fde.start || fde.program > fde.program_end ||
		    fde.program_end > f.size)
			abort();
		nr++;
	}
	if (nr > size / 4)
		abort();
	if (eh_frame_table(&f, &t))
		return 0;
	if (!nr || !t.nr_rows || t.nr_rows > size + 2 * nr ||
	    !unwind_table_find(&t, t.start))
		abort();
	unwind_table_free(&t);
	return 0;
}
