// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof exits` as JSON and CSV. */

#include "base/saturate.h"
#include "sym/exits.h"
#include "view/csv.h"
#include "view/exit_stats.h"
#include "view/json.h"

static void put_reason(struct json_out *j, const struct exit_stat *r)
{
	if (r->reason == VMMPROF_NONE) {
		json_out_null(j, "reason");
		json_out_null(j, "name");
		return;
	}
	json_out_u64(j, "reason", exit_number(r->reason));
	if (*exit_view_reason(r->reason) == '(')
		json_out_null(j, "name");
	else
		json_out_string(j, "name", exit_view_reason(r->reason));
}

static void put_histogram(const struct exit_view *v, struct json_out *j,
			  const struct exit_stat *r)
{
	unsigned int i;

	json_out_array(j, "histogram");
	for (i = 0; i < VMMPROF_EXIT_COUNTS; i++) {
		if (!r->count[i])
			continue;
		json_out_object(j, NULL);
		json_out_u64(j, "from_ns", exit_view_ns(v, exit_stats_from(i)));
		json_out_u64(j, "exits", r->count[i]);
		json_out_object_end(j);
	}
	json_out_array_end(j);
}

static void put_numbers(const struct exit_view *v, struct json_out *j,
			const struct exit_stat *r)
{
	json_out_u64(j, "exits", r->nr);
	json_out_u64(j, "time_ns", exit_view_ns(v, r->total));
	json_out_u64(j, "min_ns", exit_view_ns(v, r->min));
	json_out_u64(j, "max_ns", exit_view_ns(v, r->max));
	json_out_u64(j, "mean_ns", exit_view_ns(v, exit_stats_mean(r)));
	json_out_u64(j, "p50_ns",
		     exit_view_ns(v, exit_stats_quantile(r, 50, 100)));
	json_out_u64(j, "p90_ns",
		     exit_view_ns(v, exit_stats_quantile(r, 90, 100)));
	json_out_u64(j, "p99_ns",
		     exit_view_ns(v, exit_stats_quantile(r, 99, 100)));
	json_out_u64(j, "not_ended", r->not_ended);
	json_out_u64(j, "not_ended_for_ns", exit_view_ns(v, r->open));
	put_histogram(v, j, r);
}

static void put_functions(const struct exit_view *v, struct json_out *j,
			  const struct exit_stat *r)
{
	size_t i, shown = exit_view_functions(v, r);
	const struct bucket *b;
	struct bucket_key key;
	char text[512];

	json_out_u64(j, "samples", r->samples);
	json_out_array(j, "functions");
	for (i = 0; i < shown; i++) {
		b = &v->stats->functions[r->first + i];
		key = b->key;
		key.mode++; /* as rows of tables have it */
		json_out_object(j, NULL);
		name_function(&v->r->names, &key, text, sizeof(text));
		json_out_string(j, "function", text);
		name_module(&v->r->names, &key, text, sizeof(text));
		json_out_string(j, "module", text);
		if (b->key.cause)
			json_out_string(j, "unresolved",
					cause_key(b->key.cause));
		json_out_u64(j, "samples", b->samples);
		json_out_object_end(j);
	}
	json_out_array_end(j);
}

/* A guest or vCPU: the sums, and its reasons. */
static void put_group(const struct exit_view *v, struct json_out *j, size_t at)
{
	const struct exit_stats *s = v->stats;
	const struct exit_stat *all = &s->rows[at];
	const struct guest *g;

	g = &v->r->a->resolver.guests.guests[all->guest];
	json_out_object(j, NULL);
	json_out_string(j, "guest", g->name);
	json_out_u64(j, "pid", g->pid);
	if (all->vcpu == VMMPROF_NONE)
		json_out_null(j, "vcpu");
	else
		json_out_u64(j, "vcpu", all->vcpu);
	put_numbers(v, j, all);
	json_out_array(j, "reasons");
	while (++at < s->nr && s->rows[at].reason != EXIT_ALL) {
		json_out_object(j, NULL);
		put_reason(j, &s->rows[at]);
		put_numbers(v, j, &s->rows[at]);
		put_functions(v, j, &s->rows[at]);
		json_out_object_end(j);
	}
	json_out_array_end(j);
	json_out_object_end(j);
}

void exit_view_json(const struct exit_view *v, FILE *out)
{
	const struct session *ses = &v->r->a->session;
	struct json_out j;
	size_t i;

	json_out_begin(&j, out, "vmmprof-exits", 1);
	json_out_string(&j, "event", session_event_name(ses, v->event));
	json_out_u64(&j, "missed", v->missed);
	json_out_array(&j, "guests");
	for (i = 0; i < v->stats->nr; i++)
		if (v->stats->rows[i].reason == EXIT_ALL &&
		    exit_view_has(v, &v->stats->rows[i]))
			put_group(v, &j, i);
	json_out_array_end(&j);
	if (saturated)
		json_out_bool(&j, "sums_too_large", true);
	json_out_object_end(&j);
	fputc('\n', out);
}

static void csv_row(const struct exit_view *v, FILE *out,
		    const struct exit_stat *r)
{
	char name[256];

	name_machine(&v->r->names, r->guest + 1, name, sizeof(name));
	csv_text(out, name, ",");
	if (r->vcpu != VMMPROF_NONE)
		fprintf(out, "%u", r->vcpu);
	fputc(',', out);
	if (r->reason < EXIT_NONE)
		fprintf(out, "%u", exit_number(r->reason));
	fprintf(out, ",%s,%llu,%.9f,%.9f,%.9f,%.9f",
		exit_view_reason(r->reason), r->nr,
		exit_view_ns(v, r->total) / 1e9, exit_view_ns(v, r->min) / 1e9,
		exit_view_ns(v, r->max) / 1e9,
		exit_view_ns(v, exit_stats_mean(r)) / 1e9);
	fprintf(out, ",%.9f,%.9f,%.9f,%llu,%llu\n",
		exit_view_ns(v, exit_stats_quantile(r, 50, 100)) / 1e9,
		exit_view_ns(v, exit_stats_quantile(r, 90, 100)) / 1e9,
		exit_view_ns(v, exit_stats_quantile(r, 99, 100)) / 1e9,
		r->not_ended, r->samples);
}

void exit_view_csv(const struct exit_view *v, FILE *out)
{
	size_t i;

	fputs("guest,vcpu,reason,name,exits,time_s,min_s,max_s,mean_s", out);
	fputs(",p50_s,p90_s,p99_s,not_ended,samples\n", out);
	for (i = 0; i < v->stats->nr; i++)
		if (v->stats->rows[i].reason != EXIT_ALL &&
		    exit_view_has(v, &v->stats->rows[i]))
			csv_row(v, out, &v->stats->rows[i]);
}
