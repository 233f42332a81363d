/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JIT items: names of the code in executable memory without a file, from the
 * processes' own /tmp/perf-PID.map and jitdump files.  Both are read below the
 * process's own root directory and by its number in its own PID namespace.
 *
 * They are opened here and read by a process without rights (os/jit_reader.h).
 * A file is skipped if it belongs to another user, or was last written before
 * the process began: an earlier process with the same pid wrote it.
 */
#ifndef OS_JIT_MAP_H
#define OS_JIT_MAP_H

#include <poll.h>

#include "format/item_writer.h"
#include "os/symbol_budget.h"

struct jit_map;

/* @w and @budget must outlive it.  0 or -errno. */
int jit_map_create(struct item_writer *w, struct symbol_budget *budget,
		   struct jit_map **ret);
/* Writes the answers that come at once.  NULL is allowed. */
void jit_map_destroy(struct jit_map *jm);

/*
 * Process @pid has executable memory without a file since @ns (CLOCK_MONOTONIC,
 * 0: before the watch began).  Code that its map has at the first look gets
 * this time.  Cheap for a process that is known.  0 or -ENOMEM.
 */
int jit_map_process(struct jit_map *jm, __u32 pid, __u64 ns);

/* It mapped the jitdump @path of inode @ino (0: not known) as well. */
int jit_map_dump(struct jit_map *jm, __u32 pid, __u64 ns, const char *path,
		 __u64 ino);

/*
 * @pid ended at @ns, or executed another program: its files are read a last
 * time.  0, -ENOMEM or the writer's error, as the next one.
 */
int jit_map_end(struct jit_map *jm, __u32 pid, __u64 ns);

/*
 * Have all files read: what was appended is written by the next calls of
 * run().  @all: without the limit for a look, and waits for it, for some
 * seconds.
 */
int jit_map_look(struct jit_map *jm, bool all);

/* Writes what was read since; does not wait.  0 or the writer's error. */
int jit_map_run(struct jit_map *jm);

/* When to call that; always the same. */
void jit_map_pollfd(const struct jit_map *jm, struct pollfd *fd);

#endif /* OS_JIT_MAP_H */
