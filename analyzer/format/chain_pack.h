/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CHAIN records of the module become packed ones (VMMPROF_REC_PACKED): a chain
 * is told by what differs from one of before, mostly another stack with the same
 * outer frames.  Here and not in the module, where a vCPU would wait for it; and
 * once nothing is sampled any more, because it takes some 1,200 instructions a
 * sample.
 */
#ifndef FORMAT_CHAIN_PACK_H
#define FORMAT_CHAIN_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "format/chain_kept.h"

#define CHAIN_TAILS    4096
#define CHAIN_PACK_BUF (128u << 10)

/* One CPU's. */
struct chain_pack {
	struct chain_table table;
	uint16_t by_tail[CHAIN_TAILS]; /* id of the last with such outer frames */
	size_t used;  /* bytes of .buf that wait to be written */
	size_t taken; /* of what they are made of */
	uint8_t buf[CHAIN_PACK_BUF];
};

/* NULL without memory. */
struct chain_pack *chain_pack_new(void);

/* NULL is allowed. */
void chain_pack_free(struct chain_pack *p);

/*
 * Take records of @len bytes, those that are whole and as many as there is room
 * for, into .buf, what was there is gone; other records stay as they are, but for
 * PAD, which is left out.  0, or -EBADMSG: they are no records.
 */
int chain_pack_take(struct chain_pack *p, const void *from, size_t len);

/*
 * Pack a file of kind RECORDS of a directory, which nobody writes to: another one
 * takes its place.  0, or -errno, and it is as it was; -EBADMSG: it is damaged, or
 * cut.
 */
int chain_pack_file(int dirfd, const char *name);

#endif /* FORMAT_CHAIN_PACK_H */
