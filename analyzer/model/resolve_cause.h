/* SPDX-License-Identifier: GPL-2.0-only */
/* What a guest's sample says of itself: its mode, and why it has no function. */
#ifndef MODEL_RESOLVE_CAUSE_H
#define MODEL_RESOLVE_CAUSE_H

#include "model/address_space.h"
#include "model/machine.h"
#include "model/profile.h"

/* Why the owner of a CR3 that was found like this has no mapping there. */
enum cause owner_cause(enum owner_how how);

/*
 * Why a sample of the guest @m (NULL: without a bundle) in @mode cannot be
 * resolved, whatever the bundle has; CAUSE_NONE: it can be tried.
 */
enum cause guest_cause(const struct vmmprof_rec_sample *s,
		       const struct machine *m, __u8 mode);

/* enum mode, by the CPL; unknown where the state is not the guest's own. */
__u8 guest_mode(const struct vmmprof_rec_sample *s);

#endif /* MODEL_RESOLVE_CAUSE_H */
