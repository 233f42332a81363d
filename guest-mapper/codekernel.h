/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code of the running kernel and its modules, out of /proc/kcore: functions
 * that /proc/kallsyms has, of the kernel between _stext and _etext (the code of
 * its start is memory for anything by now), and no byte beside them.
 */
#ifndef VMMPROF_GUEST_CODEKERNEL_H
#define VMMPROF_GUEST_CODEKERNEL_H

#include <stdbool.h>

#include <vmmprof/record.h>
#include <vmmprof/maps.h>

#include "format/code_list.h"
#include "kcore.h"

struct vmmprof_codekernel {
	struct vmmprof_kcore kcore;
	struct vmmprof_codekernel_func {
		__u64 addr;
		__u64 next; /* address of the next symbol, ~0: none */
		__u64 module, next_module; /* of which module, as numbers */
		bool text;		   /* a function begins at addr */
	} funcs[VMMPROF_CODE_RANGES];	   /* by addr */
	size_t nr;
	__u64 stext, etext; /* 0: not met */
	bool open;
};

/*
 * Look for the functions of @nr ranges; without any, or if nothing may be read,
 * there is nothing to read then.
 */
void vmmprof_codekernel_open(struct vmmprof_codekernel *k,
			     const struct vmmprof_code_want *wants, size_t nr);
void vmmprof_codekernel_close(struct vmmprof_codekernel *k);

/*
 * Up to want->size bytes of the function at want->addr.  How many; -ENOENT: no
 * function begins there; or -errno.
 */
int vmmprof_codekernel_read(const struct vmmprof_codekernel *k,
			    const struct vmmprof_code_want *want, void *buf);

/* A line of /proc/kallsyms, and after the last one; for tests. */
void vmmprof_codekernel_line(struct vmmprof_codekernel *k, const char *line);
void vmmprof_codekernel_last(struct vmmprof_codekernel *k);

#endif /* VMMPROF_GUEST_CODEKERNEL_H */
