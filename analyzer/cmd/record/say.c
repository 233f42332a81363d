// SPDX-License-Identifier: GPL-2.0-only
/* Lines on stderr.  While top shows its screen they are kept for later. */

#include <stdarg.h>
#include <stdio.h>

#include "cmd/record/say.h"
#include "view/safe.h"

/* Of this process, as stderr is. */
static struct {
	const char *verb;
	bool holds;
	size_t nr; /* bytes that are held */
	char held[8192];
} say = { .verb = "record" };

void record_say_verb(const char *name)
{
	say.verb = name;
}

const char *record_verb(void)
{
	return say.verb;
}

void record_say_hold(bool hold)
{
	say.holds = hold;
	if (!hold)
		fwrite(say.held, 1, say.nr, stderr);
	say.nr = 0;
}

void record_say(const char *fmt, ...)
{
	char line[2048], text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	safe_text(text, sizeof(text), line);
	if (!say.holds) {
		fprintf(stderr, "vmmprof %s: %s\n", say.verb, text);
		return;
	}
	say.nr += snprintf(say.held + say.nr, sizeof(say.held) - say.nr,
			   "vmmprof %s: %s\n", say.verb, text);
	if (say.nr >= sizeof(say.held))
		say.nr = sizeof(say.held) - 1;
}
