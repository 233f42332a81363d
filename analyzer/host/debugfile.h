/* SPDX-License-Identifier: GPL-2.0-only */
/* Debug files of stripped ones, as gdb's manual has it (Separate Debug Files). */
#ifndef VMMPROF_DEBUGFILE_H
#define VMMPROF_DEBUGFILE_H

#include "sym/elf.h"

/*
 * Take the symbols of a stripped file's debug file, below the root of process
 * @pid or ours: by its build-id, else by its .gnu_debuglink beside @path, where
 * the process has it.  Build-id or checksum make sure that it belongs to it.
 */
void vmmprof_debugfile_add(__u32 pid, const char *path,
			   struct vmmprof_elf *elf);

#endif /* VMMPROF_DEBUGFILE_H */
