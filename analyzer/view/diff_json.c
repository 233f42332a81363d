// SPDX-License-Identifier: GPL-2.0-only
/* Two sessions side by side, as JSON, by diff.schema.json. */

#include "view/diff_chains.h"
#include "view/json.h"
#include "view/time_text.h"

#define DIGITS 4

static const char *text(const struct diff *d, __u32 id)
{
	return strings_get(&d->names, id);
}

/* Of both sessions; time only of what has time. */
static void put_amounts(const struct diff *d, struct json_out *j, bool timed,
			const struct diff_amount of[2])
{
	static const char *const keys[2] = { "time_a_ns", "time_b_ns" };
	unsigned int s;

	json_out_u64(j, "samples_a", of[0].samples);
	json_out_u64(j, "samples_b", of[1].samples);
	for (s = 0; timed && s < 2; s++) {
		if (d->s[s].khz)
			json_out_u64(j, keys[s], of[s].ns);
		else
			json_out_null(j, keys[s]);
	}
}

static void put_row(const struct diff *d, struct json_out *j,
		    const struct diff_machine *m, const struct diff_table *t,
		    const struct diff_row *r)
{
	size_t k;

	json_out_object(j, NULL);
	for (k = 0; k < t->nr_keys; k++)
		json_out_string(j, diff_key_name(t->keys[k]),
				text(d, r->key[k]));
	put_amounts(d, j, m->timed, r->of);
	json_out_fixed(j, "percent_a", r->points[0], DIGITS);
	json_out_fixed(j, "percent_b", r->points[1], DIGITS);
	json_out_fixed(j, "change", r->delta, DIGITS);
	if (r->all_exact)
		json_out_null(j, "error");
	else
		json_out_fixed(j, "error", r->error, DIGITS);
	if (r->all_exact)
		json_out_null(j, "significant");
	else
		json_out_bool(j, "significant", r->significant);
	json_out_object_end(j);
}

static void put_table(const struct diff *d, struct json_out *j,
		      const struct diff_machine *m, const struct diff_table *t)
{
	size_t i;

	json_out_object(j, NULL);
	json_out_array(j, "keys");
	for (i = 0; i < t->nr_keys; i++)
		json_out_string(j, NULL, diff_key_name(t->keys[i]));
	json_out_array_end(j);
	json_out_array(j, "rows");
	for (i = 0; i < t->nr && (!d->limit || i < d->limit); i++)
		put_row(d, j, m, t, &t->rows[i]);
	json_out_array_end(j);
	json_out_object_end(j);
}

static void put_machine(const struct diff *d, struct json_out *j,
			const struct diff_machine *m)
{
	size_t i;

	json_out_object(j, NULL);
	json_out_string(j, "name", text(d, m->name));
	json_out_u64(j, "vm_a", m->number[0]);
	json_out_u64(j, "vm_b", m->number[1]);
	put_amounts(d, j, m->timed, m->of);
	json_out_array(j, "tables");
	for (i = 0; i < m->nr_tables; i++)
		put_table(d, j, m, &m->tables[i]);
	json_out_array_end(j);
	json_out_object_end(j);
}

static void put_time(struct json_out *j, const char *key, __u64 ns)
{
	if (ns)
		json_out_u64(j, key, ns);
	else
		json_out_null(j, key);
}

static void put_session(const struct diff *d, struct json_out *j,
			const char *key, unsigned int s)
{
	const struct diff_session *from = &d->s[s];
	size_t i;

	json_out_object(j, key);
	json_out_string(j, "dir", from->dir);
	json_out_string(j, "hostname", from->hostname);
	json_out_string(j, "release", from->release);
	put_time(j, "duration_ns", from->duration_ns);
	put_time(j, "period_ns", from->period_ns);
	time_text_json_ranges(from->time, from->khz, j);
	json_out_array(j, "only_here");
	for (i = 0; i < d->nr_only[s]; i++)
		json_out_string(j, NULL, text(d, d->only[s][i]));
	json_out_array_end(j);
	json_out_object_end(j);
}

int diff_json(const struct diff *d, FILE *out)
{
	struct json_out j;
	size_t i;
	int err = 0;

	json_out_begin(&j, out, "vmmprof-diff", 2);
	put_session(d, &j, "a", 0);
	put_session(d, &j, "b", 1);
	json_out_string(&j, "event", d->s[0].event);
	json_out_bool(&j, "host_time", d->timed);
	json_out_array(&j, "machines");
	for (i = 0; i < d->nr; i++)
		put_machine(d, &j, &d->machines[i]);
	json_out_array_end(&j);
	if (d->graph)
		err = diff_chains_json(d, &j);
	json_out_object_end(&j);
	return err;
}
