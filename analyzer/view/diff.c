// SPDX-License-Identifier: GPL-2.0-only
/* What is taken of each of two sessions, and the names of keys. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/diff.h"
#include "view/safe.h"

static const char *const key_names[NR_DIFF_KEYS] = {
	[DIFF_FUNCTION] = "function", [DIFF_MODULE] = "module",
	[DIFF_PROCESS] = "process",   [DIFF_PID] = "pid",
	[DIFF_VCPU] = "vcpu",	      [DIFF_MODE] = "mode",
	[DIFF_STATE] = "state",
};

const char *diff_key_name(enum diff_key key)
{
	return key_names[key];
}

double diff_seconds(const struct diff_session *s)
{
	return s->duration_ns / 1e9;
}

static char *safe_copy(const char *text)
{
	char buf[NAME_MAX_BYTES];

	safe_text(buf, sizeof(buf), text);
	return strdup(buf);
}

static char *text_of(const struct session *s, const char *key)
{
	char raw[NAME_MAX_BYTES];

	if (text_get(&s->text, key, raw, sizeof(raw)) < 0)
		*raw = '\0';
	return safe_copy(raw);
}

static int take_guests(struct diff *d, struct diff_session *s,
		       const struct report *r)
{
	struct names names = r->names;
	char name[NAME_MAX_BYTES];
	__u32 i;

	s->nr_guests = r->a->resolver.guests.nr;
	s->guests = malloc((s->nr_guests + 1) * sizeof(*s->guests));
	if (!s->guests)
		return -ENOMEM;
	for (i = 0; i < s->nr_guests; i++) {
		s->guests[i] = VMMPROF_NONE;
		if (!report_has(r, 1 + i))
			continue;
		name_machine(&names, 1 + i, name, sizeof(name));
		if (strings_add(&d->names, name, strlen(name), &s->guests[i]))
			return -ENOMEM;
	}
	return 0;
}

int diff_take(struct diff *d, unsigned int i, const struct report *r,
	      const struct timeline *tl)
{
	struct diff_session *s = &d->s[i];
	struct export_data x;
	int err;

	err = entries_init(&s->entries, r);
	if (err)
		return err;
	export_init(&x, r, &s->entries, tl);
	s->words = malloc((s->entries.names.nr + 1) * sizeof(*s->words));
	if (!s->words)
		return -ENOMEM;
	memset(s->words, 0xff, (s->entries.names.nr + 1) * sizeof(*s->words));
	s->dir = safe_copy(r->dir);
	s->hostname = text_of(&r->a->session, "hostname");
	s->release = text_of(&r->a->session, "release");
	s->event = strdup(x.event);
	s->duration_ns = x.duration_ns;
	s->period_ns = x.period_ns;
	s->time = r->a->time;
	s->khz = tl->khz;
	s->timed = x.timed;
	if (!s->dir || !s->hostname || !s->release || !s->event)
		return -ENOMEM;
	return take_guests(d, s, r);
}

static void free_session(struct diff_session *s)
{
	entries_deinit(&s->entries);
	free(s->dir);
	free(s->hostname);
	free(s->release);
	free(s->event);
	free(s->guests);
	free(s->words);
}

void diff_deinit(struct diff *d)
{
	size_t i, k;

	for (i = 0; i < 2; i++) {
		free_session(&d->s[i]);
		free(d->only[i]);
		free(d->trees[i].nodes);
		hash_deinit(&d->trees[i].by_name);
	}
	for (i = 0; i < d->nr; i++)
		for (k = 0; k < d->machines[i].nr_tables; k++)
			free(d->machines[i].tables[k].rows);
	free(d->machines);
	strings_deinit(&d->names);
	memset(d, 0, sizeof(*d));
}
