/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Phases of a recording whose periods were widened while it ran: of the samples of
 * before so many are left out that each stands for as much as any other.
 */
#ifndef FORMAT_PHASES_H
#define FORMAT_PHASES_H

#include <stdbool.h>

#include <vmmprof/ioctl.h>
#include <vmmprof/record.h>

/* Times from which on samples are further apart, at most. */
#define PHASES_MAX 32

/* Of samples before .until one of each .factor is kept. */
struct phase {
	__u64 until; /* host TSC */
	__u64 factor;
};

struct phases {
	struct phase phase[PHASES_MAX]; /* in order of time */
	__u32 nr;
};

#define PHASES_LAST 8 /* more than interrupts are nested */

/* What was left out of one stream; zeroed at first. */
struct left_out {
	__u64 seen[VMMPROF_MAX_EVENTS + 1]; /* before the last phase, by event */
	__u64 nr;
	__u64 tsc[PHASES_LAST]; /* of the last ones */
};

/* Is this, the next sample of the stream, one that is left out? */
bool phases_leave_out(const struct phases *p, struct left_out *l,
		      const struct vmmprof_rec_sample *r);

/* Is it a CHAIN record of a sample that was left out a moment ago? */
bool phases_left_chain(const struct left_out *l,
		       const struct vmmprof_rec_hdr *hdr);

#endif /* FORMAT_PHASES_H */
