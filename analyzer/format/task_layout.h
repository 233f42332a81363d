/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a guest's kernel has who runs, as a bundle says it: the key task_layout
 * of its TEXT item, "CURRENT TGID PID MM COMM FLAGS START": the first is the
 * address in hexadecimal, the others are offsets; NONE for one that is not known.
 */
#ifndef FORMAT_TASK_LAYOUT_H
#define FORMAT_TASK_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include <vmmprof/ioctl.h>

#define TASK_LAYOUT_KEY	 "task_layout"
#define TASK_LAYOUT_TEXT 128 /* bytes, at most */

void task_layout_format(const struct vmmprof_guest_layout *l, char *text,
			size_t size);

/*
 * All but size and pid; @pti: page table isolation.  False: it is none that the
 * module takes, and @l is undefined.
 */
bool task_layout_parse(const char *text, bool pti,
		       struct vmmprof_guest_layout *l);

#endif /* FORMAT_TASK_LAYOUT_H */
