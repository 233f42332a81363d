// SPDX-License-Identifier: GPL-2.0-only
/* Lines on stderr; while top has the screen they are kept until after. */

#include <stdarg.h>
#include <stdio.h>

#include "cmd/record/say.h"
#include "view/safe.h"

static const char *verb = "record";
static char held[8192];
static size_t nr_held;
static bool holds;

void record_say_verb(const char *name)
{
	verb = name;
}

const char *record_verb(void)
{
	return verb;
}

void record_say_hold(bool hold)
{
	holds = hold;
	if (!hold)
		fwrite(held, 1, nr_held, stderr);
	nr_held = 0;
}

void record_say(const char *fmt, ...)
{
	char line[2048], text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	safe_text(text, sizeof(text), line);
	if (!holds) {
		fprintf(stderr, "vmmprof %s: %s\n", verb, text);
		return;
	}
	nr_held += snprintf(held + nr_held, sizeof(held) - nr_held,
			    "vmmprof %s: %s\n", verb, text);
	if (nr_held >= sizeof(held))
		nr_held = sizeof(held) - 1;
}
