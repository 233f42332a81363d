// SPDX-License-Identifier: GPL-2.0-only
/* Two sessions side by side, as JSON; analyzer/man/vmmprof-diff.md has it. */

#include "view/diff.h"
#include "view/json.h"

#define DIGITS 4

static const char *text(const struct vmmprof_diff *d, __u32 id)
{
	return vmmprof_strings_get(&d->names, id);
}

static void put_row(const struct vmmprof_diff *d, struct vmmprof_json *j,
		    const struct vmmprof_diff_table *t,
		    const struct vmmprof_diff_row *r)
{
	size_t k;

	vmmprof_json_object(j, NULL);
	for (k = 0; k < t->nr_keys; k++)
		vmmprof_json_string(j, vmmprof_diff_key_name(t->keys[k]),
				    text(d, r->key[k]));
	vmmprof_json_u64(j, "samples_a", r->samples[0]);
	vmmprof_json_u64(j, "samples_b", r->samples[1]);
	vmmprof_json_fixed(j, "percent_a", r->points[0], DIGITS);
	vmmprof_json_fixed(j, "percent_b", r->points[1], DIGITS);
	vmmprof_json_fixed(j, "change", r->delta, DIGITS);
	if (r->all_exact)
		vmmprof_json_null(j, "error");
	else
		vmmprof_json_fixed(j, "error", r->error, DIGITS);
	if (r->all_exact)
		vmmprof_json_null(j, "significant");
	else
		vmmprof_json_bool(j, "significant", r->significant);
	vmmprof_json_object_end(j);
}

static void put_table(const struct vmmprof_diff *d, struct vmmprof_json *j,
		      const struct vmmprof_diff_table *t)
{
	size_t i;

	vmmprof_json_object(j, NULL);
	vmmprof_json_array(j, "keys");
	for (i = 0; i < t->nr_keys; i++)
		vmmprof_json_string(j, NULL, vmmprof_diff_key_name(t->keys[i]));
	vmmprof_json_array_end(j);
	vmmprof_json_array(j, "rows");
	for (i = 0; i < t->nr && (!d->limit || i < d->limit); i++)
		put_row(d, j, t, &t->rows[i]);
	vmmprof_json_array_end(j);
	vmmprof_json_object_end(j);
}

static void put_machine(const struct vmmprof_diff *d, struct vmmprof_json *j,
			const struct vmmprof_diff_machine *m)
{
	size_t i;

	vmmprof_json_object(j, NULL);
	vmmprof_json_string(j, "name", text(d, m->name));
	vmmprof_json_u64(j, "vm_a", m->number[0]);
	vmmprof_json_u64(j, "vm_b", m->number[1]);
	vmmprof_json_u64(j, "samples_a", m->samples[0]);
	vmmprof_json_u64(j, "samples_b", m->samples[1]);
	vmmprof_json_array(j, "tables");
	for (i = 0; i < m->nr_tables; i++)
		put_table(d, j, &m->tables[i]);
	vmmprof_json_array_end(j);
	vmmprof_json_object_end(j);
}

static void put_time(struct vmmprof_json *j, const char *key, __u64 ns)
{
	if (ns)
		vmmprof_json_u64(j, key, ns);
	else
		vmmprof_json_null(j, key);
}

static void put_session(const struct vmmprof_diff *d, struct vmmprof_json *j,
			const char *key, unsigned int s)
{
	const struct vmmprof_diff_session *from = &d->s[s];
	size_t i;

	vmmprof_json_object(j, key);
	vmmprof_json_string(j, "dir", from->dir);
	vmmprof_json_string(j, "hostname", from->hostname);
	vmmprof_json_string(j, "release", from->release);
	put_time(j, "duration_ns", from->duration_ns);
	put_time(j, "period_ns", from->period_ns);
	vmmprof_json_array(j, "only_here");
	for (i = 0; i < d->nr_only[s]; i++)
		vmmprof_json_string(j, NULL, text(d, d->only[s][i]));
	vmmprof_json_array_end(j);
	vmmprof_json_object_end(j);
}

void vmmprof_diff_json(const struct vmmprof_diff *d, FILE *out)
{
	struct vmmprof_json j;
	size_t i;

	vmmprof_json_init(&j, out);
	vmmprof_json_object(&j, NULL);
	vmmprof_json_u64(&j, "schema", 1);
	vmmprof_json_string(&j, "kind", "vmmprof-diff");
	put_session(d, &j, "a", 0);
	put_session(d, &j, "b", 1);
	vmmprof_json_string(&j, "event", d->s[0].event);
	vmmprof_json_bool(&j, "host_time", d->timed);
	vmmprof_json_array(&j, "machines");
	for (i = 0; i < d->nr; i++)
		put_machine(d, &j, &d->machines[i]);
	vmmprof_json_array_end(&j);
	vmmprof_json_object_end(&j);
}
