/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The running kernel for a file of kind MAPS: KALLSYMS and MODULES items, and
 * what identifies machine and kernel as TEXT items.
 */
#ifndef OS_KERNEL_SYMS_H
#define OS_KERNEL_SYMS_H

#include <vmmprof/maps.h>

#include "format/item_writer.h"

/*
 * A TEXT item: hostname, release, arch, boot_id, kptr_restrict,
 * kernel_build_id.
 */
int kernel_syms_identity(struct item_writer *w);

/*
 * KALLSYMS (text symbols only: t T w W and those of modules and BPF),
 * MODULES and a TEXT item of the modules' build-ids.  -EPERM: the kernel hides
 * its addresses (kptr_restrict, or no CAP_SYSLOG); a NOTE says so, and no
 * KALLSYMS item is written.
 */
int kernel_syms_write(struct item_writer *w);

#endif /* OS_KERNEL_SYMS_H */
