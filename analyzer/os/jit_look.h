/* SPDX-License-Identifier: GPL-2.0-only */
/* Looks for what a process has appended to its perf-PID.map or jitdump. */
#ifndef OS_JIT_LOOK_H
#define OS_JIT_LOOK_H

#include "os/jit_file.h"

/*
 * Hand what was appended since the last look to @fn, at most @limit bytes of
 * it; an unfinished line or record waits for its rest.  A file that shrank is
 * read anew.  0, @fn's error, -ENOMEM or -errno of reading.
 */
int jit_look(struct jit_file *f, __u64 limit, jit_fn fn, void *arg);

#endif /* OS_JIT_LOOK_H */
