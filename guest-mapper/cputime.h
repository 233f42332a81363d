/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPUTIME items: the time of the guest's CPUs as the guest counts it, above all
 * steal.  The host compares it with its own measurement.
 */
#ifndef VMMPROF_GUEST_CPUTIME_H
#define VMMPROF_GUEST_CPUTIME_H

#include "format/item_writer.h"

/* An item for each CPU, from /proc/stat (proc(5)); none if it is unreadable. */
int cputime_write(struct item_writer *w);

/*
 * TEXT "steal_clock": does this kernel count steal?  CPUID says whether KVM
 * offers the clock (Documentation/virt/kvm/x86/cpuid.rst,
 * KVM_FEATURE_STEAL_TIME), the command line whether the kernel ignores it.
 */
int cputime_describe(struct item_writer *w);

#endif /* VMMPROF_GUEST_CPUTIME_H */
