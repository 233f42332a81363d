// SPDX-License-Identifier: GPL-2.0-only
/* Numbers in groups of 7 bits, and those in base64 (RFC 4648). */

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "view/packed.h"

void packed_add(struct packed *p, unsigned long long n)
{
	do {
		if (!p->err)
			p->err = vec_grow(&p->bytes, &p->cap, p->nr, 1);
		if (p->err)
			return;
		p->bytes[p->nr++] = (n & 127) | (n > 127 ? 128 : 0);
		n >>= 7;
	} while (n);
}

static void base64(const unsigned char *from, size_t nr, char *to)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned int bits;
	size_t i, k, left;

	for (i = 0; i < nr; i += 3, to += 4) {
		left = nr - i;
		bits = from[i] << 16;
		bits |= left > 1 ? from[i + 1] << 8 : 0;
		bits |= left > 2 ? from[i + 2] : 0;
		for (k = 0; k < 4; k++)
			to[k] = k <= left ? digits[bits >> (18 - 6 * k) & 63] :
					    '=';
	}
	*to = '\0';
}

int packed_put(struct packed *p, struct json_out *j, const char *key)
{
	char *text = p->err ? NULL : malloc(p->nr / 3 * 4 + 5);
	int err = text ? 0 : -ENOMEM;

	if (text) {
		base64(p->bytes, p->nr, text);
		json_out_string(j, key, text);
	}
	free(text);
	free(p->bytes);
	memset(p, 0, sizeof(*p));
	return err;
}
