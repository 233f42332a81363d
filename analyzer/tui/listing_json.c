// SPDX-License-Identifier: GPL-2.0-only
/* The rows of the panels as JSON, by top.schema.json. */

#include <stdio.h>

#include "tui/listing.h"
#include "tui/panels_internal.h"
#include "view/chain_json.h"
#include "view/owner_name.h"
#include "view/steal_matrix_json.h"

static void put_thief(struct panels *p, struct json_out *j, __u32 thief,
		      __u32 victim, __u64 ticks)
{
	const struct thief *t = &p->tl->thieves.thieves[thief];
	char text[NAME_TEXT_BYTES];

	json_out_object(j, NULL);
	json_out_string(j, "kind", thief_key(t->kind));
	steal_thief(&p->steal, thief, victim, text, sizeof(text));
	json_out_string(j, "text", text);
	json_out_string(j, "owner_kind",
			owner_key(p->tl->thieves.owners.owners[t->owner].kind));
	owner_name(p->tl, t->owner, text, sizeof(text));
	json_out_string(j, "owner", text);
	steal_put_ns(j, p->tl, "time_ns", ticks);
	json_out_object_end(j);
}

/* Of a VM, most first; of a vCPU as they came. */
static void put_thieves(struct panels *p, struct json_out *j,
			const struct panel_row *r)
{
	const struct thieves *cs = &p->tl->thieves;
	const struct steal_stolen *s;
	__u32 guest = r->machine - 1;
	size_t i;

	json_out_array(j, "thieves");
	i = r->kind == ROW_GUEST ? steal_first(&p->steal, guest) : 0;
	for (; r->kind == ROW_GUEST && i < p->steal.nr_stolen; i++) {
		s = &p->steal.stolen[i];
		if (s->guest != guest)
			break;
		if (steal_took(s))
			put_thief(p, j, s->thief, guest, steal_took(s));
	}
	for (i = 0; r->kind == ROW_VCPU && i < cs->nr_stolen; i++)
		if (cs->stolen[i].track == r->track &&
		    stolen_ticks(&cs->stolen[i]))
			put_thief(p, j, cs->stolen[i].thief, guest,
				  stolen_ticks(&cs->stolen[i]));
	json_out_array_end(j);
}

/* Time of a VM or a vCPU in each state, and who took it. */
static void put_states(struct panels *p, struct json_out *j,
		       const struct panel_row *r)
{
	unsigned int i;
	char key[32];

	steal_put_ns(j, p->tl, "total_ns", r->total);
	for (i = 0; i < STEAL_COLUMNS; i++) {
		snprintf(key, sizeof(key), "%s_ns", steal_heading(i));
		steal_put_ns(j, p->tl, key, r->column[i]);
	}
	put_thieves(p, j, r);
}

static void put_vcpu(struct panels *p, struct json_out *j,
		     const struct panel_row *r)
{
	json_out_object(j, NULL);
	if (r->vcpu == VMMPROF_NONE)
		json_out_null(j, "vcpu");
	else
		json_out_u64(j, "vcpu", r->vcpu);
	if (r->track == VMMPROF_NONE)
		json_out_null(j, "tid");
	else
		json_out_u64(j, "tid", p->tl->tracks[r->track]->tid);
	json_out_u64(j, "samples", r->samples);
	json_out_u64(j, "user", r->user);
	put_states(p, j, r);
	json_out_object_end(j);
}

static void put_function(struct panels *p, struct json_out *j,
			 const struct chain_rows *chains, size_t row)
{
	const struct bucket *c = &p->table.rows.buckets[row];
	char name[NAME_TEXT_BYTES];

	json_out_object(j, NULL);
	json_out_u64(j, "samples", c->samples);
	json_out_percent(j, "percent", c->samples, p->table.total);
	panels_cell(p, &c->key, 0, name, sizeof(name));
	json_out_string(j, "function", name);
	panels_cell(p, &c->key, 1, name, sizeof(name));
	json_out_string(j, "module", name);
	if (trees_row_folds(p, &c->key))
		p->err = chain_json_row(j, p->names, chains, row, 0, false);
	json_out_object_end(j);
}

/* Of the chosen row. */
static void put_functions(struct panels *p, struct json_out *j, __u32 limit)
{
	struct chain_rows chains;
	size_t i;

	p->err = listing_chains(p, limit, &chains);
	json_out_u64(j, "samples", p->table.total);
	json_out_u64(j, "rows", p->table.rows.nr);
	json_out_array(j, "functions");
	for (i = 0; i < p->table.rows.nr && i < limit && !p->err; i++)
		put_function(p, j, &chains, i);
	json_out_array_end(j);
	chain_rows_deinit(&chains);
}

/* Of a VM: time without guest code, if that has chains. */
static void put_time(struct panels *p, struct json_out *j)
{
	const struct time_row *r;
	struct chain_time chains;
	__u64 khz = p->tl->khz;
	size_t i;

	if (!p->time.nr)
		return;
	p->err = listing_time(p, &chains);
	json_out_array(j, "host_time");
	for (i = 0; i < p->time.nr && !p->err; i++) {
		r = &p->time.row[i];
		json_out_object(j, NULL);
		steal_put_ns(j, p->tl, "time_ns", r->ticks);
		json_out_string(j, "function", r->function);
		json_out_string(j, "module", r->module);
		p->err = chain_json_time(
			j, p->names, &chains, i,
			khz ? sat_scale(r->ticks, 1000000, khz) : 0, false);
		json_out_object_end(j);
	}
	json_out_array_end(j);
	chain_time_deinit(&chains);
}

/* A guest, with its vCPUs, which follow it. */
static void put_guest(struct panels *p, struct json_out *j, size_t at)
{
	const struct panel_row *r = &p->rows[at];
	const char *about;

	json_out_u64(j, "vm", r->machine);
	json_out_u64(j, "pid",
		     p->tl->a->resolver.guests.guests[r->machine - 1].pid);
	about = p->about ? p->about(p->about_arg, r->machine) : NULL;
	if (about)
		json_out_string(j, "maps", about);
	else
		json_out_null(j, "maps");
	put_states(p, j, r);
	json_out_array(j, "vcpus");
	while (++at < p->nr_rows && p->rows[at].kind == ROW_VCPU)
		put_vcpu(p, j, &p->rows[at]);
	json_out_array_end(j);
}

static void put_machine(struct panels *p, struct json_out *j, size_t at,
			__u32 limit)
{
	char name[NAME_TEXT_BYTES];

	p->pane[0].cur = at;
	panels_choose(p);
	if (p->err)
		return;
	json_out_object(j, NULL);
	panels_name(p, &p->rows[at], name, sizeof(name));
	json_out_string(j, "name", name);
	if (p->rows[at].kind == ROW_GUEST)
		put_guest(p, j, at);
	put_functions(p, j, limit);
	if (!p->err)
		put_time(p, j);
	json_out_object_end(j);
}

int panels_list_json(struct panels *p, const struct panels_interval *now,
		     __u32 limit, FILE *out)
{
	struct json_out j;
	size_t i;

	json_out_init(&j, out);
	j.one_line = true;
	json_out_object(&j, NULL);
	json_out_u64(&j, "schema", 1);
	json_out_string(&j, "kind", "vmmprof-top");
	json_out_string(&j, "hostname", now->host);
	steal_put_ns(&j, p->tl, "begin_ns", now->begin);
	steal_put_ns(&j, p->tl, "interval_ns", now->span);
	json_out_u64(&j, "own_cpu_ns", now->own_ns);
	json_out_u64(&j, "lost", now->lost);
	json_out_u64(&j, "samples", now->samples);
	if (p->event == VMMPROF_ANY)
		json_out_null(&j, "event");
	else
		json_out_string(&j, "event",
				session_event_name(&p->tl->a->session,
						   p->event));
	json_out_bool(&j, "switches", timeline_exact(p->tl));
	json_out_array(&j, "machines");
	for (i = 0; i < p->nr_rows && !p->err; i++)
		if (p->rows[i].kind != ROW_VCPU)
			put_machine(p, &j, i, limit);
	json_out_array_end(&j);
	json_out_object_end(&j);
	return p->err;
}
