// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer entry: a window of a spool, as push reads it, and its requests.
 */

#include <stdlib.h>

#include "cmd/push/window.h"

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	struct window w = { .data = data, .size = size, .real_ns = 1 };
	struct window_profile p;
	char *request;
	size_t bytes;

	while (!window_next(&w, &p)) {
		/* what is a profile is all in the window */
		if (p.file.data < data || p.file.data > data + size ||
		    p.file.size > size || !p.time_ns)
			abort();
		if (window_request(&p, "service", &request, &bytes))
			continue;
		if (bytes < p.file.size)
			abort();
		free(request);
	}
	return 0;
}
