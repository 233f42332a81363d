/* SPDX-License-Identifier: GPL-2.0-only */
/* Debug files of stripped ones, as gdb's manual has it (Separate Debug Files). */
#ifndef OS_DEBUG_FILE_H
#define OS_DEBUG_FILE_H

#include "os/file_protocol.h"

#define DEBUGFILE_PLACES 8

/*
 * Opens the place @want->which of a stripped file's debug file, below the root
 * of process @pid or ours: by its build-id, else by its .gnu_debuglink beside
 * @path, where the process has it.  The caller checks that it belongs to the
 * file.  A descriptor; -ENOENT: nothing there; or -errno.
 */
int debugfile_open(__u32 pid, const char *path, const struct file_want *want);

#endif /* OS_DEBUG_FILE_H */
