// SPDX-License-Identifier: GPL-2.0-only
/* The matrix of victims by thieves for other programs. */

#include "view/csv.h"
#include "view/owner_name.h"
#include "view/steal_matrix_json.h"

void steal_put_ns(struct json_out *j, const struct timeline *tl,
		  const char *key, __u64 ticks)
{
	if (tl->khz)
		json_out_u64(j, key, sat_scale(ticks, 1000000, tl->khz));
	else
		json_out_null(j, key);
}

void steal_victim_name(const struct steal *s, const struct matrix_victim *v,
		       char *buf, size_t size)
{
	char name[256], vcpu[32];

	steal_guest(s, v->guest, name, sizeof(name));
	if (v->track == VMMPROF_NONE) {
		snprintf(buf, size, "%s", name);
		return;
	}
	steal_vcpu(s, v->track, vcpu, sizeof(vcpu));
	snprintf(buf, size, "%s %s", name, vcpu);
}

void steal_thief_name(const struct steal *s, const struct matrix_thief *t,
		      char *buf, size_t size)
{
	if (t->thief != VMMPROF_NONE)
		steal_thief(s, t->thief, VMMPROF_NONE, buf, size);
	else
		owner_name(s->tl, t->owner, buf, size);
}

/* One word for what a column is, never NULL. */
static const char *thief_word(const struct steal *s,
			      const struct matrix_thief *t)
{
	if (t->thief != VMMPROF_NONE)
		return thief_key(s->tl->thieves.thieves[t->thief].kind);
	if (t->owner == VMMPROF_NONE)
		return "host";
	return owner_key(s->tl->thieves.owners.owners[t->owner].kind);
}

/* The VMM process of a column that is a VM. */
static void put_pid(struct json_out *j, const struct timeline *tl, __u32 owner)
{
	const struct owner *o = owner == VMMPROF_NONE ?
					NULL :
					&tl->thieves.owners.owners[owner];

	if (o && o->kind == OF_VM && o->id != VMMPROF_NONE)
		json_out_u64(j, "pid",
			     tl->a->resolver.guests.guests[o->id].pid);
	else
		json_out_null(j, "pid");
}

static void put_lines(struct json_out *j, const struct steal *s,
		      const struct steal_matrix *m)
{
	const struct matrix_victim *v;
	char name[300];
	size_t i;

	json_out_array(j, "victims");
	for (i = 0; i < m->nr_victims; i++) {
		v = &m->victims[i];
		json_out_object(j, NULL);
		steal_victim_name(s, v, name, sizeof(name));
		json_out_string(j, "name", name);
		json_out_u64(j, "pid",
			     s->tl->a->resolver.guests.guests[v->guest].pid);
		if (v->track == VMMPROF_NONE)
			json_out_null(j, "tid");
		else
			json_out_u64(j, "tid", s->tl->tracks[v->track]->tid);
		steal_put_ns(j, s->tl, "time_ns", v->time);
		steal_put_ns(j, s->tl, "lost_ns", v->lost);
		json_out_object_end(j);
	}
	json_out_array_end(j);
}

static void put_columns(struct json_out *j, const struct steal *s,
			const struct steal_matrix *m)
{
	char name[600];
	size_t i;

	json_out_array(j, "thieves");
	for (i = 0; i < m->nr_thieves; i++) {
		json_out_object(j, NULL);
		steal_thief_name(s, &m->thieves[i], name, sizeof(name));
		json_out_string(j, "name", name);
		json_out_string(j, "kind", thief_word(s, &m->thieves[i]));
		put_pid(j, s->tl, m->thieves[i].owner);
		steal_put_ns(j, s->tl, "took_ns", m->thieves[i].took);
		json_out_object_end(j);
	}
	json_out_array_end(j);
}

/* When nearly all of a cell was taken; null: all along, or not known. */
static void put_stretch(struct json_out *j, const struct steal *s,
			const struct matrix_victim *v,
			const struct matrix_thief *t)
{
	const struct timeline *tl = s->tl;
	__u64 from, to;

	if (s->exact && v->track == VMMPROF_NONE && t->thief == VMMPROF_NONE &&
	    t->owner != VMMPROF_NONE &&
	    steal_times_stretch(&tl->times, v->guest, t->owner, &from, &to)) {
		steal_put_ns(j, tl, "from_ns", from - tl->begin);
		steal_put_ns(j, tl, "to_ns", to - tl->begin);
		return;
	}
	json_out_null(j, "from_ns");
	json_out_null(j, "to_ns");
}

void steal_matrix_json(struct json_out *j, const struct steal *s,
		       const struct steal_matrix *m, enum matrix_by by)
{
	static const char *const words[] = { "vm", "vcpu", "unit", "process" };
	const struct matrix_cell *c;
	size_t i;

	json_out_object(j, "matrix");
	json_out_string(j, "by", words[by]);
	steal_put_ns(j, s->tl, "time_ns", m->time);
	steal_put_ns(j, s->tl, "lost_ns", m->lost);
	put_lines(j, s, m);
	put_columns(j, s, m);
	json_out_array(j, "cells");
	for (i = 0; i < m->nr_cells; i++) {
		c = &m->cells[i];
		json_out_object(j, NULL);
		json_out_u64(j, "victim", c->victim);
		json_out_u64(j, "thief", c->thief);
		steal_put_ns(j, s->tl, "took_ns", c->ticks);
		steal_put_ns(j, s->tl, "longest_ns", c->longest);
		put_stretch(j, s, &m->victims[c->victim],
			    &m->thieves[c->thief]);
		json_out_object_end(j);
	}
	json_out_array_end(j);
	json_out_object_end(j);
}

void steal_matrix_csv(const struct steal *s, const struct steal_matrix *m,
		      FILE *out)
{
	char name[600];
	size_t i;

	fputs("victim,thief,kind,took_s,longest_s,victim_lost_s,victim_time_s,thief_took_s\n",
	      out);
	for (i = 0; i < m->nr_cells; i++) {
		const struct matrix_cell *c = &m->cells[i];
		const struct matrix_victim *v = &m->victims[c->victim];
		const struct matrix_thief *t = &m->thieves[c->thief];

		steal_victim_name(s, v, name, sizeof(name));
		csv_text(out, name, ",");
		steal_thief_name(s, t, name, sizeof(name));
		csv_text(out, name, ",");
		fprintf(out, "%s,%.9f,%.9f,%.9f,%.9f,%.9f\n", thief_word(s, t),
			steal_seconds(s, c->ticks),
			steal_seconds(s, c->longest), steal_seconds(s, v->lost),
			steal_seconds(s, v->time), steal_seconds(s, t->took));
	}
}
