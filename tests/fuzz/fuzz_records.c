// SPDX-License-Identifier: GPL-2.0-only
/* libFuzzer entry: one record file, read to its end. */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "format/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct vmmprof_rec_hdr *rec;
	struct reader r;
	uint8_t sum = 0;
	size_t i;

	if (reader_init_mem(&r, data, size))
		return 0;
	while (reader_next(&r, &rec) > 0)
		for (i = 0; i < rec->size; i++)
			sum ^= ((const uint8_t *)rec)[i];
	/* The bytes have to be read. */
	__asm__ __volatile__("" : : "r"(sum));
	reader_deinit(&r);
	return 0;
}
