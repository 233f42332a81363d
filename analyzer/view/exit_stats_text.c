// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof exits` as text: a table for each guest or vCPU, then functions. */

#include <string.h>

#include "base/saturate.h"
#include "sym/exits.h"
#include "view/color.h"
#include "view/exit_stats.h"
#include "view/percent.h"
#include "view/safe.h"

#define COLUMNS	       80 /* at least */
#define REASON_COLUMNS EXIT_NAME_COLUMNS
#define TIME_COLUMNS   7

bool exit_view_has(const struct exit_view *v, const struct exit_stat *row)
{
	return (v->r->guest == VMMPROF_ANY || v->r->guest == row->guest + 1) &&
	       (v->r->vcpu == VMMPROF_ANY || v->r->vcpu == row->vcpu);
}

const char *exit_view_reason(__u32 reason)
{
	const char *name;

	if (reason == EXIT_ALL)
		return "all";
	if (reason == VMMPROF_NONE)
		return "(not read)";
	name = exit_name(reason);
	return name ? name : "(unknown)";
}

__u64 exit_view_ns(const struct exit_view *v, __u64 ticks)
{
	return sat_scale(ticks, 1000000, v->khz);
}

size_t exit_view_functions(const struct exit_view *v,
			   const struct exit_stat *row)
{
	return v->r->limit && v->r->limit < row->functions ? v->r->limit :
							     row->functions;
}

/* Three digits and their unit. */
static void put_time(const struct exit_view *v, FILE *out, __u64 ticks)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double t = exit_view_ns(v, ticks);
	char text[32];
	unsigned int i;

	for (i = 0; t >= 999.5 && i < 3; i++)
		t /= 1000;
	snprintf(text, sizeof(text), "%.*f%s",
		 i && t < 99.95 ? 1 + (t < 9.995) : 0, t, units[i]);
	fprintf(out, " %*s", TIME_COLUMNS - 1, text);
}

/* Which of the times fit a line. */
static const struct column {
	const char *heading;
	unsigned int part, whole; /* of a quantile; 0: another one */
	unsigned int least;	  /* columns of the line */
} times[] = {
	{ "min", 0, 0, COLUMNS },    { "p50", 50, 100, 110 },
	{ "p90", 90, 100, 110 },     { "p99", 99, 100, COLUMNS },
	{ "p99.9", 999, 1000, 110 }, { "max", 0, 1, COLUMNS },
	{ "avg", 1, 0, COLUMNS },
};

#define NR_TIMES (sizeof(times) / sizeof(times[0]))

static __u64 time_of(const struct exit_stat *r, const struct column *c)
{
	if (c->part && c->whole)
		return exit_stats_quantile(r, c->part, c->whole);
	if (c->part)
		return exit_stats_mean(r);
	return c->whole ? r->max : r->min;
}

static void put_row(const struct exit_view *v, FILE *out,
		    const struct exit_stat *r, const struct exit_stat *all,
		    unsigned int columns)
{
	double part = percent_of(r->total, all->total);
	size_t i;

	fprintf(out, "%-*s %8llu %5.1f %8.3f %s%5.1f%s", REASON_COLUMNS,
		exit_view_reason(r->reason), r->nr, percent_of(r->nr, all->nr),
		exit_view_ns(v, r->total) / 1e9,
		color_of(color_of_percent(part)), part, color_end());
	for (i = 0; i < NR_TIMES; i++)
		if (columns >= times[i].least)
			put_time(v, out, time_of(r, &times[i]));
	fputc('\n', out);
}

static void put_heading(FILE *out, unsigned int columns)
{
	size_t i;

	fprintf(out, "%s%-*s %8s %5s %8s %5s", color_of(COLOR_HEAD),
		REASON_COLUMNS, "  exit reason", "exits", "%", "time s", "%");
	for (i = 0; i < NR_TIMES; i++)
		if (columns >= times[i].least)
			fprintf(out, " %*s", TIME_COLUMNS - 1,
				times[i].heading);
	fprintf(out, "%s\n", color_end());
}

/* "web" or "web, vCPU 1" */
static void put_whose(const struct exit_view *v, FILE *out,
		      const struct exit_stat *all)
{
	char name[256];

	name_machine(&v->r->names, all->guest + 1, name, sizeof(name));
	fprintf(out, "\n%s", name);
	if (all->vcpu != VMMPROF_NONE)
		fprintf(out, ", vCPU %u", all->vcpu);
	fputc('\n', out);
}

static void put_open(const struct exit_view *v, FILE *out,
		     const struct exit_stat *r)
{
	if (r->reason == EXIT_ALL || !r->not_ended)
		return;
	fprintf(out, "  Not counted: %llu %s without an entry until the end",
		r->not_ended, exit_view_reason(r->reason));
	if (r->open)
		fprintf(out, ", for %.3f s", exit_view_ns(v, r->open) / 1e9);
	fputc('\n', out);
}

/* The text of a function and its module; @size is more than any of @columns. */
static void function_text(const struct exit_view *v, const struct bucket *b,
			  unsigned int columns, char *buf, size_t size)
{
	struct bucket_key key = b->key;
	char module[256];
	size_t len;

	key.mode++; /* as rows of tables have it */
	name_module(&v->r->names, &key, module, sizeof(module));
	text_cut(module, columns / 2);
	name_function(&v->r->names, &key, buf, size - sizeof(module) - 4);
	text_cut(buf, columns - text_columns(module) - 3);
	len = strlen(buf);
	snprintf(buf + len, size - len, " [%s]", module);
}

/* The functions of a reason; the first line begins with its name. */
static void put_functions(const struct exit_view *v, FILE *out,
			  const struct exit_stat *r, unsigned int columns)
{
	size_t i, shown = exit_view_functions(v, r);
	const struct bucket *b;
	char text[1024];

	for (i = 0; i < shown; i++) {
		b = &v->stats->functions[r->first + i];
		function_text(v, b, columns - REASON_COLUMNS - 17, text,
			      sizeof(text));
		fprintf(out, "%-*s %8llu %5.1f  %s\n", REASON_COLUMNS,
			i ? "" : exit_view_reason(r->reason), b->samples,
			percent_of(b->samples, r->samples), text);
	}
	if (shown < r->functions)
		fprintf(out, "%-*s %8s %5s  %zu more (--limit 0)\n",
			REASON_COLUMNS, "", "", "", r->functions - shown);
}

/* One guest or vCPU: rows from @first to before @end. */
static void put_group(const struct exit_view *v, FILE *out, size_t first,
		      size_t end, unsigned int columns)
{
	const struct exit_stat *rows = v->stats->rows;
	bool functions = false;
	size_t i;

	put_whose(v, out, &rows[first]);
	put_heading(out, columns);
	for (i = first + 1; i < end; i++) {
		if (rows[i].nr)
			put_row(v, out, &rows[i], &rows[first], columns);
		functions |= rows[i].functions;
	}
	put_row(v, out, &rows[first], &rows[first], columns);
	for (i = first; i < end; i++)
		put_open(v, out, &rows[i]);
	if (!functions)
		return;
	fprintf(out, "\n%s%-*s %8s %5s  %s%s\n", color_of(COLOR_HEAD),
		REASON_COLUMNS, "  caused by", "samples", "%",
		"guest function [module]", color_end());
	for (i = first + 1; i < end; i++)
		put_functions(v, out, &rows[i], columns);
}

void exit_view_text(const struct exit_view *v, unsigned int columns, FILE *out)
{
	const struct exit_stats *s = v->stats;
	size_t i, end;

	if (columns < COLUMNS)
		columns = COLUMNS;
	fputs("VM exits, from the exit to the next entry: KVM's and the VMM's handling, and\n"
	      "the thread's sleep (HLT) and waits for a CPU meanwhile\n",
	      out);
	for (i = 0; i < s->nr; i = end) {
		for (end = i + 1;
		     end < s->nr && s->rows[end].reason != EXIT_ALL; end++)
			;
		if (exit_view_has(v, &s->rows[i]))
			put_group(v, out, i, end, columns);
	}
	if (v->missed)
		fprintf(out,
			"\n%s%llu exits were not counted (vmmprof-exits(1), MISSED)%s\n",
			color_of(COLOR_WARNING), v->missed, color_end());
	if (saturated)
		fputs("\nWarning: " SATURATED_TEXT "\n", out);
}
