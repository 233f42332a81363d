// SPDX-License-Identifier: GPL-2.0-only
/* Which samples of a phase are left out. */

#include "format/phases.h"

static __u64 factor_at(const struct phases *p, __u64 tsc)
{
	__u32 i;

	for (i = 0; i < p->nr; i++)
		if (tsc < p->phase[i].until)
			return p->phase[i].factor;
	return 1;
}

bool phases_leave_out(const struct phases *p, struct left_out *l,
		      const struct vmmprof_rec_sample *r)
{
	__u32 event = r->event < VMMPROF_MAX_EVENTS ? r->event :
						      VMMPROF_MAX_EVENTS;
	__u64 factor = factor_at(p, r->hdr.tsc);

	if (factor == 1 || l->seen[event]++ % factor == 0)
		return false;
	l->tsc[l->nr++ % PHASES_LAST] = r->hdr.tsc;
	return true;
}

bool phases_left_chain(const struct left_out *l,
		       const struct vmmprof_rec_hdr *hdr)
{
	__u32 i;

	if (hdr->type != VMMPROF_REC_CHAIN)
		return false;
	for (i = 0; i < PHASES_LAST && i < l->nr; i++)
		if (l->tsc[i] == hdr->tsc)
			return true;
	return false;
}
