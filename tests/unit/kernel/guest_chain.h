/* SPDX-License-Identifier: GPL-2.0-only */
/* The module's reading of guests, for one test, on the kernel that is made up. */
#ifndef GUEST_CHAIN_H
#define GUEST_CHAIN_H

#include "tests/unit/kernel/fake_kernel.h"

#define VMMPROF_RING_H /* of no use here */
struct vmmprof_ring;
#include "kmod/guest_memory.c"
#include "kmod/chain_guest.c"
#include "kmod/identity_read.c"

#endif /* GUEST_CHAIN_H */
