/* SPDX-License-Identifier: GPL-2.0-only */
/* A path that is made from its end to its beginning, as a kernel does. */
#ifndef INTROSPECT_PATH_TEXT_H
#define INTROSPECT_PATH_TEXT_H

#include "introspect/kernel.h"

#define GUEST_PATH_MAX 4096

struct path_text {
	char buf[GUEST_PATH_MAX];
	size_t at; /* where the text begins; it ends with the buffer */
};

static inline void path_text_init(struct path_text *p)
{
	p->at = sizeof(p->buf) - 1;
	p->buf[p->at] = '\0';
}

/* Put @len bytes before what is there.  0 or -ENAMETOOLONG. */
int path_text_put(struct path_text *p, const char *text, size_t len);

/*
 * Put "/" and a name of @len bytes at @addr of the kernel before it; -ESTALE:
 * this is no name.
 */
int path_text_name(struct path_text *p, const struct guest_kernel *k,
		   __u64 addr, size_t len);

#endif /* INTROSPECT_PATH_TEXT_H */
