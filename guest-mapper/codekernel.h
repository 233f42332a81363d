/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code of the running kernel and its modules, from /proc/kcore: only functions
 * in /proc/kallsyms, and of the kernel itself only those between _stext and
 * _etext.  The memory of its init code was freed and may hold anything by now.
 */
#ifndef VMMPROF_GUEST_CODEKERNEL_H
#define VMMPROF_GUEST_CODEKERNEL_H

#include <stdbool.h>

#include <vmmprof/record.h>
#include <vmmprof/maps.h>

#include "format/code_list.h"
#include "kcore.h"

struct code_kernel {
	struct kcore kcore;
	struct code_kernel_func {
		__u64 addr;
		__u64 next; /* address of the next symbol, ~0: none */
		__u64 module, next_module; /* numbers of the modules */
		bool text;		   /* a function begins at addr */
	} funcs[VMMPROF_CODE_RANGES];	   /* by addr */
	size_t nr;
	__u64 stext, etext; /* 0: not found */
	bool open;
};

/*
 * Look for the functions of @nr ranges.  If there are none, or /proc may not be
 * read, code_kernel_read() later finds nothing.
 */
void code_kernel_open(struct code_kernel *k, const struct code_want *wants,
		      size_t nr);
void code_kernel_close(struct code_kernel *k);

/*
 * Read up to want->size bytes of the function at want->addr.  The number of
 * bytes; -ENOENT: no function begins there; or -errno.
 */
int code_kernel_read(const struct code_kernel *k, const struct code_want *want,
		     void *buf);

/* Take a line of /proc/kallsyms; after the last line; for tests. */
void code_kernel_line(struct code_kernel *k, const char *line);
void code_kernel_last(struct code_kernel *k);

#endif /* VMMPROF_GUEST_CODEKERNEL_H */
