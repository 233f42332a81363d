// SPDX-License-Identifier: GPL-2.0-only
/* What all ways into a guest share: the words for an error, the deadline. */

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "transport/channel.h"

int channel_fail(struct channel *c, int err, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	vsnprintf(c->text, sizeof(c->text), fmt, ap);
	va_end(ap);
	for (p = c->text; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
	return err;
}

int channel_left(const struct channel *c)
{
	struct timespec t;
	uint64_t now;

	clock_gettime(CLOCK_MONOTONIC, &t);
	now = t.tv_sec * 1000000000ull + t.tv_nsec;
	if (now >= c->deadline_ns)
		return 0;
	now = (c->deadline_ns - now + 999999) / 1000000;
	return now < 1000000 ? now : 1000000;
}
