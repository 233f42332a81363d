// SPDX-License-Identifier: GPL-2.0-only
/* A guest's layout of tasks as text, and back.  The text is not trusted. */

#include <stdio.h>
#include <string.h>

#include <vmmprof/record.h>

#include "format/task_layout.h"

void task_layout_format(const struct vmmprof_guest_layout *l, char *text,
			size_t size)
{
	snprintf(text, size, "%llx %u %u %u %u %u %u",
		 (unsigned long long)l->current_task, l->task_tgid, l->task_pid,
		 l->task_mm, l->task_comm, l->task_flags, l->task_start);
}

static bool good(__u32 offset, __u32 align, bool optional)
{
	return (optional && offset == VMMPROF_NONE) ||
	       (offset < VMMPROF_GUEST_TASK_MAX && offset % align == 0);
}

bool task_layout_parse(const char *text, bool pti,
		       struct vmmprof_guest_layout *l)
{
	unsigned long long at;
	int end = 0;

	memset(l, 0, sizeof(*l));
	if (sscanf(text, "%16llx %10u %10u %10u %10u %10u %10u%n", &at,
		   &l->task_tgid, &l->task_pid, &l->task_mm, &l->task_comm,
		   &l->task_flags, &l->task_start, &end) != 7 ||
	    text[end])
		return false;
	l->current_task = at;
	l->flags = pti ? VMMPROF_GUEST_LAYOUT_F_PTI : 0;
	return at && at % 8 == 0 && good(l->task_tgid, 4, false) &&
	       good(l->task_pid, 4, false) && good(l->task_mm, 8, false) &&
	       good(l->task_comm, 8, false) && good(l->task_flags, 4, true) &&
	       good(l->task_start, 8, true);
}
