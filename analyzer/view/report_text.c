// SPDX-License-Identifier: GPL-2.0-only
/* The tables of the report as text, in the published form. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/color.h"
#include "view/percent.h"
#include "view/report.h"
#include "view/report_levels.h"
#include "view/report_text.h"
#include "view/safe.h"
#include "view/time_text.h"
#include "sym/exits.h"
#include "base/saturate.h"

static void put_row(FILE *out, const char *buf, size_t width, bool last)
{
	size_t w = text_columns(buf);

	fprintf(out, "  %s", buf);
	if (!last && w < width)
		fprintf(out, "%*s", (int)(width - w), "");
}

/* In percent, as `vmmprof steal` has what it has, too. */
static double share(const struct report_table *m, enum steal_column column,
		    __u64 n)
{
	if (!m->states)
		return percent_of(n, m->whole);
	return steal_part_percent(m->columns, column, n) / 100.0;
}

/* Of the machine itself, in this mode. */
static double mode_share(const struct report_table *m, unsigned int mode)
{
	return share(m, COLUMN_GUEST,
		     m->t.timed ? sat_add(m->t.mode_ticks[mode],
					  m->time.bare[mode]) :
				  m->t.mode[mode]);
}

static double part_share(const struct report_table *m, enum time_part part)
{
	return share(m, time_part_column(part), m->time.part[part]);
}

/* "OS:USER:VM = a%:b%:c%"; parts that a table cannot have are left out. */
static void put_total(struct report *r, FILE *out, const struct report_table *m)
{
	const struct time_rows *time = &m->time;
	bool unknown = m->t.mode[MODE_UNKNOWN] || time->bare[MODE_UNKNOWN];
	unsigned int i;

	if (m->t.timed) {
		fputs("Total time: ", out);
		report_seconds_text(r, out, m->whole, 0);
		fprintf(out, " s, %llu sample%s", m->t.total,
			m->t.total == 1 ? "" : "s");
	} else {
		fprintf(out, "Total samples: %llu", m->whole);
	}
	fprintf(out, "    OS:USER%s%s", m->sel.machine ? "" : ":VM",
		unknown ? ":unknown" : "");
	for (i = 0; i < PART_GUEST; i++)
		if (time->part[i])
			fprintf(out, ":%s", time_part_text(i, r->paper));
	fprintf(out, " = %.2f%%:%.2f%%", mode_share(m, MODE_KERNEL),
		mode_share(m, MODE_USER));
	if (!m->sel.machine)
		fprintf(out, ":%.2f%%", percent_of(m->t.vm, m->whole));
	if (unknown)
		fprintf(out, ":%.2f%%", mode_share(m, MODE_UNKNOWN));
	for (i = 0; i < PART_GUEST; i++)
		if (time->part[i])
			fprintf(out, ":%.2f%%", part_share(m, i));
	fputc('\n', out);
}

/* Time or samples, and its share. */
static void put_amount(const struct report *r, FILE *out,
		       const struct report_table *m, const struct bucket *n,
		       int width, double percent)
{
	if (m->t.timed)
		report_seconds_text(r, out, n->ticks, width);
	else
		fprintf(out, "%*llu", width, n->samples);
	fputs("  ", out);
	put_percent_color(out, percent);
}

/*
 * The numbers of a row: with its callees first (@all) if these are asked for,
 * then of itself, and samples where that is time.
 */
static void put_numbers(const struct report *r, FILE *out,
			const struct report_table *m, const struct bucket *all,
			const struct bucket *self, double percent)
{
	if (r->children) {
		put_amount(r, out, m, all, m->t.timed ? 9 : 8,
			   percent_of(table_weight(&m->t, all), m->whole));
		fputs("  ", out);
	}
	put_amount(r, out, m, self, m->t.timed ? 9 : 7, percent);
	if (m->t.timed)
		fprintf(out, "  %7llu", self->samples);
}

/* Less is not shown by itself: as perf; all of it with -n 0. */
static double least_branch(const struct report *r)
{
	return r->percent_limit ? r->percent_limit :
	       r->limit		? CHAIN_LEAST_BRANCH :
				  0;
}

static int put_time_chains(struct report *r, FILE *out,
			   const struct report_table *m, size_t row)
{
	struct chain_text text = {
		.names = &r->names,
		.out = out,
		.order = r->order,
		.whole = m->whole,
		.khz = r->tl->khz ? r->tl->khz : 1000000,
		.least = least_branch(r),
	};

	return r->order == CHAIN_NONE ? 0 :
					chain_text_time(&text, &m->waits, row);
}

/* One of the rows that are no functions; other columns than two are empty. */
static int put_time_row(struct report *r, FILE *out,
			const struct report_table *m, size_t at,
			const size_t *width, size_t nr)
{
	const struct time_row *row = &m->time.row[at];
	struct bucket n = { .ticks = row->ticks, .samples = row->samples };
	size_t k;

	put_numbers(r, out, m, &n, &n,
		    share(m, time_part_column(row->part),
			  time_row_weight(&m->time, row)));
	for (k = 0; k < nr; k++)
		put_row(out,
			k == 0 ? row->function :
			k == 1 ? row->module :
				 "-",
			width[k], k + 1 == nr);
	fputc('\n', out);
	return put_time_chains(r, out, m, at);
}

/* The last exit reasons before gaps that are steal. */
static void put_steal_exits(FILE *out, const struct time_rows *time, bool svm)
{
	__u64 all = time->part[PART_STEAL];
	unsigned int i, best;
	__u64 left[EXIT_REASONS + 1];
	char number[EXIT_TEXT];
	const char *name;
	__u16 reason;

	memcpy(left, time->exits, sizeof(left));
	for (;;) {
		for (i = 1, best = 0; i <= EXIT_REASONS; i++)
			if (left[i] > left[best])
				best = i;
		if (!left[best])
			return;
		reason = exit_at_place(svm, best);
		name = exit_name(reason);
		if (best == EXIT_REASONS)
			fprintf(out,
				"  %6.2f %% of steal: no exit known before it\n",
				percent_of(left[best], all));
		else
			fprintf(out,
				"  %6.2f %% of steal: after exit reason %s %s\n",
				percent_of(left[best], all),
				exit_number_text(reason, number),
				name ? name : "(unknown)");
		left[best] = 0;
	}
}

/* All columns but the last get the width of their longest entry, if it fits. */
static void column_widths(struct report *r, const struct report_table *m,
			  const enum sort *keys, size_t nr,
			  size_t width[NR_SORTS])
{
	size_t i, k, w, left = report_columns(r) - (m->t.timed ? 28 : 17);
	const struct time_rows *time = &m->time;
	char buf[NAME_TEXT_BYTES];

	for (k = 0; k < nr; k++) {
		width[k] = strlen(sort_heading(keys[k]));
		for (i = 0; i < m->rows; i++) {
			report_cell(r, &m->sel, &m->t.rows.buckets[i].key, k,
				    keys[k], buf, sizeof(buf));
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

static int put_chains(struct report *r, FILE *out, const struct report_table *m,
		      size_t row)
{
	const struct bucket *c = &m->t.rows.buckets[row];
	__u64 weight = table_weight(&m->t, c);
	struct chain_text text = {
		.names = &r->names,
		.out = out,
		.order = r->order,
		/* chains are parts of the row by their samples */
		.whole = weight ? (double)m->whole / weight * c->samples : 0,
		.least = least_branch(r),
	};

	if (m->chains.waits) {
		text.whole = m->whole;
		text.khz = r->tl->khz ? r->tl->khz : 1000000;
	}
	/* a guest as one row has a table of its own */
	if (r->order == CHAIN_NONE || is_guest_row(&c->key, &m->sel))
		return 0;
	return chain_text_row(&text, &m->chains, row);
}

/* The rows that are not shown, in one; with callees they have no sum. */
static void put_rest(const struct report *r, FILE *out,
		     const struct report_table *m)
{
	struct bucket rest = { .samples = 0 };
	size_t i;

	if (m->rows == m->t.rows.nr)
		return;
	for (i = m->rows; i < m->t.rows.nr; i++) {
		sat_sum(&rest.samples, m->t.rows.buckets[i].samples);
		sat_sum(&rest.ticks, m->t.rows.buckets[i].ticks);
	}
	if (!r->children)
		put_numbers(r, out, m, &rest, &rest,
			    percent_of(table_weight(&m->t, &rest), m->whole));
	fprintf(out, "  ... %zu more rows (%s shows all)\n",
		m->t.rows.nr - m->rows,
		r->limit && m->rows == r->limit ? "-n 0" : "--percent-limit 0");
}

static const char *numbers_heading(const struct report *r,
				   const struct report_table *m)
{
	if (m->t.timed)
		return r->children ?
			       " Children  %Ratio       Self  %Ratio  Samples" :
			       "  Seconds  %Ratio  Samples";
	return r->children ? "Children  %Ratio     Self  %Ratio" :
			     "Samples  %Ratio";
}

static int put_table_row(struct report *r, FILE *out,
			 const struct report_table *m, size_t row,
			 const enum sort *keys, const size_t *width, size_t nr)
{
	const struct bucket *c = &m->t.rows.buckets[row];
	struct bucket self = *c;
	char buf[NAME_TEXT_BYTES];
	size_t k;

	if (r->children) {
		self.samples = m->chains.self[row].samples;
		self.ticks = m->chains.self[row].ticks;
	}
	put_numbers(r, out, m, c, &self,
		    percent_of(table_weight(&m->t, &self), m->whole));
	for (k = 0; k < nr; k++) {
		report_cell(r, &m->sel, &c->key, k, keys[k], buf, sizeof(buf));
		put_row(out, buf, width[k], k + 1 == nr);
	}
	fputc('\n', out);
	return put_chains(r, out, m, row);
}

static int put_table(struct report *r, FILE *out, const struct report_table *m)
{
	const struct time_rows *time = &m->time;
	size_t width[NR_SORTS], nr, i, k, n = 0;
	enum sort keys[NR_SORTS];
	int err = 0;

	nr = report_keys(r, keys);
	column_widths(r, m, keys, nr, width);
	fputs(numbers_heading(r, m), out);
	for (k = 0; k < nr; k++)
		put_row(out, sort_heading(keys[k]), width[k], k + 1 == nr);
	fputc('\n', out);
	for (i = 0; i < m->rows && !err; i++) {
		__u64 weight = table_weight(&m->t, &m->t.rows.buckets[i]);

		for (; n < time->nr && !err &&
		       time_row_weight(time, &time->row[n]) > weight;
		     n++)
			err = put_time_row(r, out, m, n, width, nr);
		if (!err)
			err = put_table_row(r, out, m, i, keys, width, nr);
	}
	for (; n < time->nr && !err; n++)
		err = put_time_row(r, out, m, n, width, nr);
	put_rest(r, out, m);
	return err;
}

/* The children of a level that are not shown, in one line. */
static void put_levels_rest(const struct report *r, FILE *out,
			    const struct report_table *m,
			    const struct report_levels *l, __u32 child,
			    int indent)
{
	struct bucket rest = { .samples = 0 };
	size_t nr = 0;

	for (; child != VMMPROF_NONE; child = l->nodes[child].next) {
		sat_sum(&rest.samples, l->nodes[child].total.samples);
		sat_sum(&rest.ticks, l->nodes[child].total.ticks);
		nr++;
	}
	if (!nr)
		return;
	put_numbers(r, out, m, &rest, &rest,
		    percent_of(table_weight(&m->t, &rest), m->whole));
	fprintf(out, "  %*s... %zu more (-n 0 --percent-limit 0 shows all)\n",
		indent, "", nr);
}

/* What is below a node of the tree of keys, each level further to the right. */
static int put_level(struct report *r, FILE *out, const struct report_table *m,
		     const struct report_levels *l, __u32 node)
{
	__u32 end = report_levels_end(l, r, m, node), child;
	const struct report_level *c = &l->nodes[node];
	int indent = 2 * (c->depth + 1), err = 0;

	for (child = c->first; child != end && !err; child = c->next) {
		c = &l->nodes[child];
		put_numbers(r, out, m, &c->total, &c->total,
			    percent_of(table_weight(&m->t, &c->total),
				       m->whole));
		fprintf(out, "  %*s%s\n", indent, "",
			strings_get(&l->names, c->name));
		err = c->row == VMMPROF_NONE ? put_level(r, out, m, l, child) :
					       put_chains(r, out, m, c->row);
	}
	if (!err)
		put_levels_rest(r, out, m, l, end, indent);
	return err;
}

/* The table as a tree, before it time without guest code. */
static int put_levels(struct report *r, FILE *out, const struct report_table *m)
{
	static const size_t width[2] = { 0, 0 };
	struct report_levels l;
	enum sort keys[NR_SORTS];
	size_t nr = report_keys(r, keys), i;
	int err = 0;

	fprintf(out, "%s  ", numbers_heading(r, m));
	for (i = 0; i < nr; i++)
		fprintf(out, "%s%s", i ? " / " : "", sort_heading(keys[i]));
	fputc('\n', out);
	for (i = 0; i < m->time.nr && !err; i++)
		err = put_time_row(r, out, m, i, width, 2);
	err = report_levels_init(&l, r, m) ?: err;
	if (!err)
		err = put_level(r, out, m, &l, 0);
	report_levels_deinit(&l);
	return err;
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
	struct report_table m;
	bool any;
	int ret;

	ret = report_table_init(&m, r, machine);
	if (!ret) {
		any = m.whole || m.t.total;
		put_title(r, out, machine, &m.sel);
		put_total(r, out, &m);
		if (any)
			ret = r->hierarchy ? put_levels(r, out, &m) :
					     put_table(r, out, &m);
		else
			fputs("No samples.\n", out);
		if (r->paper)
			put_steal_exits(out, &m.time, r->a->resolver.svm);
		if (any && !ret)
			ret = report_processes(r, &m, out);
	}
	report_table_deinit(&m);
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
