// SPDX-License-Identifier: GPL-2.0-only
/* The tables of a report as comma-separated values: a line for each row. */

#include "view/csv.h"
#include "view/report.h"
#include "view/safe.h"

static void put_header(struct report *r, FILE *out)
{
	enum sort keys[NR_SORTS];
	size_t nr = report_keys(r, keys), k;

	fputs("machine,vm", out);
	for (k = 0; k < nr; k++)
		fprintf(out, ",%s", sort_name(keys[k]));
	fputs(",unresolved,event,samples\n", out);
}

static void put_row(struct report *r, FILE *out, const struct selection *sel,
		    const struct bucket *row)
{
	enum sort keys[NR_SORTS];
	size_t nr = report_keys(r, keys), k;
	char text[NAME_MAX_BYTES];

	name_machine(&r->names, sel->machine, text, sizeof(text));
	csv_text(out, text, ",");
	fprintf(out, "%u,", sel->machine);
	for (k = 0; k < nr; k++) {
		report_cell(r, sel, &row->key, k, keys[k], text, sizeof(text));
		csv_text(out, text, ",");
	}
	fprintf(out, "%s,", row->key.cause ? cause_key(row->key.cause) : "");
	/* sorted by event, a table has several, and a column of them */
	*text = '\0';
	if (sel->event != VMMPROF_ANY)
		safe_text(text, sizeof(text),
			  session_event_name(&r->a->session, sel->event));
	csv_text(out, text, ",");
	fprintf(out, "%llu\n", row->samples);
}

static int put_machine(struct report *r, FILE *out, __u32 machine)
{
	struct selection sel = report_selection(r, machine);
	struct table t;
	size_t i, rows;
	int ret;

	ret = table_init(&t, &r->names, &sel);
	if (!ret) {
		rows = report_rows(r, &t);
		for (i = 0; i < rows; i++)
			put_row(r, out, &sel, &t.rows.buckets[i]);
	}
	table_deinit(&t);
	return ret;
}

int report_csv(struct report *r, FILE *out)
{
	__u32 i, nr = r->a->resolver.guests.nr;
	int ret = 0;

	put_header(r, out);
	for (i = 0; i <= nr && !ret; i++)
		if (report_has(r, i))
			ret = put_machine(r, out, i);
	return ret;
}
