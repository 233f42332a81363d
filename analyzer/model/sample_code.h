/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples by their address.  With KEEP_CODE each is counted once in @code, by its key or
 * by the number of what is remembered; with KEEP_ADDR such a number has its part.
 */
#ifndef MODEL_SAMPLE_CODE_H
#define MODEL_SAMPLE_CODE_H

#include "model/resolve_recent.h"

/* The link address of a sample that has a slot. */
static inline __u64 resolved_address(const struct resolved *w)
{
	return w->slot->ref.link + (w->ip - w->slot->ip);
}

/* Count a sample that has a slot, @later: by profile_flush().  0 or -ENOMEM. */
int sample_code_count(struct profile *code, const struct resolved *w,
		      bool later);

/*
 * Remember the address of one of whose function the place is remembered: its bucket, or
 * its part.  Lines that were forgotten meanwhile (*filled: when it was asked last) have
 * lost their numbers.  0 or -ENOMEM.
 */
int sample_code_note(struct profile *code, __u64 *filled,
		     const struct resolver *r,
		     const struct recent_context *last,
		     const struct resolved *w, __u32 bucket);

/* The part of the address of one that is remembered; VMMPROF_NONE: not known. */
__u32 sample_code_part(const struct profile *code, const struct resolver *r,
		       const struct vmmprof_rec_sample *s,
		       const struct recent_context *last);

/* Count one of which all else is remembered.  False: its address is not. */
bool sample_code_known(struct profile *code, const struct resolver *r,
		       const struct vmmprof_rec_sample *s,
		       const struct recent_context *last);

#endif /* MODEL_SAMPLE_CODE_H */
