/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples of which all is remembered: whose they are, and the place of their
 * function.  The two are asked apart, so that the memory which the second one touches
 * can be asked for meanwhile.
 */
#ifndef MODEL_KNOWN_SAMPLE_H
#define MODEL_KNOWN_SAMPLE_H

#include "model/resolve_recent.h"

/* Where a sample may be remembered: its context is a usual one. */
static inline struct recent_context *
known_recent(const struct resolver *r, const struct vmmprof_rec_sample *s)
{
	return recent_of(r, s, 0);
}

/*
 * 0: all samples like this one are remembered there, at its time.  Only those of a
 * usual context are, so nothing else than members and time is to be compared.
 * Without branches: the CPU would guess them wrong.
 */
static inline __u64 known_not(const struct resolver *r,
			      const struct vmmprof_rec_sample *s,
			      const struct recent_context *last)
{
	return other_words(s, last->word) | (last->notes ^ r->notes) |
	       (s->hdr.tsc - last->from > last->span);
}

/* Of one that is: in a guest, and the address that is looked up. */
static inline bool known_guest(const struct resolver *r,
			       const struct recent_context *last)
{
	return (last->kind - r->recent_from) & CONTEXT_GUEST;
}

/* 1: where a kernel idles there is more to be asked of it; else 0. */
static inline __u32 known_idles_not(const struct vmmprof_rec_sample *s,
				    bool guest)
{
	return guest | (s->hdr.flags / VMMPROF_S_VCPU & 1);
}

/* The place of its function; VMMPROF_NONE: not known. */
static inline __u32 known_place(const struct resolver *r,
				const struct vmmprof_rec_sample *s,
				const struct recent_context *last)
{
	const bool guest = known_guest(r, last);
	const __u64 ip = resolver_ip(s, guest);

	const struct code_page *page = code_page(r->places, last->whose, ip);
	const __u32 lines = code_page_lines(page, last->whose, ip);

	return last->whose ? code_line_place(*code_line(r->places, lines, ip),
					     ip, known_idles_not(s, guest)) :
			     last->place;
}

#endif /* MODEL_KNOWN_SAMPLE_H */
