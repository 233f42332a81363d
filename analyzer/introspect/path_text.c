// SPDX-License-Identifier: GPL-2.0-only
/* Puts paths together. */

#include <errno.h>
#include <string.h>

#include "introspect/path_text.h"

#define NAME_BYTES 255 /* NAME_MAX */

int path_text_put(struct path_text *p, const char *text, size_t len)
{
	if (len > p->at)
		return -ENAMETOOLONG;
	p->at -= len;
	memcpy(p->buf + p->at, text, len);
	return 0;
}

int path_text_name(struct path_text *p, const struct guest_kernel *k,
		   __u64 addr, size_t len)
{
	char name[NAME_BYTES + 1] = "/";
	int err;

	if (!len || len > NAME_BYTES)
		return -ESTALE;
	err = guest_space_read(&k->space, addr, name + 1, len);
	if (err)
		return err;
	if (memchr(name + 1, '\0', len) || memchr(name + 1, '/', len))
		return -ESTALE;
	return path_text_put(p, name, len + 1);
}
