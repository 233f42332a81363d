/* SPDX-License-Identifier: GPL-2.0-only */
/* One file's build-id and segments, read by a process without rights. */
#ifndef VMMPROF_OS_ELF_CONFINED_H
#define VMMPROF_OS_ELF_CONFINED_H

#include "sym/elf.h"

#define VMMPROF_ELFAPART_SEGMENTS 64 /* no honest file has as many with code */

/*
 * As vmmprof_elf_read_segments(); @fd stays the caller's.  Waits for a few
 * seconds at most.  0 or -errno; -EBADE: its reader ended, or took too long.
 */
int vmmprof_elf_read_apart(int fd, struct vmmprof_elf *ret);

#endif /* VMMPROF_OS_ELF_CONFINED_H */
