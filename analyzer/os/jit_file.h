/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file in which a process names the code that it made: perf-PID.map (lines of
 * text) or jitdump (os/jit_dump.h).  It grows while it is read, a bit at a
 * time, and is an attacker's input: lines, names and bytes are bounded.
 */
#ifndef OS_JIT_FILE_H
#define OS_JIT_FILE_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/hash.h"

#define JIT_NAME_MAX 511	 /* longer names are cut */
#define JIT_FILE_MAX (64U << 20) /* bytes read of one file, ever */
#define JIT_WINDOW   65536

struct jit_code {
	__u64 ns; /* CLOCK_MONOTONIC; 0 unless stamped */
	__u64 addr;
	__u64 size;
	bool stamped; /* ns is the writer's */
	bool fresh;   /* was not there at the first look */
	char name[JIT_NAME_MAX + 1];
};

/* 0, or an error that ends the reading. */
typedef int (*jit_fn)(void *arg, const struct jit_code *code);

struct jit_file {
	int fd; /* ours to close */
	bool dump;
	bool looked;	   /* at least once */
	bool skipping;	   /* in the middle of a line that is too long */
	bool dead;	   /* damaged or too large: it is read no further */
	bool cut;	   /* it has as much as is ever read, or more */
	bool arch;	   /* jitdump: time stamps of another clock */
	__u64 pos;	   /* read up to here */
	__u64 old;	   /* what begins before was there at the first look */
	__u64 bytes;	   /* read ever */
	struct hash index; /* jitdump: code_index -> offset of its LOAD */
	/* bytes win_pos .. win_pos + win_len of the file */
	__u64 win_pos;
	size_t win_len;
	__u8 *win;
};

/* Takes over @fd, a regular file open for reading.  0 or -ENOMEM. */
int jit_file_init(struct jit_file *f, int fd, bool dump);
void jit_file_deinit(struct jit_file *f);

/* Up to @want bytes at @pos, in place until the next call. */
const __u8 *jit_file_at(struct jit_file *f, __u64 pos, size_t want,
			size_t *got);

#endif /* OS_JIT_FILE_H */
