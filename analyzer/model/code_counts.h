/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses of code whose places are remembered, by number.  With KEEP_CODE each has the
 * count of its samples, and the bucket that they are added to when the pass is over;
 * with KEEP_ADDR it has its part (profile_part()), and nothing is counted here.
 */
#ifndef MODEL_CODE_COUNTS_H
#define MODEL_CODE_COUNTS_H

#include "model/code_places.h"
#include "model/profile.h"

/*
 * A number is made of an address's lines, of its place in their page, and of the event
 * and mode that it was sampled by and in; below it is the count.
 */
#define CODE_COUNT_BITS 31
#define CODE_COUNT_MAX	((1ull << CODE_COUNT_BITS) - 1)
#define CODE_WHO_BITS	5 /* of event and mode */
#define CODE_WHO_NONE	31

struct code_counts {
	__u64 *count;  /* 0: free */
	__u32 *bucket; /* of each; its part with KEEP_ADDR */
	size_t nr, mask;
	__u64 filled; /* the code_places.filled of the lines */
};

/* Event and mode in one number; CODE_WHO_NONE: of no event that there can be. */
static inline __u8 code_who(__u8 event, __u8 mode)
{
	return event < VMMPROF_MAX_EVENTS ? event * NR_MODES + mode :
					    CODE_WHO_NONE;
}

/* 0: nothing is remembered of the address. */
static inline __u64 code_counts_number(__u32 lines, __u64 ip, __u8 who)
{
	const __u64 offset = ip & ((1 << CODE_PAGE) - 1);
	const __u64 at = (__u64)lines << CODE_PAGE | offset;

	return lines ? (at << CODE_WHO_BITS | who) << CODE_COUNT_BITS : 0;
}

static inline __u64 code_counts_hash(__u64 number)
{
	return hash_mix(number >> CODE_COUNT_BITS);
}

static inline void code_counts_prefetch(const struct code_counts *c, __u64 hash)
{
	__builtin_prefetch(&c->count[hash & c->mask], 1);
}

/* For who asks for its bucket or part, too. */
static inline void code_counts_prefetch_bucket(const struct code_counts *c,
					       __u64 hash)
{
	__builtin_prefetch(&c->bucket[hash & c->mask]);
}

/* Where a number is counted; NULL: it was not met.  There must be .count. */
static inline __u64 *code_counts_find(const struct code_counts *c, __u64 number,
				      __u64 hash)
{
	size_t i = hash & c->mask;

	while (c->count[i] && (c->count[i] ^ number) > CODE_COUNT_MAX)
		i = (i + 1) & c->mask;
	return c->count[i] ? &c->count[i] : NULL;
}

/* The bucket or part of a number that is there; VMMPROF_NONE: it is not. */
static inline __u32 code_counts_bucket(const struct code_counts *c,
				       __u64 number, __u64 hash)
{
	const __u64 *count = code_counts_find(c, number, hash);

	return count ? c->bucket[count - c->count] : VMMPROF_NONE;
}

/* What was counted there goes to its bucket. */
void code_counts_settle(struct code_counts *c, struct profile *code,
			__u64 *count);

static inline void code_counts_add(struct code_counts *c, struct profile *code,
				   __u64 *count)
{
	if ((++*count & CODE_COUNT_MAX) == CODE_COUNT_MAX)
		code_counts_settle(c, code, count);
}

/*
 * The samples of a number are of that bucket of @code, or it has this part.  Lines that
 * were forgotten since the last call have lost their numbers.  0 or -ENOMEM.
 */
int code_counts_note(struct code_counts *c, const struct code_places *places,
		     struct profile *code, __u64 number, __u32 bucket);

/* All that was counted goes to its bucket. */
void code_counts_flush(struct code_counts *c, struct profile *code);

void code_counts_deinit(struct code_counts *c);

#endif /* MODEL_CODE_COUNTS_H */
