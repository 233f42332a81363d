// SPDX-License-Identifier: GPL-2.0-only
/* Pairs the machines of two sessions and makes their tables. */

#include <stdlib.h>
#include <string.h>

#include "view/diff_rows.h"
#include "view/diff_tables.h"
#include "base/vec.h"

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
	/* by name the first one left of @b, and behind each the next */
	__u32 *first = malloc((d->names.nr + 1) * sizeof(*first));
	__u32 *next = malloc((b->nr_guests + 1) * sizeof(*next));
	bool *taken = calloc(b->nr_guests + 1, sizeof(*taken));
	int err = first && next && taken ? 0 : -ENOMEM;
	__u32 name, k;
	size_t i;

	if (!err)
		memset(first, 0xff, d->names.nr * sizeof(*first));
	for (i = b->nr_guests; i-- && !err;) {
		name = b->guests[i];
		if (name == VMMPROF_NONE)
			continue;
		next[i] = first[name];
		first[name] = i;
	}
	for (i = 0; i < a->nr_guests && !err; i++) {
		name = a->guests[i];
		if (name == VMMPROF_NONE)
			continue;
		k = first[name];
		if (k == VMMPROF_NONE) {
			err = add_only(d, 0, name);
			continue;
		}
		first[name] = next[k];
		taken[k] = true;
		err = add_machine(d, name, 1 + i, 1 + k);
	}
	for (i = 0; i < b->nr_guests && !err; i++)
		if (!taken[i])
			err = add_only(d, 1, b->guests[i]);
	free(first);
	free(next);
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
	if (!m->of[0].weight || !m->of[1].weight)
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
