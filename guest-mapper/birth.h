/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Address spaces and kernel stacks as they begin and end, from BPF programs
 * in the kernel: a snapshot of all tasks, and the hooks fork, exec, rename and
 * __mmdrop.
 */
#ifndef VMMPROF_BIRTH_H
#define VMMPROF_BIRTH_H

#include "birth_event.h"
#include "emit.h"

struct birth;

/*
 * Read PEEK_MAX 64-bit variables of the kernel at @addrs (0: leave
 * out) by a BPF program of its own.  Lockdown=confidentiality forbids it.
 * 0 or -errno.
 */
int birth_peek(const __u64 *addrs, __u64 *values);

/*
 * Load and attach.  If the kernel lacks a hook, that is no error but is
 * emitted as a limitation.  -errno if not even a snapshot is possible; the
 * reason is emitted.
 */
int birth_open(struct emit *e, struct birth **ret);

/* Attach the hooks too: what happens from now on is emitted by read(). */
int birth_watch(struct birth *b);

/* Emit all address spaces and tasks there are now, with op SNAP. */
int birth_snapshot(struct birth *b);

/* Emit what happened since.  Does not wait. */
int birth_read(struct birth *b);

/* Detach, emit the rest and what was lost, release.  NULL is allowed. */
int birth_close(struct birth *b);

#endif /* VMMPROF_BIRTH_H */
