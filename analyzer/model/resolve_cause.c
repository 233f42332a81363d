// SPDX-License-Identifier: GPL-2.0-only
/* Why a guest's sample has no function, by what the sample itself says. */

#include "model/resolve_cause.h"

enum cause owner_cause(enum owner_how how)
{
	switch (how) {
	case OWNER_UNKNOWN:
		return CAUSE_CR3_UNKNOWN;
	case OWNER_NOT_THEN:
		return CAUSE_CR3_NOT_THEN;
	case OWNER_SEVERAL:
		return CAUSE_CR3_SEVERAL;
	case OWNER_NOT_READ:
		return CAUSE_NOT_READ;
	default:
		return CAUSE_NOT_MAPPED;
	}
}

enum cause guest_cause(const struct vmmprof_rec_sample *s,
		       const struct machine *m, __u8 mode)
{
	if (s->hdr.flags & VMMPROF_S_PROTECTED)
		return CAUSE_PROTECTED;
	if (!(s->hdr.flags & VMMPROF_S_STATE))
		return CAUSE_NO_STATE;
	if (s->hdr.flags & VMMPROF_S_L2)
		return CAUSE_L2;
	if (s->hdr.flags & VMMPROF_S_SMM)
		return CAUSE_SMM;
	if (s->hdr.flags & VMMPROF_S_UNPAGED)
		return CAUSE_UNPAGED;
	if (mode == MODE_UNKNOWN)
		return CAUSE_CPL;
	if (!m)
		return CAUSE_NO_BUNDLE;
	if (mode == MODE_USER && (s->hdr.flags & VMMPROF_S_SHADOW))
		return CAUSE_SHADOW;
	return CAUSE_NONE;
}

__u8 guest_mode(const struct vmmprof_rec_sample *s)
{
	const __u32 not_its_own = VMMPROF_S_PROTECTED | VMMPROF_S_SMM |
				  VMMPROF_S_UNPAGED;

	if (!(s->hdr.flags & VMMPROF_S_STATE) || (s->hdr.flags & not_its_own))
		return MODE_UNKNOWN;
	switch (s->guest_ss_ar >> 5 & 3) {
	case 0:
		return MODE_KERNEL;
	case 3:
		return MODE_USER;
	}
	return MODE_UNKNOWN;
}
