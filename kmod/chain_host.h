/* SPDX-License-Identifier: GPL-2.0-only */
/* The chain of the host's kernel and of current's user mode. */
#ifndef VMMPROF_CHAIN_HOST_H
#define VMMPROF_CHAIN_HOST_H

#include "chain_buf.h"

struct pt_regs;

/*
 * The chain of @regs, of an interrupted frame of current; NULL: of the caller,
 * without frames of this module.  @want: VMMPROF_CHAIN_F_HOST_*.
 * Context: NMI, IRQ, or interrupts off.
 */
void vmmprof_chain_host(struct vmmprof_chain_buf *buf, struct pt_regs *regs,
			u32 want);

#endif /* VMMPROF_CHAIN_HOST_H */
