/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens files of processes that make code (os/jit_owner.h) in its own process: they
 * are wherever such a process wants them to be, also in a file system that never
 * answers.
 */
#ifndef OS_JIT_OPENER_H
#define OS_JIT_OPENER_H

#include <sys/types.h>

#include "os/jit_owner.h"

#define JIT_OPENER_ENDING 8

struct jit_opener {
	int sock;	  /* -1: the process has not begun */
	pid_t pid;	  /* 0: none */
	__u64 not_before; /* CLOCK_MONOTONIC: it rests after it was killed */
	/* killed, but not ended yet: they may be blocked in a file system */
	pid_t ending[JIT_OPENER_ENDING];
};

#define JIT_OPENER_NONE ((struct jit_opener){ .sock = -1 })

/*
 * As jit_owner_open(), within 3 s.  -ETIMEDOUT: it took longer; then it is -EBUSY
 * for a minute, whatever the file is.
 */
int jit_opener_open(struct jit_opener *o, const struct jit_owner *p,
		    const char *path, __u64 ino);

void jit_opener_end(struct jit_opener *o);

#endif /* OS_JIT_OPENER_H */
