/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the writer and the reader of packed CHAIN records (VMMPROF_REC_PACKED)
 * share: the chains of a CPU that the next ones are told against, and how words
 * are told against their neighbours.  include/FORMAT.md has the bytes.
 */
#ifndef FORMAT_CHAIN_KEPT_H
#define FORMAT_CHAIN_KEPT_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <vmmprof/record.h>

#define CHAIN_WORDS_MAX	  (VMMPROF_CHAIN_WORDS + VMMPROF_CHAIN_DEPTH + 1)
#define CHAIN_MEMBERS	  8 /* u64 of the regs, then of the state */
#define CHAIN_REGS	  0x0f
#define CHAIN_STATE	  0xf0

/* What a kernel's word is told against if there is nothing: __START_KERNEL. */
#define CHAIN_KERNEL_TEXT 0xffffffff81000000ull
#define CHAIN_NO_INDEX	  0x8000

/* The last chain of an id.  Zeroed: none. */
struct chain_kept {
	bool there;
	bool words; /* VMMPROF_C_WORDS */
	__u32 nr_kernel;
	__u32 nr_user;
	__u64 member[CHAIN_MEMBERS];
	__u64 *data; /* room for .cap */
	size_t cap;
};

/* Of a CPU, by id: that of 0 is always empty. */
struct chain_table {
	struct chain_kept *id; /* VMMPROF_PACKED_IDS */
};

static inline int chain_table_init(struct chain_table *t)
{
	t->id = calloc(VMMPROF_PACKED_IDS, sizeof(*t->id));
	return t->id ? 0 : -ENOMEM;
}

static inline void chain_table_deinit(struct chain_table *t)
{
	size_t i;

	for (i = 0; t->id && i < VMMPROF_PACKED_IDS; i++)
		free(t->id[i].data);
	free(t->id);
	t->id = NULL;
}

/* Room for so many words, what is there stays.  0 or -ENOMEM. */
static inline int chain_kept_room(struct chain_kept *k, size_t nr)
{
	__u64 *more;

	if (nr <= k->cap)
		return 0;
	more = realloc(k->data, nr * sizeof(*more));
	if (!more)
		return -ENOMEM;
	k->data = more;
	k->cap = nr;
	return 0;
}

/* Which of the eight members a record has. */
static inline __u8 chain_members(__u32 flags)
{
	return (flags & VMMPROF_C_REGS ? CHAIN_REGS : 0) |
	       (flags & VMMPROF_C_STATE ? CHAIN_STATE : 0);
}

/* The words that those of a part are told against, from outermost to innermost. */
struct chain_near {
	__u64 address;
	__u32 index; /* of words of a stack */
};

static inline __u64 chain_word_address(__u64 word)
{
	return word >> 16 | 0xffffull << 48;
}

/* Those of the kernel part, of which @from and the outer ones are known. */
static inline struct chain_near
chain_near_kernel(const __u64 *data, size_t from, size_t nr_kernel, bool words)
{
	struct chain_near n = { CHAIN_KERNEL_TEXT, CHAIN_NO_INDEX };

	if (words && from < nr_kernel)
		n.index = data[from] & VMMPROF_WORD_INDEX;
	while (words && from < nr_kernel && data[from] & VMMPROF_WORD_STACK)
		from++;
	if (from < nr_kernel)
		n.address = words ? chain_word_address(data[from]) : data[from];
	return n;
}

/*
 * A word of a stack as it is seen from a stack pointer that is so many words
 * lower: its index is larger by them, and so is what it says of the same stack.
 */
static inline __u64 chain_word_shift(__u64 word, __u64 shift)
{
	return word +
	       (word & VMMPROF_WORD_STACK ? shift + (shift << 19) : shift);
}

static inline __u64 chain_zigzag(__u64 v)
{
	return v << 1 ^ (__u64)((__s64)v >> 63);
}

static inline __u64 chain_unzigzag(__u64 v)
{
	return v >> 1 ^ -(v & 1);
}

#endif /* FORMAT_CHAIN_KEPT_H */
