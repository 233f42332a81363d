/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses of code whose places are remembered, as numbers that a profile counts by
 * as by its pairs: an address's lines, its place in their page, and the event and mode
 * that it was sampled by and in.
 */
#ifndef MODEL_CODE_NUMBER_H
#define MODEL_CODE_NUMBER_H

#include "model/code_places.h"
#include "model/profile.h"

#define CODE_WHO_BITS 5 /* of event and mode */
#define CODE_WHO_NONE 31

_Static_assert(VMMPROF_MAX_EVENTS *NR_MODES <= CODE_WHO_NONE &&
		       CODE_WHO_NONE < 1 << CODE_WHO_BITS,
	       "events, modes and none");
_Static_assert(CODE_LINES_BITS + CODE_PAGE + CODE_WHO_BITS + PAIR_COUNT_BITS <=
		       64,
	       "one word");

/* Event and mode in one number; CODE_WHO_NONE: of no event that there can be. */
static inline __u8 code_who(__u8 event, __u8 mode)
{
	return event < VMMPROF_MAX_EVENTS ? event * NR_MODES + mode :
					    CODE_WHO_NONE;
}

/* As profile_pair_of(); 0: nothing is remembered of the address. */
static inline __u64 code_number(__u32 lines, __u64 ip, __u8 who)
{
	const __u64 offset = ip & ((1 << CODE_PAGE) - 1);
	const __u64 at = (__u64)lines << CODE_PAGE | offset;

	return lines ? (at << CODE_WHO_BITS | who) << PAIR_COUNT_BITS : 0;
}

#endif /* MODEL_CODE_NUMBER_H */
