// SPDX-License-Identifier: GPL-2.0-only
/* The tables of a report as comma-separated values: a line for each row. */

#include <string.h>

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
	fputs(",unresolved,event,samples,time_ns\n", out);
}

/* From the column of the event on. */
static void put_numbers(struct report *r, FILE *out,
			const struct selection *sel, __u64 samples,
			struct ns_sum *ns, __u64 ticks)
{
	char text[NAME_MAX_BYTES] = "";

	/* sorted by event, a table has several, and a column of them */
	if (sel->event != VMMPROF_ANY)
		safe_text(text, sizeof(text),
			  session_event_name(&r->a->session, sel->event));
	csv_text(out, text, ",");
	fprintf(out, "%llu,", samples);
	if (sel->timed && r->tl->khz)
		fprintf(out, "%llu", ns_sum_add(ns, r->tl->khz, ticks));
	fputc('\n', out);
}

static void put_machine_name(struct report *r, FILE *out, __u32 machine)
{
	char text[NAME_MAX_BYTES];

	name_machine(&r->names, machine, text, sizeof(text));
	csv_text(out, text, ",");
	fprintf(out, "%u,", machine);
}

static void put_row(struct report *r, FILE *out, const struct selection *sel,
		    const struct bucket *row, struct ns_sum *ns)
{
	enum sort keys[NR_SORTS];
	size_t nr = report_keys(r, keys), k;
	char text[NAME_MAX_BYTES];

	put_machine_name(r, out, sel->machine);
	for (k = 0; k < nr; k++) {
		report_cell(r, sel, &row->key, k, keys[k], text, sizeof(text));
		csv_text(out, text, ",");
	}
	fprintf(out, "%s,", row->key.cause ? cause_key(row->key.cause) : "");
	put_numbers(r, out, sel, row->samples, ns, row->ticks);
}

/* What the rows of samples lack of a guest's time. */
static void put_time(struct report *r, FILE *out, const struct selection *sel,
		     const struct time_rows *time)
{
	struct ns_sum ns[NR_PARTS] = { { 0 } };
	const struct time_row *row;
	enum sort keys[NR_SORTS];
	size_t nr = report_keys(r, keys), i, k;

	for (i = 0; i < time->nr; i++) {
		row = &time->row[i];
		put_machine_name(r, out, sel->machine);
		for (k = 0; k < nr; k++)
			csv_text(out,
				 k == 0 ? row->function :
				 k == 1 ? row->module :
					  "-",
				 ",");
		fputc(',', out);
		put_numbers(r, out, sel, row->samples, &ns[row->part],
			    row->ticks);
	}
}

static int put_machine(struct report *r, FILE *out, __u32 machine)
{
	struct ns_sum ns = { 0 };
	struct report_table m;
	size_t i;
	int ret;

	ret = report_table_init(&m, r, machine);
	if (!ret) {
		for (i = 0; i < m.rows; i++)
			put_row(r, out, &m.sel, &m.t.rows.buckets[i], &ns);
		put_time(r, out, &m.sel, &m.time);
	}
	report_table_deinit(&m);
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
