// SPDX-License-Identifier: GPL-2.0-only
/* Unpacks .gnu_debugdata with liblzma. */

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

#include "sym/debug_data.h"

#define CHUNK 0x40000

static int lzma_error(lzma_ret ret)
{
	switch (ret) {
	case LZMA_STREAM_END:
		return 0;
	case LZMA_MEM_ERROR:
		return -ENOMEM;
	case LZMA_MEMLIMIT_ERROR:
		return -EFBIG;
	default:
		return -EBADMSG;
	}
}

static size_t limit_of(size_t packed)
{
	size_t limit = DEBUG_DATA_MAX;

	if (packed < limit / DEBUG_DATA_RATIO)
		limit = packed * DEBUG_DATA_RATIO;
	return limit < DEBUG_DATA_LEAST ? DEBUG_DATA_LEAST : limit;
}

/* Doubles the output buffer, up to the limit. */
static int grow(lzma_stream *s, unsigned char **buf, size_t *max, size_t limit)
{
	size_t used = s->total_out, bigger = *max ? *max * 2 : CHUNK;
	unsigned char *more;

	if (used == limit)
		return -EFBIG;
	if (bigger > limit)
		bigger = limit;
	more = realloc(*buf, bigger);
	if (!more)
		return -ENOMEM;
	*buf = more;
	*max = bigger;
	s->next_out = more + used;
	s->avail_out = bigger - used;
	return 0;
}

int debugdata_unpack(const void *in, size_t size, void **out, size_t *out_size)
{
	lzma_stream s = LZMA_STREAM_INIT;
	unsigned char *buf = NULL;
	size_t max = 0;
	lzma_ret ret;
	int err = 0;

	ret = lzma_stream_decoder(&s, DEBUG_DATA_MAX, 0);
	s.next_in = in;
	s.avail_in = size;
	while (!err && ret == LZMA_OK) {
		if (!s.avail_out)
			err = grow(&s, &buf, &max, limit_of(size));
		if (!err)
			ret = lzma_code(&s, LZMA_FINISH);
	}
	if (!err)
		err = lzma_error(ret);
	*out_size = s.total_out;
	lzma_end(&s);
	if (err) {
		free(buf);
		return err;
	}
	*out = buf;
	return 0;
}
