/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPUTIME items: how the guest itself has its CPUs' time, steal above all, for
 * the host to compare with what it saw.
 */
#ifndef VMMPROF_GUEST_CPUTIME_H
#define VMMPROF_GUEST_CPUTIME_H

#include "format/item_writer.h"

/* One item a CPU, from /proc/stat (proc(5)); none if it cannot be read. */
int cputime_write(struct item_writer *w);

/*
 * TEXT "steal_clock": does this kernel count steal?  KVM says by CPUID whether
 * it offers the clock (Documentation/virt/kvm/x86/cpuid.rst,
 * KVM_FEATURE_STEAL_TIME), the command line whether the kernel leaves it alone.
 */
int cputime_describe(struct item_writer *w);

#endif /* VMMPROF_GUEST_CPUTIME_H */
