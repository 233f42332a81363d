// SPDX-License-Identifier: GPL-2.0-only

#include <errno.h>
#include <stdlib.h>

#include "base/gzip.h"

#define GZIP_WINDOW (15 + 16) /* the largest, with gzip's header: zlib.h */
#define GZIP_MEMORY 8	      /* zlib's default */

int gzip_pack(char **data, size_t *size, int level)
{
	z_stream z = { .next_in = (void *)*data, .avail_in = *size };
	char *packed;
	size_t max;

	if (deflateInit2(&z, level, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
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

void gunzip_feed(struct gunzip *g, const void *piece, size_t size)
{
	g->z.next_in = (void *)piece;
	g->z.avail_in = size;
}

ssize_t gunzip_read(struct gunzip *g, void *buf, size_t size)
{
	int what;

	if (g->ended)
		return g->z.avail_in ? -EBADMSG : 0;
	if (!g->begun && inflateInit2(&g->z, GZIP_WINDOW) != Z_OK)
		return -ENOMEM;
	g->begun = true;
	g->z.next_out = buf;
	g->z.avail_out = size;
	what = inflate(&g->z, Z_NO_FLUSH);
	g->ended = what == Z_STREAM_END;
	/* Z_BUF_ERROR: neither input nor output was left */
	if (what == Z_MEM_ERROR)
		return -ENOMEM;
	if (what != Z_OK && what != Z_STREAM_END && what != Z_BUF_ERROR)
		return -EBADMSG;
	if (g->ended && g->z.avail_in)
		return -EBADMSG;
	return size - g->z.avail_out;
}

void gunzip_end(struct gunzip *g)
{
	if (g->begun)
		inflateEnd(&g->z);
	g->begun = false;
}
