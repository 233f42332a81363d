/* SPDX-License-Identifier: GPL-2.0-only */
/* Appends items to a bundle that is a file already. */
#ifndef FORMAT_BUNDLE_APPEND_H
#define FORMAT_BUNDLE_APPEND_H

#include <sys/types.h>

#include "format/items.h"

/* Where its items end: before its END item, or where the file is cut off. */
struct bundle_append {
	int fd;
	off_t at;
	__u64 items; /* before it */
	bool ended;
};

/* @items: those that were read of the file @fd, which is open for writing. */
void bundle_append_find(struct bundle_append *t, const struct items *items,
			int fd);

/* An item whose first @size bytes are @head, and the rest is @rest. */
int bundle_append_put(struct bundle_append *t, const void *head, size_t size,
		      const void *rest);

/* After the last one: END, if there was one, and the end of the file. */
int bundle_append_end(struct bundle_append *t);

#endif /* FORMAT_BUNDLE_APPEND_H */
