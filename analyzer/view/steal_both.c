// SPDX-License-Identifier: GPL-2.0-only
/*
 * `vmmprof steal --method=both`: the exact and the sample-only method over the
 * same records, to show what the latter cannot see.
 */

#include "view/csv.h"
#include "view/json.h"
#include "view/steal.h"
#include "view/steal_matrix_json.h"
#include "view/time_text.h"

#define NAME_COLUMNS 15

/* The row of the same guest and vCPU, NULL: none. */
static const struct steal_row *same_row(const struct steal *s,
					const struct steal_row *r, size_t *from)
{
	size_t i;

	/* Both are in one order, and exact has some of the rows. */
	for (i = *from; i < s->nr_rows; i++) {
		if (s->rows[i].guest != r->guest ||
		    s->rows[i].track != r->track)
			continue;
		*from = i + 1;
		return &s->rows[i];
	}
	return NULL;
}

static void row_name(const struct steal *s, const struct steal_row *r,
		     char *guest, char *vcpu, size_t size)
{
	steal_guest(s, r->guest, guest, size);
	if (r->track == VMMPROF_NONE)
		snprintf(vcpu, size, "all");
	else
		steal_vcpu(s, r->track, vcpu, size);
}

static void percent_of(const struct steal_row *r, __u64 part[STEAL_COLUMNS])
{
	__u64 columns[STEAL_COLUMNS];

	steal_columns(r, columns);
	steal_percent(columns, part);
}

static void put_row(FILE *out, const struct steal_row *exact,
		    const struct steal_row *samples)
{
	__u64 x[STEAL_COLUMNS], y[STEAL_COLUMNS];
	unsigned int i;

	percent_of(exact, x);
	percent_of(samples, y);
	fprintf(out, "%-*s %%", NAME_COLUMNS, "    exact");
	for (i = 0; i < STEAL_COLUMNS; i++)
		fprintf(out, " %8.2f", x[i] / 100.0);
	fprintf(out, "\n%-*s %%", NAME_COLUMNS, "    samples");
	for (i = 0; i < STEAL_COLUMNS; i++)
		fprintf(out, " %8.2f", y[i] / 100.0);
	fprintf(out, "\n%-*s  ", NAME_COLUMNS, "    difference");
	for (i = 0; i < STEAL_COLUMNS; i++)
		fprintf(out, " %+8.2f",
			((long long)y[i] - (long long)x[i]) / 100.0);
	fputc('\n', out);
}

void steal_both_text(const struct steal *exact, const struct steal *samples,
		     FILE *out)
{
	const struct steal_row *r, *other;
	char guest[256], vcpu[256];
	size_t i, from = 0;
	unsigned int k;

	steal_host(exact, out);
	fputs("By switch records, and by samples alone; differences in points.  By samples\n"
	      "alone blocked is steal, and halt is seen only if the host polls while idle\n",
	      out);
	if (!exact->nr_rows) {
		fputs("\nNo vCPU was seen.\n", out);
		return;
	}
	fprintf(out, "\n%-*s  ", NAME_COLUMNS, "Guest, vCPU");
	for (k = 0; k < STEAL_COLUMNS; k++)
		fprintf(out, " %8s", steal_heading(k));
	fputc('\n', out);
	for (i = 0; i < exact->nr_rows; i++) {
		r = &exact->rows[i];
		other = same_row(samples, r, &from);
		if (!other)
			continue;
		row_name(exact, r, guest, vcpu, sizeof(vcpu));
		if (r->track == VMMPROF_NONE)
			fprintf(out, "%s\n", guest);
		else
			fprintf(out, "  %s\n", vcpu);
		put_row(out, r, other);
	}
}

static void json_row(struct json_out *j, const struct timeline *tl,
		     const char *key, const struct steal_row *r)
{
	__u64 columns[STEAL_COLUMNS];
	unsigned int i;
	char name[32];

	steal_columns(r, columns);
	json_out_object(j, key);
	steal_put_ns(j, tl, "total_ns", r->total);
	for (i = 0; i < STEAL_COLUMNS; i++) {
		snprintf(name, sizeof(name), "%s_ns", steal_heading(i));
		steal_put_ns(j, tl, name, columns[i]);
	}
	json_out_object_end(j);
}

void steal_both_json(const struct steal *exact, const struct steal *samples,
		     FILE *out)
{
	const struct steal_row *r, *other;
	char guest[256], vcpu[256];
	struct json_out j;
	size_t i, from = 0;

	json_out_begin(&j, out, "vmmprof-steal-both", 1);
	json_out_string(&j, "method", "both");
	json_out_u64(&j, "tsc_khz", exact->tl->khz);
	steal_put_ns(&j, exact->tl, "period_ns", exact->tl->period);
	time_text_json(exact->tl->a, &j);
	json_out_array(&j, "rows");
	for (i = 0; i < exact->nr_rows; i++) {
		r = &exact->rows[i];
		other = same_row(samples, r, &from);
		if (!other)
			continue;
		row_name(exact, r, guest, vcpu, sizeof(vcpu));
		json_out_object(&j, NULL);
		json_out_string(&j, "name", guest);
		json_out_string(&j, "vcpu", vcpu);
		if (r->track != VMMPROF_NONE)
			json_out_u64(&j, "tid",
				     exact->tl->tracks[r->track]->tid);
		json_row(&j, exact->tl, "exact", r);
		json_row(&j, exact->tl, "samples", other);
		json_out_object_end(&j);
	}
	json_out_array_end(&j);
	json_out_object_end(&j);
	fputc('\n', out);
}

static void csv_row(const struct steal *s, FILE *out, const struct steal_row *r,
		    const char *method)
{
	__u64 columns[STEAL_COLUMNS];
	char guest[256], vcpu[256];
	unsigned int k;

	row_name(s, r, guest, vcpu, sizeof(vcpu));
	csv_text(out, guest, ",");
	csv_text(out, vcpu, ",");
	fprintf(out, "%s,%.9f", method, steal_seconds(s, r->total));
	steal_columns(r, columns);
	for (k = 0; k < STEAL_COLUMNS; k++)
		fprintf(out, ",%.9f", steal_seconds(s, columns[k]));
	fputc('\n', out);
}

void steal_both_csv(const struct steal *exact, const struct steal *samples,
		    FILE *out)
{
	const struct steal_row *other;
	size_t i, from = 0;
	unsigned int k;

	fputs("guest,vcpu,method,total_s", out);
	for (k = 0; k < STEAL_COLUMNS; k++)
		fprintf(out, ",%s_s", steal_heading(k));
	fputc('\n', out);
	for (i = 0; i < exact->nr_rows; i++) {
		other = same_row(samples, &exact->rows[i], &from);
		if (!other)
			continue;
		csv_row(exact, out, &exact->rows[i], "exact");
		csv_row(samples, out, other, "samples");
	}
}
