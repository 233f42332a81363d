/* SPDX-License-Identifier: GPL-2.0-only */
/* Which vendor's virtualization this CPU has. */
#ifndef VMMPROF_VENDOR_H
#define VMMPROF_VENDOR_H

/* Choose vmmprof_guest_ops (guest_state.h).  Context: module init. */
void vmmprof_vendor_init(void);

#endif /* VMMPROF_VENDOR_H */
