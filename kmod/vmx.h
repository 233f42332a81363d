/* SPDX-License-Identifier: GPL-2.0-only */
/* Intel VMX as one of the vendors. */
#ifndef VMMPROF_VMX_H
#define VMMPROF_VMX_H

#include "guest_state.h"

extern const struct vmmprof_guest_ops vmmprof_vmx_ops;

/* The CPU and the kernel let us read VMX state.  Context: module init. */
bool vmmprof_vmx_usable(void);

#endif /* VMMPROF_VMX_H */
