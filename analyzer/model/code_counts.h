/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples by the address of their code, apart from the profile: of all processes that
 * execute a file together, so that the profile has no bucket for each address.
 */
#ifndef MODEL_CODE_COUNTS_H
#define MODEL_CODE_COUNTS_H

#include <stddef.h>
#include <linux/types.h>

#include "model/profile.h"

#define CODE_QUEUE 16

/* Of an address, as struct symbol_ref says where it is, and whose it is. */
struct code_count {
	__u64 addr;
	__u32 func, module, file;
	__u32 who; /* a part of the profile: machine, mode, event, maybe process */
	__u64 samples;
};

/* Zeroed it is empty. */
struct code_counts {
	struct code_count *slots; /* without samples: free */
	size_t nr, mask;
	/* to be counted: by then the memory to touch is in the cache */
	struct code_count queue[CODE_QUEUE];
	__u64 hash[CODE_QUEUE];
	unsigned int queued;
};

/* Count one sample, at the latest when code_counts_flush() is called.  0 or -ENOMEM. */
int code_counts_later(struct code_counts *c, const struct code_count *what);
int code_counts_flush(struct code_counts *c);
void code_counts_deinit(struct code_counts *c);

/*
 * The counts as buckets, in no certain order, as many as .nr; the parts are those
 * that .who is of.  To be freed; NULL without memory.
 */
struct bucket *code_counts_buckets(const struct code_counts *c,
				   const struct profile *parts);

#endif /* MODEL_CODE_COUNTS_H */
