// SPDX-License-Identifier: GPL-2.0-only
/* The report as text of 80 columns, tables in the published form. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/percent.h"
#include "view/report.h"
#include "view/safe.h"
#include "sym/exits.h"
#include "base/saturate.h"

#define COLUMNS	       80
#define NAME_MAX_BYTES 512
#define MAX_NOTES      20 /* a guest may write as many as it likes */
#define PROCESS_ROWS   10

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
static void put_time_row(FILE *out, const struct time_row *row, __u64 total,
			 const size_t *width, size_t nr)
{
	size_t k;

	fprintf(out, "%7llu  %6.2f", row->samples,
		percent_of(row->samples, total));
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
	size_t i, k, w, left = COLUMNS - 17;
	char buf[NAME_MAX_BYTES];

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

static void put_table(struct report *r, FILE *out, const struct selection *sel,
		      const struct table *t, const struct time_rows *time)
{
	size_t width[NR_SORTS], nr, i, k, rows, n = 0;
	enum sort keys[NR_SORTS];
	__u64 rest = 0;
	char buf[NAME_MAX_BYTES];

	nr = report_keys(r, keys);
	rows = report_rows(r, t);
	column_widths(r, sel, t, rows, time, keys, nr, width);
	fprintf(out, "Samples  %%Ratio");
	for (k = 0; k < nr; k++)
		put_row(out, sort_heading(keys[k]), width[k], k + 1 == nr);
	fputc('\n', out);
	for (i = 0; i < rows; i++) {
		const struct bucket *c = &t->rows.buckets[i];

		for (; n < time->nr && time->row[n].samples > c->samples; n++)
			put_time_row(out, &time->row[n], t->total, width, nr);
		fprintf(out, "%7llu  %6.2f", c->samples,
			percent_of(c->samples, t->total));
		for (k = 0; k < nr; k++) {
			report_cell(r, sel, &c->key, k, keys[k], buf,
				    sizeof(buf));
			put_row(out, buf, width[k], k + 1 == nr);
		}
		fputc('\n', out);
	}
	for (; n < time->nr; n++)
		put_time_row(out, &time->row[n], t->total, width, nr);
	for (; i < t->rows.nr; i++)
		sat_sum(&rest, t->rows.buckets[i].samples);
	if (rest)
		fprintf(out, "%7llu  %6.2f  ... %zu more rows (%s shows all)\n",
			rest, percent_of(rest, t->total), t->rows.nr - rows,
			r->limit && rows == r->limit ? "-n 0" :
						       "--percent-limit 0");
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
	char name[NAME_MAX_BYTES], pid[16];
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
	char name[NAME_MAX_BYTES];

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
	struct time_rows time;
	struct table t;
	int ret;

	ret = table_init(&t, &r->names, &sel);
	if (!ret) {
		report_time(r, &sel, &time);
		sat_sum(&t.total, time.sum);
		put_title(r, out, machine, &sel);
		put_total(r, out, &t, &sel, &time);
		if (t.total)
			put_table(r, out, &sel, &t, &time);
		else
			fputs("No samples.\n", out);
		if (r->paper)
			put_steal_exits(out, &time);
		if (t.total)
			ret = put_processes(r, out, &sel, t.total, !machine);
	}
	table_deinit(&t);
	return ret;
}

/* Events whose samples are in the account, but in no table. */
static void put_other_events(struct report *r, FILE *out, __u32 shown)
{
	const char *before = "Not shown:";
	char text[NAME_MAX_BYTES];
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
	char raw[256], text[NAME_MAX_BYTES];

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
	if (sel.event != VMMPROF_ANY) {
		safe_text(text, sizeof(text), session_event_name(s, sel.event));
		fprintf(out, "Event %s\n", text);
	}
	put_other_events(r, out, sel.event);
}

static void put_count(FILE *out, const char *label, __u64 n)
{
	fprintf(out, "  %-64s %12llu\n", label, n);
}

static void put_account_line(struct report *r, FILE *out,
			     const struct account_line *l)
{
	char name[NAME_MAX_BYTES], label[NAME_MAX_BYTES + 128];

	name_machine(&r->names, l->machine, name, sizeof(name));
	if (l->cause)
		snprintf(label, sizeof(label), "unresolved: %s %s, %s", name,
			 cpu_mode_text(l->mode), cause_text(l->cause));
	else
		snprintf(label, sizeof(label), "%s%s %s",
			 l->machine ? "guest " : "", name,
			 cpu_mode_text(l->mode));
	put_count(out, label, l->samples);
}

/* Prints the CPUs whose counts do not agree. */
static void put_mismatch(struct report *r, FILE *out)
{
	const struct sample_counts *b = &r->a->counts;
	size_t i;

	for (i = 0; i < b->nr_cpus; i++)
		if (b->cpus[i].has_stat &&
		    b->cpus[i].written != b->cpus[i].samples)
			fprintf(out,
				"    CPU %u: %llu samples were written, %llu are in the session\n",
				b->cpus[i].cpu, b->cpus[i].written,
				b->cpus[i].samples);
}

static void put_verdict(struct report *r, FILE *out)
{
	const struct account *acc = &r->account;
	const struct sample_counts *b = &r->a->counts;

	if (!acc->adds_up)
		fprintf(out,
			"  WARNING: the lines add up to %llu, but %llu samples were read.\n",
			acc->sum, b->samples);
	else if (!acc->complete)
		fputs("  WARNING: samples are missing in the session:\n", out);
	else if (b->has_stat)
		fputs("  The account adds up: each sample written is in exactly one line.\n",
		      out);
	else
		fputs("  The account adds up: each sample read is in exactly one line.\n",
		      out);
	if (!acc->complete)
		put_mismatch(r, out);
}

static void put_account(struct report *r, FILE *out)
{
	const struct account *acc = &r->account;
	const struct sample_counts *b = &r->a->counts;
	size_t i;

	fputs("\nAccount of all samples\n", out);
	for (i = 0; i < acc->nr_lines; i++)
		put_account_line(r, out, &acc->lines[i]);
	put_count(out, "lost", b->lost);
	put_count(out, "= samples taken", sat_add(acc->sum, b->lost));
	put_verdict(r, out);
	if (b->lost_other)
		put_count(out, "other records lost", b->lost_other);
	if (b->lost_names)
		put_count(out,
			  "of them SWITCH records, which say who took steal",
			  b->lost_names);
	if (b->throttled)
		put_count(out, "times perf throttled an event", b->throttled);
	if (b->unknown_records)
		put_count(out, "records of unknown types, skipped",
			  b->unknown_records);
}

/* Prints the notes of a map file: what its writer could not get. */
static void put_map_notes(struct report *r, FILE *out, __u32 machine)
{
	const struct resolver *res = &r->a->resolver;
	const struct bundle *b;
	char text[NAME_MAX_BYTES];
	size_t i;

	if (machine >= res->nr_machines || !res->machines[machine])
		return;
	b = &res->machines[machine]->bundle;
	for (i = 0; i < b->nr_notes && i < MAX_NOTES; i++) {
		safe_text(text, sizeof(text), b->notes[i]);
		fprintf(out, "  note: %s\n", text);
	}
}

/*
 * Prints how far the guest's clock readings are from a line through their
 * neighbours.
 */
static void put_clock(struct report *r, FILE *out, __u32 g, const char *name)
{
	const struct clock *c = report_clock(r, g);

	if (!c)
		fprintf(out,
			"Guest %s: no clock in common with the host: only CR3s of one owner have a process\n",
			name);
	else if (c->residual == TIME_UNKNOWN)
		fprintf(out,
			"Guest %s: clock from %zu pair%s of readings, too few to check it\n",
			name, c->pairs, c->pairs == 1 ? "" : "s");
	else
		fprintf(out,
			"Guest %s: clock within %.1f us of the host's axis (%zu pairs)\n",
			name, c->residual / 1e3, c->pairs);
}

static void put_guest_trust(struct report *r, FILE *out, __u32 g)
{
	const struct account_guest *ag = &r->account.guests[g];
	char name[NAME_MAX_BYTES];
	unsigned int how, who;

	name_machine(&r->names, 1 + g, name, sizeof(name));
	fprintf(out,
		"\nGuest %s: %llu of %llu samples resolved to a function (%.2f%%)\n",
		name, ag->resolved, ag->samples,
		percent_of(ag->resolved, ag->samples));
	if (g + 1 >= r->a->resolver.nr_machines ||
	    !r->a->resolver.machines[g + 1]) {
		fprintf(out,
			"  No bundle: run vmmprof-guest in it, then --guest-bundle %s=FILE\n",
			name);
		return;
	}
	put_clock(r, out, g, name);
	if (account_wrong_bundle(ag))
		fputs("  WARNING: the bundle's kernel is not the one that ran: it is of another\n"
		      "  guest or of another boot, so the processes are not to be trusted either.\n",
		      out);
	if (r->a->resolver.guests.guests[g].outside)
		put_count(out, "outside the time that its bundle watched",
			  r->a->resolver.guests.guests[g].outside);
	for (how = 1; how <= OWNER_SEVERAL; how++)
		if (ag->how[how])
			fprintf(out, "  process %-56s %12llu\n", how_text(how),
				ag->how[how]);
	for (who = 1; who < NR_WHOS; who++)
		if (ag->who[who])
			fprintf(out, "  kernel: %-56s %12llu\n", who_text(who),
				ag->who[who]);
	put_map_notes(r, out, 1 + g);
}

static bool host_notes(const struct report *r)
{
	const struct resolver *res = &r->a->resolver;

	return res->nr_machines && res->machines[0] &&
	       res->machines[0]->bundle.nr_notes;
}

static void put_notes(struct report *r, FILE *out)
{
	const struct session *s = &r->a->session;
	char text[NAME_MAX_BYTES];
	size_t i;

	if (s->nr_notes || host_notes(r))
		fputs("\nNotes of the recorder\n", out);
	for (i = 0; i < s->nr_notes; i++) {
		safe_text(text, sizeof(text), s->notes[i]);
		fprintf(out, "  note: %s\n", text);
	}
	put_map_notes(r, out, 0);
}

/* Why there is nothing to check, where the session says so. */
static void put_time_account(struct report *r, FILE *out)
{
	const struct vmmprof_info_switches *sw = r->a->session.switches;

	if (!r->checks && !sw)
		return;
	fputs("\nAccount of the vCPUs' time\n", out);
	if (r->checks)
		steal_check_text_text(r->checks, out);
	else
		fprintf(out,
			"  No switch records (%s): `vmmprof steal` has\n"
			"  steal by samples alone.\n",
			sw->error ? strerror(sw->error) : "switched off");
}

static void put_check(struct report *r, FILE *out)
{
	const __u64 *c = r->a->counts.contradictions;
	unsigned int i;
	__u64 sum = 0;

	for (i = 1; i < NR_CONTRAS; i++)
		sum += c[i];
	fprintf(out,
		"\nCheck of 'in guest or not' against its raw ingredients: %llu contradictions\n",
		sum);
	for (i = 1; i < NR_CONTRAS; i++)
		if (c[i])
			put_count(out, contradiction_text(i), c[i]);
	if (sum)
		fputs("  `vmmprof script --check` lists them.\n", out);
}

int report_text(struct report *r, FILE *out)
{
	__u32 i, nr = r->a->resolver.guests.nr;
	int ret;

	put_head(r, out);
	for (i = 0; i <= nr; i++) {
		if (!report_has(r, i))
			continue;
		ret = put_machine(r, out, i);
		if (ret)
			return ret;
	}
	put_account(r, out);
	for (i = 0; i < nr; i++)
		if (r->account.guests[i].samples)
			put_guest_trust(r, out, i);
	put_time_account(r, out);
	if (saturated)
		fputs("  WARNING: " SATURATED_TEXT "\n", out);
	put_check(r, out);
	put_notes(r, out);
	return 0;
}
