// SPDX-License-Identifier: GPL-2.0-only
/* Errors with their words. */

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

int error_set(struct error *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return code;
	*e = (struct error){ .code = code };
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	return code;
}

void error_hint(struct error *e, const char *first, const char *second)
{
	if (!e)
		return;
	e->hints[0] = first;
	e->hints[1] = second;
}
