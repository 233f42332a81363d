/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CMD_PUSH_GZIP_H
#define CMD_PUSH_GZIP_H

#include <stddef.h>

/*
 * Packs a request, as RFC 1952 has it: *data, of malloc(), is then another one, and
 * *size what that has.  0 or -ENOMEM: it is what it was.
 */
int gzip_pack(char **data, size_t *size);

#endif /* CMD_PUSH_GZIP_H */
