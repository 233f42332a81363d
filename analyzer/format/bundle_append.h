/* SPDX-License-Identifier: GPL-2.0-only */
/* More items for a bundle that is a file already. */
#ifndef VMMPROF_FORMAT_BUNDLE_APPEND_H
#define VMMPROF_FORMAT_BUNDLE_APPEND_H

#include <sys/types.h>

#include "format/items.h"

/* Where its items end: before its END, or where it is cut. */
struct vmmprof_bundletail {
	int fd;
	off_t at;
	__u64 items; /* before it */
	bool ended;
};

/* @items: those that were read of the file @fd, which is open for writing. */
void vmmprof_bundletail_find(struct vmmprof_bundletail *t,
			     const struct vmmprof_items *items, int fd);

/* An item whose first @size bytes are @head, and the rest is @rest. */
int vmmprof_bundletail_put(struct vmmprof_bundletail *t, const void *head,
			   size_t size, const void *rest);

/* After the last one: END, if there was one, and the end of the file. */
int vmmprof_bundletail_end(struct vmmprof_bundletail *t);

#endif /* VMMPROF_FORMAT_BUNDLE_APPEND_H */
