// SPDX-License-Identifier: GPL-2.0-only
/* Pairs the machines of two sessions and makes their tables. */

#include <stdlib.h>
#include <string.h>

#include "view/diff.h"
#include "view/diff_rows.h"
#include "view/safe.h"
#include "base/vec.h"

#define NAME_MAX_BYTES 4096

static const char *const key_names[NR_DIFF_KEYS] = {
	[DIFF_FUNCTION] = "function", [DIFF_MODULE] = "module",
	[DIFF_PROCESS] = "process",   [DIFF_PID] = "pid",
	[DIFF_VCPU] = "vcpu",	      [DIFF_MODE] = "mode",
	[DIFF_STATE] = "state",
};

int diff_key_by_name(const char *name, size_t len)
{
	int i;

	for (i = 0; i < NR_DIFF_KEYS; i++)
		if (strlen(key_names[i]) == len &&
		    !memcmp(key_names[i], name, len))
			return i;
	return -1;
}

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

static char *text_of(const struct vmmprof_session *s, const char *key)
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
	s->timed = x.timed;
	if (!s->dir || !s->hostname || !s->release || !s->event)
		return -ENOMEM;
	return take_guests(d, s, r);
}

static int add_machine(struct diff *d, __u32 name, __u32 a, __u32 b)
{
	struct diff_machine *m;
	int err = vec_grow(&d->machines, &d->cap, d->nr, sizeof(*m));

	if (err)
		return err;
	m = &d->machines[d->nr++];
	memset(m, 0, sizeof(*m));
	m->name = name;
	m->number[0] = a;
	m->number[1] = b;
	return 0;
}

static int add_only(struct diff *d, unsigned int s, __u32 name)
{
	int err;

	if (name == VMMPROF_NONE)
		return 0;
	err = vec_grow(&d->only[s], &d->cap_only[s], d->nr_only[s],
		       sizeof(**d->only));
	if (!err)
		d->only[s][d->nr_only[s]++] = name;
	return err;
}

/* Guests by their names; of several of one name, the first with the first. */
static int pair_guests(struct diff *d)
{
	struct diff_session *a = &d->s[0], *b = &d->s[1];
	bool *taken = calloc(b->nr_guests + 1, sizeof(*taken));
	size_t i, k;
	int err = taken ? 0 : -ENOMEM;

	for (i = 0; i < a->nr_guests && !err; i++) {
		if (a->guests[i] == VMMPROF_NONE)
			continue;
		for (k = 0; k < b->nr_guests; k++)
			if (!taken[k] && b->guests[k] == a->guests[i])
				break;
		if (k == b->nr_guests) {
			err = add_only(d, 0, a->guests[i]);
			continue;
		}
		taken[k] = true;
		err = add_machine(d, a->guests[i], 1 + i, 1 + k);
	}
	for (k = 0; k < b->nr_guests && !err; k++)
		if (!taken[k])
			err = add_only(d, 1, b->guests[k]);
	free(taken);
	return err;
}

static int make_tables(struct diff *d, struct diff_machine *m,
		       const enum diff_key *keys, size_t nr_keys)
{
	static const enum diff_key usual[] = { DIFF_STATE, DIFF_PROCESS,
					       DIFF_FUNCTION, DIFF_MODULE };
	int err = 0;
	size_t i;

	diff_total(d, m);
	if (!m->samples[0] || !m->samples[1])
		return 0;
	if (keys) {
		m->nr_tables = 1;
		return diff_rows(d, m, &m->tables[0], keys, nr_keys);
	}
	for (i = 0; i < DIFF_TABLES && !err; i++) {
		m->nr_tables++;
		err = diff_rows(d, m, &m->tables[i], &usual[i], i < 2 ? 1 : 2);
	}
	return err;
}

int diff_make(struct diff *d, const enum diff_key *keys, size_t nr_keys,
	      bool samples_only, bool guest)
{
	__u32 host;
	size_t i;
	int err;

	d->timed = d->s[0].timed && d->s[1].timed && !samples_only;
	err = strings_add(&d->names, "host", 4, &host);
	if (!err && !guest)
		err = add_machine(d, host, 0, 0);
	if (!err)
		err = pair_guests(d);
	for (i = 0; i < d->nr && !err; i++)
		err = make_tables(d, &d->machines[i], keys, nr_keys);
	return err;
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
	}
	for (i = 0; i < d->nr; i++)
		for (k = 0; k < d->machines[i].nr_tables; k++)
			free(d->machines[i].tables[k].rows);
	free(d->machines);
	strings_deinit(&d->names);
	memset(d, 0, sizeof(*d));
}
