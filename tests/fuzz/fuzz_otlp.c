// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer entry: a profile of a spool, unpacked, that becomes a request of
 * OpenTelemetry's; and what is answered.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cmd/push/api.h"

#define PACKED_MAX (128u << 10)

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size);

/* As it is, but as a file of gzip(1). */
static size_t pack(const __u8 *data, size_t size, __u8 *packed)
{
	z_stream z = { .next_in = (void *)data,
		       .avail_in = size,
		       .next_out = packed,
		       .avail_out = PACKED_MAX };
	int ret;

	if (deflateInit2(&z, Z_NO_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	ret = deflate(&z, Z_FINISH);
	deflateEnd(&z);
	return ret == Z_STREAM_END ? PACKED_MAX - z.avail_out : 0;
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	static __u8 packed[PACKED_MAX];
	struct window_profile p = { .window_ns = 1 };
	char *request;
	size_t bytes;
	int ret;

	otlp_refused(data, size);
	p.file.data = packed;
	p.file.size = pack(data, size, packed);
	if (!p.file.size)
		return 0;
	strcpy(p.host, "host");
	ret = otlp_request(&p, "service", &request, &bytes);
	/* nothing else goes wrong: no memory is short */
	if (ret && ret != -EINVAL)
		abort();
	if (ret)
		return 0;
	if (!bytes || *request != (1 << 3 | 2))
		abort();
	free(request);
	return 0;
}
