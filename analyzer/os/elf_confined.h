/* SPDX-License-Identifier: GPL-2.0-only */
/* One file's build-id and segments, read by a process without rights. */
#ifndef OS_ELF_CONFINED_H
#define OS_ELF_CONFINED_H

#include "sym/elf.h"

#define ELF_CONFINED_SEGMENTS 64 /* real files have fewer with code */

/*
 * As elffile_read_segments(); @fd stays the caller's.  Waits for a few seconds
 * at most.  0 or -errno; -EBADE: the process that read it crashed or took too
 * long.
 */
int elffile_read_apart(int fd, struct elffile *ret);

#endif /* OS_ELF_CONFINED_H */
