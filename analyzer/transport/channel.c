// SPDX-License-Identifier: GPL-2.0-only
/* What all ways into a guest share: the words for an error. */

#include <stdarg.h>
#include <stdio.h>

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
