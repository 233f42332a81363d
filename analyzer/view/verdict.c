// SPDX-License-Identifier: GPL-2.0-only
/* Says in words who stole whose time. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/foreign_names.h"
#include "view/owner_name.h"
#include "view/percent.h"
#include "view/verdict.h"

/* Thieves are named until they have together so much of what was stolen. */
#define ENOUGH_PERCENT 80

static void find_longest(struct verdict *v, const struct timeline *tl)
{
	const struct track *t;
	const __u32 *tracks;
	size_t i, nr;

	tracks = groups_of(&tl->by_guest, v->guest, &nr);
	for (i = 0; i < nr; i++) {
		t = tl->tracks[tracks[i]];
		if (t->longest <= v->longest)
			continue;
		v->longest = t->longest;
		v->longest_at = t->longest_at > tl->begin ?
					t->longest_at - tl->begin :
					0;
	}
}

static void find_thieves(struct verdict *v, const struct verdicts *vs,
			 const struct matrix_victim *m, bool exact)
{
	const struct timeline *tl = vs->tl;
	struct verdict_thief *t;
	__u64 sum = 0;
	size_t i;

	for (i = 0; i < m->nr_cells && v->nr < VERDICT_THIEVES; i++) {
		const struct matrix_cell *c = &vs->matrix.cells[m->cell + i];

		if (percent_of(sum, v->lost) >= ENOUGH_PERCENT)
			return;
		t = &v->thieves[v->nr++];
		t->owner = vs->matrix.thieves[c->thief].owner;
		t->took = c->ticks;
		sat_sum(&sum, c->ticks);
		t->once = exact &&
			  steal_times_stretch(&tl->times, v->guest, t->owner,
					      &t->from, &t->to);
		if (t->once) {
			t->from -= tl->begin;
			t->to -= tl->begin;
		}
	}
}

int verdicts_init(struct verdicts *vs, const struct timeline *tl, bool exact)
{
	size_t i, nr_guests = tl->a->resolver.guests.nr;
	struct verdict *v;
	int err;

	memset(vs, 0, sizeof(*vs));
	vs->tl = tl;
	vs->exact = exact;
	err = steal_matrix_init(&vs->matrix, tl, exact, MATRIX_UNIT);
	if (err)
		return err;
	vs->nr = vs->matrix.nr_victims;
	vs->verdicts = calloc(vs->nr + 1, sizeof(*vs->verdicts));
	vs->by_guest = malloc((nr_guests + 1) * sizeof(*vs->by_guest));
	if (!vs->verdicts || !vs->by_guest)
		return -ENOMEM;
	memset(vs->by_guest, 0xff, (nr_guests + 1) * sizeof(*vs->by_guest));
	for (i = 0; i < vs->nr; i++) {
		v = &vs->verdicts[i];
		v->guest = vs->matrix.victims[i].guest;
		v->time = vs->matrix.victims[i].time;
		v->lost = vs->matrix.victims[i].lost;
		vs->by_guest[v->guest] = i;
		if (exact)
			find_longest(v, tl);
		find_thieves(v, vs, &vs->matrix.victims[i], exact);
	}
	return 0;
}

void verdicts_deinit(struct verdicts *vs)
{
	steal_matrix_deinit(&vs->matrix);
	free(vs->verdicts);
	free(vs->by_guest);
	memset(vs, 0, sizeof(*vs));
}

/* "3.04 s", "16.0 ms", "500 us" */
static void put_time(FILE *out, const struct timeline *tl, __u64 ticks)
{
	double s = tl->khz ? ticks / (tl->khz * 1000.0) : 0;

	if (!tl->khz)
		fprintf(out, "%llu ticks", (unsigned long long)ticks);
	else if (s >= 0.9995)
		fprintf(out, "%.2f s", s);
	else if (s >= 0.0009995)
		fprintf(out, "%.1f ms", s * 1e3);
	else
		fprintf(out, "%.1f us", s * 1e6);
}

/* When it took nearly all it took; as exact as the parts of the time are. */
static void put_when(FILE *out, const struct timeline *tl,
		     const struct verdict_thief *t, const char *before,
		     const char *after)
{
	double unit = tl->khz * 1000.0, all = (tl->end - tl->begin) / unit;
	int digits = all >= 100 ? 0 : all >= 10 ? 1 : all >= 1 ? 2 : 3;
	double from = t->from / unit, to = t->to / unit;

	if (!t->once || !tl->khz)
		return;
	fputs(before, out);
	if (to - from < all / 50)
		fprintf(out, "at %.*f s", digits, from);
	else if (t->to >= tl->end - tl->begin)
		fprintf(out, "from %.*f s on", digits, from);
	else if (!t->from)
		fprintf(out, "until %.*f s", digits, to);
	else
		fprintf(out, "from %.*f to %.*f s", digits, from, digits, to);
	fputs(after, out);
}

static void put_thieves(FILE *out, const struct verdicts *vs,
			const struct verdict *v)
{
	const struct timeline *tl = vs->tl;
	char name[300];
	unsigned int i;

	for (i = 0; i < v->nr; i++) {
		const struct verdict_thief *t = &v->thieves[i];

		if (!vs->exact &&
		    tl->thieves.owners.owners[t->owner].kind == OF_NOBODY)
			snprintf(name, sizeof(name), "nobody that was sampled");
		else
			owner_phrase(tl, t->owner, v->guest, name,
				     sizeof(name));
		fprintf(out, "%s%.1f %% to %s", i ? ", " : ": ",
			percent_of(t->took, v->lost), name);
		if (v->nr == 1)
			put_when(out, tl, t, ", ", "");
		else
			put_when(out, tl, t, " (", ")");
	}
}

static void put_verdict(FILE *out, const struct verdicts *vs,
			const struct verdict *v)
{
	const struct timeline *tl = vs->tl;
	const char *whole = tl->a->resolver.guests.guests[v->guest].name;
	double part = percent_of(v->lost, v->time);
	char name[256];

	foreign_guest(name, sizeof(name), whole);
	if (!v->lost) {
		fprintf(out, "%s lost nothing of its ", name);
		put_time(out, tl, v->time);
		return;
	}
	if (part < 0.05)
		fprintf(out, "%s lost less than 0.1 %% of its time (", name);
	else
		fprintf(out, "%s lost %.1f %% of its time (", name, part);
	put_time(out, tl, v->lost);
	fputs(" of ", out);
	put_time(out, tl, v->time);
	fputs(")", out);
	put_thieves(out, vs, v);
	if (v->longest) {
		fputs("; longest ", out);
		put_time(out, tl, v->longest);
	}
}

void verdict_text(const struct verdicts *vs, size_t i, char *buf, size_t size)
{
	FILE *out = fmemopen(buf, size, "w");

	*buf = '\0';
	if (!out)
		return;
	put_verdict(out, vs, &vs->verdicts[i]);
	fclose(out);
	buf[size - 1] = '\0';
}
