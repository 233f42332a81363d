// SPDX-License-Identifier: GPL-2.0-only
/* libFuzzer entry: one record file, read to its end; packed chains, unpacked. */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "format/chain_unpack.h"
#include "format/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct vmmprof_rec_hdr *rec;
	struct chain_unpack *u;
	struct reader r;
	uint8_t sum = 0;
	size_t i;

	if (reader_init_mem(&r, data, size))
		return 0;
	u = chain_unpack_new();
	while (u && reader_next(&r, &rec) > 0) {
		for (i = 0; i < rec->size; i++)
			sum ^= ((const uint8_t *)rec)[i];
		if (rec->type != VMMPROF_REC_PACKED || chain_unpack(u, rec))
			continue;
		rec = &u->rec.head.hdr;
		for (i = 0; i < rec->size; i++)
			sum ^= ((const uint8_t *)rec)[i];
		/* a CHAIN record of a file is not shorter than its counts say */
		if (rec->size < reader_chain_size(&u->rec.head))
			abort();
	}
	chain_unpack_free(u);
	/* The bytes have to be read. */
	__asm__ __volatile__("" : : "r"(sum));
	reader_deinit(&r);
	return 0;
}
