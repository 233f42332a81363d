/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The process without rights that reads the files with JIT code
 * (os/jit_file.h), and the datagrams to and from it.
 */
#ifndef OS_JIT_READER_H
#define OS_JIT_READER_H

#include "os/jit_file.h"

#define JIT_SLOTS 512	/* files at a time */
#define JIT_TOLD  32768 /* bytes of an answer's names */

enum jit_what {
	JIT_ADD = 1, /* with the file, read from pos on */
	JIT_LOOK,    /* answers jit_told */
	JIT_DROP,
};

struct jit_ask {
	__u32 what; /* enum jit_what */
	__u32 slot;
	__u32 serial; /* of a look */
	__u32 dump;
	__u64 pos;
	__u64 limit;
};

/* One look has several answers; .done marks the last one. */
struct jit_told {
	__u32 slot;
	__u32 serial;
	__u16 done;
	__u16 cut;  /* with done: see struct jit_file */
	__u32 size; /* of codes */
	__u64 pos;  /* read up to here */
	__u8 codes[JIT_TOLD];
};

/* One of codes; then as many bytes of name, without a NUL. */
struct jit_said {
	__u64 ns;
	__u64 addr;
	__u64 size;
	__u8 stamped;
	__u8 fresh;
	__u16 name;
};

/* Serves the socket until it is closed; the caller has confined itself. */
void jit_reader_run(int sock);

/*
 * The next code of an answer of @n bytes, from *at on, 0 at first.  1: there is
 * one; 0: no more; -EBADMSG: a malformed answer.
 */
int jit_reader_next(const struct jit_told *told, size_t n, size_t *at,
		    struct jit_code *ret);

#endif /* OS_JIT_READER_H */
