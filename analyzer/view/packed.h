/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Many numbers as one string of JSON: each in groups of 7 bits, lowest first,
 * with bit 7 set in all bytes but its last one; the bytes in base64.
 * analyzer/view/html/packed.js reads them.
 */
#ifndef VIEW_PACKED_H
#define VIEW_PACKED_H

#include "view/json.h"

/* Zeroed: empty. */
struct packed {
	unsigned char *bytes;
	size_t nr, cap;
	int err; /* 0, or -ENOMEM: no more was added */
};

void packed_add(struct packed *p, unsigned long long n);

/* Write it as a member of that name, and free it.  0 or -ENOMEM. */
int packed_put(struct packed *p, struct json_out *j, const char *key);

#endif /* VIEW_PACKED_H */
