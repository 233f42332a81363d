// SPDX-License-Identifier: GPL-2.0-only
/* The same of many guests is one line. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "cmd/record/same.h"
#include "cmd/record/say.h"
#include "host/inventory.h"

/* Names on a line, as `report` has them. */
#define NAMES 3

struct same_line {
	char *what;
	unsigned int nr; /* guests */
	char names[NAMES][VM_NAME];
};

static struct same_line *line_of(struct record_same *s, const char *what)
{
	struct same_line *line;
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (!strcmp(s->lines[i].what, what))
			return &s->lines[i];
	if (vec_grow(&s->lines, &s->cap, s->nr, sizeof(*line)))
		return NULL;
	line = &s->lines[s->nr];
	*line = (struct same_line){ .what = strdup(what) };
	if (!line->what)
		return NULL;
	s->nr++;
	return line;
}

void record_same_add(struct record_same *s, const char *name, const char *what)
{
	struct same_line *line = line_of(s, what);

	if (!line) {
		record_say("warning: guest %s: %s", name, what);
		return;
	}
	if (line->nr < NAMES)
		snprintf(line->names[line->nr], VM_NAME, "%s", name);
	line->nr++;
}

static void say_line(const struct same_line *line)
{
	unsigned int i, shown = line->nr < NAMES ? line->nr : NAMES;
	char names[NAMES * (VM_NAME + 2)] = "", more[32] = "";
	size_t used = 0;

	if (line->nr == 1) {
		record_say("warning: guest %s: %s", line->names[0], line->what);
		return;
	}
	for (i = 0; i < shown; i++)
		used += snprintf(names + used, sizeof(names) - used, "%s%s",
				 i ? ", " : "", line->names[i]);
	if (line->nr > shown)
		snprintf(more, sizeof(more), " and %u more", line->nr - shown);
	record_say("warning: %u guests (%s%s): %s", line->nr, names, more,
		   line->what);
}

unsigned int record_same_say(struct record_same *s)
{
	unsigned int unnamed = 0;
	size_t i;

	for (i = 0; i < s->nr; i++) {
		say_line(&s->lines[i]);
		if (s->lines[i].nr > NAMES)
			unnamed += s->lines[i].nr - NAMES;
		free(s->lines[i].what);
	}
	free(s->lines);
	*s = (struct record_same){ 0 };
	return unnamed;
}
