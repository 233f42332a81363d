// SPDX-License-Identifier: GPL-2.0-only
/* Warnings collected while reading, at most PROBLEMS_MAX of them. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/problem.h"

void problem(struct problems *p, const char *fmt, ...)
{
	va_list ap;
	char *line;
	int ret;

	if (p->nr == PROBLEMS_MAX) {
		p->more++;
		return;
	}
	va_start(ap, fmt);
	ret = vasprintf(&line, fmt, ap);
	va_end(ap);
	if (ret < 0)
		p->more++;
	else
		p->line[p->nr++] = line;
}

void problems_deinit(struct problems *p)
{
	size_t i;

	for (i = 0; i < p->nr; i++)
		free(p->line[i]);
	memset(p, 0, sizeof(*p));
}
