/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of a jitdump file (tools/perf/Documentation/
 * jitdump-specification.txt of the kernel): code that was made, and moved, at
 * exact times.  A process with one maps it executably as /.../jit-PID.dump.
 */
#ifndef OS_JIT_DUMP_H
#define OS_JIT_DUMP_H

#include "os/jit_file.h"

/* Is this the path of a jitdump? */
bool jit_dump_path(const char *path);

/*
 * Hand the records up to @end of the file to @fn, and move f->pos behind
 * them.  Times are CLOCK_MONOTONIC; those of another clock (flag of the
 * header) are left out: stamped is false.  A damaged file is f->dead.
 * 0, @fn's error or -ENOMEM.
 */
int jit_dump_read(struct jit_file *f, __u64 end, jit_fn fn, void *arg);

#endif /* OS_JIT_DUMP_H */
