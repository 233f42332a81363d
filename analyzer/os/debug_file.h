/* SPDX-License-Identifier: GPL-2.0-only */
/* Debug files of stripped ones, as gdb's manual has it (Separate Debug Files). */
#ifndef VMMPROF_OS_DEBUG_FILE_H
#define VMMPROF_OS_DEBUG_FILE_H

#include "os/file_protocol.h"

#define VMMPROF_DEBUGFILE_PLACES 8

/*
 * Opens the place @want->which of a stripped file's debug file, below the root
 * of process @pid or ours: by its build-id, else by its .gnu_debuglink beside
 * @path, where the process has it.  Whether it belongs to it is for the reader
 * to see.  A descriptor; -ENOENT: nothing there; or -errno.
 */
int vmmprof_debugfile_open(__u32 pid, const char *path,
			   const struct vmmprof_file_want *want);

#endif /* VMMPROF_OS_DEBUG_FILE_H */
