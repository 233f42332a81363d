/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JIT items: what processes with executable memory that is no file's say of
 * the code in it, by /tmp/perf-PID.map and jitdump.  Both are read below the
 * process's own root directory and by its number in its own PID namespace.
 *
 * They are opened here and read by a process without rights (os/jit_reader.h).
 * Of other users' files nothing is read, nor of a file that was last written
 * before the process began: it is of an earlier process of that number.
 */
#ifndef VMMPROF_OS_JIT_MAP_H
#define VMMPROF_OS_JIT_MAP_H

#include <poll.h>

#include "format/item_writer.h"
#include "os/symbol_budget.h"

struct vmmprof_jitmap;

/* @w and @budget must outlive it.  0 or -errno. */
int vmmprof_jitmap_create(struct vmmprof_itemwriter *w,
			  struct vmmprof_symbudget *budget,
			  struct vmmprof_jitmap **ret);
/* Writes what is there soon.  NULL is allowed. */
void vmmprof_jitmap_destroy(struct vmmprof_jitmap *jm);

/*
 * Process @pid has executable memory without a file since @ns (CLOCK_MONOTONIC,
 * 0: before anything was watched): the time for what its map says at the
 * first look.  Cheap if it is known.  0 or -ENOMEM.
 */
int vmmprof_jitmap_process(struct vmmprof_jitmap *jm, __u32 pid, __u64 ns);

/* It mapped the jitdump @path of inode @ino (0: not known) as well. */
int vmmprof_jitmap_dump(struct vmmprof_jitmap *jm, __u32 pid, __u64 ns,
			const char *path, __u64 ino);

/*
 * @pid ended at @ns, or executed another program: a last look at what it
 * left.  0, -ENOMEM or the writer's error, as the next one.
 */
int vmmprof_jitmap_end(struct vmmprof_jitmap *jm, __u32 pid, __u64 ns);

/*
 * Have all looked at: what was appended is written by the next calls of run().
 * @all: without the limit for a look, and waits for it, for some seconds.
 */
int vmmprof_jitmap_look(struct vmmprof_jitmap *jm, bool all);

/* Writes what was read since; does not wait.  0 or the writer's error. */
int vmmprof_jitmap_run(struct vmmprof_jitmap *jm);

/* When to call that; always the same. */
void vmmprof_jitmap_pollfd(const struct vmmprof_jitmap *jm, struct pollfd *fd);

#endif /* VMMPROF_OS_JIT_MAP_H */
