// SPDX-License-Identifier: GPL-2.0-only

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "cmd/push/gzip.h"

#define GZIP_WINDOW (15 + 16) /* the largest, with gzip's header: zlib.h */
#define GZIP_MEMORY 8	      /* zlib's default */

int gzip_pack(char **data, size_t *size)
{
	z_stream z = { .next_in = (void *)*data, .avail_in = *size };
	char *packed;
	size_t max;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
			 GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	/* so much that one call does it */
	max = deflateBound(&z, *size);
	packed = malloc(max);
	z.next_out = (void *)packed;
	z.avail_out = max;
	if (packed && deflate(&z, Z_FINISH) == Z_STREAM_END) {
		free(*data);
		*data = packed;
		*size = z.total_out;
		packed = NULL;
		max = 0;
	}
	deflateEnd(&z);
	free(packed);
	return max ? -ENOMEM : 0;
}
