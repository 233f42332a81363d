// SPDX-License-Identifier: GPL-2.0-only
/* The tables of the report as text, in the published form. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/color.h"
#include "view/percent.h"
#include "view/report.h"
#include "view/report_text.h"
#include "view/safe.h"
#include "view/time_text.h"
#include "sym/exits.h"
#include "base/saturate.h"

#define PROCESS_ROWS 10
#define LEAST_BRANCH 0.5 /* percent of the table, as perf report */

static void put_row(FILE *out, const char *buf, size_t width, bool last)
{
	size_t w = text_columns(buf);

	fprintf(out, "  %s", buf);
	if (!last && w < width)
		fprintf(out, "%*s", (int)(width - w), "");
}

/* "OS:USER:VM = a%:b%:c%"; parts that a table cannot have are left out. */
static void put_total(struct report *r, FILE *out, const struct table *t,
		      const struct selection *sel, const struct time_rows *time)
{
	const __u64 *m = t->mode;
	bool unknown = m[MODE_UNKNOWN];
	unsigned int i;

	fprintf(out, "Total samples: %llu", t->total);
	fprintf(out, "    OS:USER%s%s", sel->machine ? "" : ":VM",
		unknown ? ":unknown" : "");
	for (i = 0; i < NR_PARTS; i++)
		if (time->part[i])
			fprintf(out, ":%s", time_part_text(i, r->paper));
	fprintf(out, " = %.2f%%:%.2f%%", percent_of(m[MODE_KERNEL], t->total),
		percent_of(m[MODE_USER], t->total));
	if (!sel->machine)
		fprintf(out, ":%.2f%%", percent_of(t->vm, t->total));
	if (unknown)
		fprintf(out, ":%.2f%%", percent_of(m[MODE_UNKNOWN], t->total));
	for (i = 0; i < NR_PARTS; i++)
		if (time->part[i])
			fprintf(out, ":%.2f%%",
				percent_of(time->part[i], t->total));
	fputc('\n', out);
}

/* One of the rows that are no functions; other columns than two are empty. */
static void put_time_row(const struct report *r, FILE *out,
			 const struct time_row *row, __u64 total,
			 const size_t *width, size_t nr)
{
	size_t k;

	if (r->children) {
		fprintf(out, "%8llu  ", row->samples);
		put_percent_color(out, percent_of(row->samples, total));
		fputs("  ", out);
	}
	fprintf(out, "%7llu  ", row->samples);
	put_percent_color(out, percent_of(row->samples, total));
	for (k = 0; k < nr; k++)
		put_row(out,
			k == 0 ? row->function :
			k == 1 ? row->module :
				 "-",
			width[k], k + 1 == nr);
	fputc('\n', out);
}

/* The last exit reasons before gaps that are steal. */
static void put_steal_exits(FILE *out, const struct time_rows *time)
{
	__u64 all = time->part[PART_STEAL];
	unsigned int i, best;
	__u64 left[EXIT_REASONS + 1];
	const char *name;

	memcpy(left, time->exits, sizeof(left));
	for (;;) {
		for (i = 1, best = 0; i <= EXIT_REASONS; i++)
			if (left[i] > left[best])
				best = i;
		if (!left[best])
			return;
		name = exit_name(best);
		if (best == EXIT_REASONS)
			fprintf(out,
				"  %6.2f %% of steal: no exit known before it\n",
				percent_of(left[best], all));
		else
			fprintf(out,
				"  %6.2f %% of steal: after exit reason %u %s\n",
				percent_of(left[best], all), best,
				name ? name : "(unknown)");
		left[best] = 0;
	}
}

/* All columns but the last get the width of their longest entry, if it fits. */
static void column_widths(struct report *r, const struct selection *sel,
			  const struct table *t, size_t rows,
			  const struct time_rows *time, const enum sort *keys,
			  size_t nr, size_t width[NR_SORTS])
{
	size_t i, k, w, left = report_columns(r) - 17;
	char buf[NAME_TEXT_BYTES];

	for (k = 0; k < nr; k++) {
		width[k] = strlen(sort_heading(keys[k]));
		for (i = 0; i < rows; i++) {
			report_cell(r, sel, &t->rows.buckets[i].key, k, keys[k],
				    buf, sizeof(buf));
			w = text_columns(buf);
			if (w > width[k])
				width[k] = w;
		}
		for (i = 0; i < time->nr && k < 2; i++) {
			w = strlen(k ? time->row[i].module :
				       time->row[i].function);
			if (w > width[k])
				width[k] = w;
		}
	}
	/* A long first column leaves room for the others. */
	for (k = nr; k-- > 1;)
		left -= left > width[k] + 2 ? width[k] + 2 : 0;
	if (nr && width[0] > left)
		width[0] = left > 20 ? left : 20;
}

/* The numbers of a row: of its function itself, before that with its callees. */
static void put_numbers(const struct report *r, FILE *out,
			const struct chain_rows *chains, size_t row,
			__u64 samples, __u64 total)
{
	__u64 self = r->children ? chains->self[row] : samples;

	if (r->children) {
		fprintf(out, "%8llu  ", samples);
		put_percent_color(out, percent_of(samples, total));
		fputs("  ", out);
	}
	fprintf(out, "%7llu  ", self);
	put_percent_color(out, percent_of(self, total));
}

static int put_chains(struct report *r, FILE *out, const struct selection *sel,
		      const struct table *t, const struct chain_rows *chains,
		      size_t row)
{
	struct chain_text text = {
		.names = &r->names,
		.out = out,
		.order = r->order,
		.whole = t->total,
		/* as perf; all of them with -n 0 */
		.least = r->percent_limit ? r->percent_limit :
			 r->limit	  ? LEAST_BRANCH :
					    0,
	};

	/* a guest as one row has a table of its own */
	if (r->order == CHAIN_NONE ||
	    is_guest_row(&t->rows.buckets[row].key, sel))
		return 0;
	return chain_text_row(&text, chains, row);
}

static int put_table(struct report *r, FILE *out, const struct selection *sel,
		     const struct table *t, const struct time_rows *time,
		     const struct chain_rows *chains)
{
	size_t width[NR_SORTS], nr, i, k, rows, n = 0;
	enum sort keys[NR_SORTS];
	__u64 rest = 0;
	char buf[NAME_TEXT_BYTES];
	int err = 0;

	nr = report_keys(r, keys);
	rows = report_rows(r, t);
	column_widths(r, sel, t, rows, time, keys, nr, width);
	fputs(r->children ? "Children  %Ratio     Self  %Ratio" :
			    "Samples  %Ratio",
	      out);
	for (k = 0; k < nr; k++)
		put_row(out, sort_heading(keys[k]), width[k], k + 1 == nr);
	fputc('\n', out);
	for (i = 0; i < rows && !err; i++) {
		const struct bucket *c = &t->rows.buckets[i];

		for (; n < time->nr && time->row[n].samples > c->samples; n++)
			put_time_row(r, out, &time->row[n], t->total, width,
				     nr);
		put_numbers(r, out, chains, i, c->samples, t->total);
		for (k = 0; k < nr; k++) {
			report_cell(r, sel, &c->key, k, keys[k], buf,
				    sizeof(buf));
			put_row(out, buf, width[k], k + 1 == nr);
		}
		fputc('\n', out);
		err = put_chains(r, out, sel, t, chains, i);
	}
	for (; n < time->nr; n++)
		put_time_row(r, out, &time->row[n], t->total, width, nr);
	if (r->children) {
		if (i < t->rows.nr)
			fprintf(out, "  ... %zu more rows (-n 0 shows all)\n",
				t->rows.nr - i);
		return err;
	}
	for (; i < t->rows.nr; i++)
		sat_sum(&rest, t->rows.buckets[i].samples);
	if (rest)
		fprintf(out, "%7llu  %6.2f  ... %zu more rows (%s shows all)\n",
			rest, percent_of(rest, t->total), t->rows.nr - rows,
			r->limit && rows == r->limit ? "-n 0" :
						       "--percent-limit 0");
	return err;
}

/* Keep the processes that have a number behind their name. */
static int only_numbered(struct report *r, struct table_process *procs, int nr)
{
	int i, n = 0;

	for (i = 0; i < nr; i++)
		if (r->names.ordinal[procs[i].proc])
			procs[n++] = procs[i];
	return n;
}

/*
 * Processes by their samples: a guest's, and of the host those that the
 * numbers behind modules stand for.
 */
static int put_processes(struct report *r, FILE *out,
			 const struct selection *sel, __u64 total,
			 bool numbered)
{
	struct table_process *procs;
	const struct process *p;
	char name[NAME_TEXT_BYTES], pid[16];
	int nr, i, rows;

	nr = table_processes(&r->names, sel, &procs);
	if (nr < 0)
		return nr;
	if (numbered)
		nr = only_numbered(r, procs, nr);
	rows = r->limit && nr > PROCESS_ROWS ? PROCESS_ROWS : nr;
	if (nr > 0)
		fprintf(out, "\nSamples  %%Ratio     User      PID  Process\n");
	for (i = 0; i < rows; i++) {
		p = &r->a->resolver.processes[procs[i].proc];
		names_process(&r->names, procs[i].proc, name, sizeof(name));
		if (p->pid == VMMPROF_NONE)
			strcpy(pid, "?");
		else
			snprintf(pid, sizeof(pid), "%u", p->pid);
		fprintf(out, "%7llu  %6.2f  %7llu  %7s  %s\n", procs[i].samples,
			percent_of(procs[i].samples, total), procs[i].user, pid,
			name);
	}
	if (rows < nr)
		fprintf(out,
			"                 ... %d more processes (-n 0 shows all)\n",
			nr - rows);
	free(procs);
	return 0;
}

static void put_title(struct report *r, FILE *out, __u32 machine,
		      const struct selection *sel)
{
	char name[NAME_TEXT_BYTES];

	name_machine(&r->names, machine, name, sizeof(name));
	fputc('\n', out);
	if (machine)
		fprintf(out, "Guest %s (VM%u, pid %u)", name, machine,
			r->a->resolver.guests.guests[machine - 1].pid);
	else
		fprintf(out, "Host and its guests");
	if (machine && sel->vcpu != VMMPROF_ANY)
		fprintf(out, ", vCPU %u", sel->vcpu);
	if (sel->pid != VMMPROF_ANY)
		fprintf(out, ", process %u", sel->pid);
	if (sel->cpus) {
		cpus_format(sel->cpus, name, sizeof(name));
		fprintf(out, ", CPUs %s", name);
	}
	fputc('\n', out);
}

static int put_machine(struct report *r, FILE *out, __u32 machine)
{
	struct selection sel = report_selection(r, machine);
	struct chain_rows chains;
	struct time_rows time;
	struct table t;
	int ret;

	ret = report_table(r, &sel, &t, &chains);
	if (!ret) {
		report_time(r, &sel, &time);
		sat_sum(&t.total, time.sum);
		put_title(r, out, machine, &sel);
		put_total(r, out, &t, &sel, &time);
		if (t.total)
			ret = put_table(r, out, &sel, &t, &time, &chains);
		else
			fputs("No samples.\n", out);
		if (r->paper)
			put_steal_exits(out, &time);
		if (t.total && !ret)
			ret = put_processes(r, out, &sel, t.total, !machine);
	}
	chain_rows_deinit(&chains);
	table_deinit(&t);
	return ret;
}

/* Events whose samples are in the account, but in no table. */
static void put_other_events(struct report *r, FILE *out, __u32 shown)
{
	const char *before = "Not shown:";
	char text[NAME_TEXT_BYTES];
	__u32 i;

	for (i = 0; shown != VMMPROF_ANY && i < VMMPROF_MAX_EVENTS; i++) {
		if (!r->a->counts.per_event[i] || i == shown)
			continue;
		safe_text(text, sizeof(text),
			  session_event_name(&r->a->session, i));
		fprintf(out, "%s %s (%llu samples)", before, text,
			r->a->counts.per_event[i]);
		before = ";";
	}
	if (*before == ';')
		fputs(": see --event\n", out);
}

static void put_head(struct report *r, FILE *out)
{
	const struct session *s = &r->a->session;
	struct selection sel = report_selection(r, 0);
	double seconds = report_seconds(r);
	char raw[256], text[NAME_TEXT_BYTES];

	text_get(&s->text, "hostname", raw, sizeof(raw));
	safe_text(text, sizeof(text), raw);
	fprintf(out, "Host %s", *text ? text : "(unnamed)");
	text_get(&s->text, "release", raw, sizeof(raw));
	safe_text(text, sizeof(text), raw);
	if (*text)
		fprintf(out, ", Linux %s", text);
	fprintf(out, ", %zu CPU%s", s->nr_cpus, s->nr_cpus == 1 ? "" : "s");
	if (seconds > 0)
		fprintf(out, ", %.3f s", seconds);
	fputc('\n', out);
	time_text_line(r->a, out);
	if (sel.event != VMMPROF_ANY) {
		safe_text(text, sizeof(text), session_event_name(s, sel.event));
		fprintf(out, "Event %s\n", text);
	}
	put_other_events(r, out, sel.event);
}

int report_text(struct report *r, FILE *out)
{
	__u32 i, nr = r->a->resolver.guests.nr;
	int ret = 0;

	put_head(r, out);
	if (report_summarizes(r))
		ret = report_summary(r, out);
	for (i = 0; i <= nr && !ret; i++)
		if (report_has(r, i))
			ret = put_machine(r, out, i);
	if (ret)
		return ret;
	if (r->verbose)
		report_account(r, out);
	else if (!report_summarizes(r))
		report_verdict(r, out);
	return 0;
}
