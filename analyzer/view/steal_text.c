// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof steal` as text: the answer first, then what it is made of. */

#include <string.h>

#include "view/color.h"
#include "view/percent.h"
#include "view/safe.h"
#include "view/steal.h"
#include "view/steal_matrix_text.h"
#include "view/time_text.h"
#include "sym/exits.h"

#define NAME_COLUMNS 15
#define PART_COLUMNS 24 /* before the label of a part */
#define TEXT_BYTES   512

/* A name in exactly n columns. */
static void put_name(FILE *out, const char *name, size_t n)
{
	char cut[TEXT_BYTES];

	snprintf(cut, sizeof(cut), "%s", name);
	text_cut(cut, n);
	fprintf(out, "%s%*s", cut, (int)(n - text_columns(cut)), "");
}

void steal_host(const struct steal *s, FILE *out)
{
	const struct session *ses = &s->tl->a->session;
	char raw[256], text[TEXT_BYTES];

	text_get(&ses->text, "hostname", raw, sizeof(raw));
	safe_text(text, sizeof(text), raw);
	fprintf(out, "Host %s", *text ? text : "(unnamed)");
	text_get(&ses->text, "release", raw, sizeof(raw));
	safe_text(text, sizeof(text), raw);
	if (*text)
		fprintf(out, ", Linux %s", text);
	fprintf(out, ", %zu CPU%s, %.3f s\n", ses->nr_cpus,
		ses->nr_cpus == 1 ? "" : "s",
		steal_seconds(s, s->tl->end - s->tl->begin));
	time_text_line(s->tl->a, out);
}

static void put_head(const struct steal *s, FILE *out)
{
	steal_host(s, out);
	if (s->exact)
		fputs("Steal, halt and blocked by switch records; guest and vmm by samples\n",
		      out);
	else
		fputs("By samples alone: a period without one is halt if the last exit was HLT,\n"
		      "else steal; blocked is not told from steal\n",
		      out);
}

static void put_percent(FILE *out, const __u64 columns[STEAL_COLUMNS])
{
	__u64 part[STEAL_COLUMNS];
	unsigned int i;

	steal_percent(columns, part);
	for (i = 0; i < STEAL_COLUMNS; i++)
		fprintf(out, " %s%5llu.%02llu%s",
			part[i] ? color_of(COLOR_GUEST + i) : "", part[i] / 100,
			part[i] % 100, part[i] ? color_end() : "");
}

static void row_name(const struct steal *s, const struct steal_row *r,
		     char *buf, size_t size)
{
	char name[256];

	if (r->track != VMMPROF_NONE) {
		steal_vcpu(s, r->track, name, sizeof(name));
		snprintf(buf, size, "  %s", name);
	} else {
		steal_guest(s, r->guest, name, sizeof(name));
		snprintf(buf, size, "%s", name);
	}
}

/* A wide terminal has more room for names. */
static size_t name_columns(size_t columns)
{
	return columns > 80 ? NAME_COLUMNS + (columns - 80) / 3 : NAME_COLUMNS;
}

static void put_row(const struct steal *s, size_t width, FILE *out,
		    const struct steal_row *r)
{
	__u64 columns[STEAL_COLUMNS];
	char name[TEXT_BYTES];
	unsigned int i;

	row_name(s, r, name, sizeof(name));
	put_name(out, name, width);
	steal_columns(r, columns);
	fputs(" %", out);
	put_percent(out, columns);
	fprintf(out, "\n%*s s", (int)width, "");
	for (i = 0; i < STEAL_COLUMNS; i++)
		fprintf(out, " %8.3f", steal_seconds(s, columns[i]));
	fprintf(out, " %8.3f\n", steal_seconds(s, r->total));
}

static void put_rows(const struct steal *s, size_t columns, FILE *out)
{
	size_t k, width = name_columns(columns);
	unsigned int i;

	fprintf(out, "\n%-*s  ", (int)width, "Guest, vCPU");
	for (i = 0; i < STEAL_COLUMNS; i++)
		fprintf(out, " %8s", steal_heading(i));
	fputs("      all\n", out);
	for (k = 0; k < s->nr_rows; k++)
		put_row(s, width, out, &s->rows[k]);
}

/* Waits of each vCPU: the longest, and from being woken to running. */
static void put_waits(const struct steal *s, size_t columns, FILE *out)
{
	int width = name_columns(columns);
	double us = s->tl->khz ? 1000.0 / s->tl->khz : 0;
	const struct track *t;
	char name[TEXT_BYTES];
	size_t k;

	fprintf(out,
		"\n%-*s    longest steal          woken until it ran, us (2 %%)\n"
		"%-*s      ms at second   wakes   median      p99      max\n",
		width, "", width, "Guest, vCPU");
	for (k = 0; k < s->nr_rows; k++) {
		row_name(s, &s->rows[k], name, sizeof(name));
		if (s->rows[k].track == VMMPROF_NONE) {
			fprintf(out, "%s\n", name);
			continue;
		}
		put_name(out, name, width);
		t = s->tl->tracks[s->rows[k].track];
		fprintf(out, " %7.3f %9.6f %7llu %8.1f %8.1f %8.1f\n",
			steal_seconds(s, t->longest) * 1000,
			t->longest ?
				steal_seconds(s, t->longest_at - s->tl->begin) :
				0,
			t->latency.nr,
			log_histogram_quantile(&t->latency, 1, 2) * us,
			log_histogram_quantile(&t->latency, 99, 100) * us,
			t->latency.max * us);
	}
}

/* Parts of columns of a guest. */
struct parts {
	const struct steal *s;
	FILE *out;
	__u64 columns[STEAL_COLUMNS];
};

static void put_part(const struct parts *p, enum steal_column column,
		     const char *label, __u64 ticks)
{
	__u64 percent = steal_part_percent(p->columns, column, ticks);

	fprintf(p->out, "  %3llu.%02llu %% %9.3f s  %s\n", percent / 100,
		percent % 100, steal_seconds(p->s, ticks), label);
}

/* The parts of vmm, largest first; on[] is used up. */
static void put_vmm(const struct parts *p, __u64 *on)
{
	bool svm = p->s->tl->a->resolver.svm;
	unsigned int i, best;
	char label[80], number[EXIT_TEXT];
	const char *name;
	__u16 reason = 0;

	for (;;) {
		best = 0;
		for (i = ON_VMM_USER; i < NR_ON_CPU; i++)
			if (i != ON_POLL && on[i] &&
			    (!best || on[i] > on[best]))
				best = i;
		if (!best)
			return;
		if (best >= ON_VMM_EXIT)
			reason = exit_at_place(svm, best - ON_VMM_EXIT);
		name = best >= ON_VMM_EXIT ? exit_name(reason) : NULL;
		if (best == ON_VMM_HARDIRQ || best == ON_VMM_SOFTIRQ)
			snprintf(label, sizeof(label),
				 "vmm: %s of the host on its CPU",
				 best == ON_VMM_HARDIRQ ? "hardirqs" :
							  "softirqs");
		else if (best == ON_VMM_USER)
			snprintf(label, sizeof(label),
				 "vmm: user space of the VMM");
		else if (best == ON_VMM_NONE)
			snprintf(label, sizeof(label),
				 "vmm: host kernel, no exit reason");
		else
			snprintf(label, sizeof(label), "vmm: exit reason %s %s",
				 exit_number_text(reason, number),
				 name ? name : "(unknown)");
		put_part(p, COLUMN_VMM, label, on[best]);
		on[best] = 0;
	}
}

static void put_unknown(const struct parts *p, const struct track_sum *sum)
{
	__u64 lost = sum->unknown - sum->not_sampled;

	if (sum->not_sampled)
		put_part(p, COLUMN_UNKNOWN,
			 "unknown: on a CPU, but without a sample",
			 sum->not_sampled);
	if (lost)
		put_part(p, COLUMN_UNKNOWN,
			 p->s->exact ? "unknown: records missing" :
				       "unknown: no exit reason known yet",
			 lost);
}

/* What the columns of a guest are made of. */
static void put_parts(const struct steal *s, FILE *out,
		      const struct steal_row *r)
{
	struct track_sum sum = r->sum;
	struct parts p = { .s = s, .out = out };
	char name[256];

	steal_guest(s, r->guest, name, sizeof(name));
	steal_columns(r, p.columns);
	fprintf(out, "\nParts of %s's time\n", name);
	put_part(&p, COLUMN_GUEST, "guest: kernel", sum.on[ON_GUEST_KERNEL]);
	put_part(&p, COLUMN_GUEST, "guest: user", sum.on[ON_GUEST_USER]);
	if (sum.on[ON_GUEST_OTHER])
		put_part(&p, COLUMN_GUEST, "guest: mode not known",
			 sum.on[ON_GUEST_OTHER]);
	put_vmm(&p, sum.on);
	if (s->exact) {
		put_part(&p, COLUMN_STEAL, "steal: preempted", sum.preempted);
		put_part(&p, COLUMN_STEAL, "steal: woken and waiting",
			 sum.woken);
	}
	put_part(&p, COLUMN_HALT, "halt: asleep", sum.asleep);
	if (sum.poll)
		put_part(&p, COLUMN_HALT, "halt: host polls before it sleeps",
			 sum.poll);
	if (sum.idle)
		put_part(&p, COLUMN_HALT,
			 "halt: idle in guest (HLT makes no exit)", sum.idle);
	put_unknown(&p, &sum);
}

/* Switch records do not tell of interrupts, samples do. */
static void put_interrupts(const struct steal *s, FILE *out,
			   const struct steal_row *r)
{
	const struct track *t;
	__u64 all = 0, irq = 0;
	const __u32 *tracks;
	size_t i, nr;

	tracks = groups_of(&s->tl->by_guest, r->guest, &nr);
	for (i = 0; i < nr; i++) {
		t = s->tl->tracks[tracks[i]];
		all += t->nr_waiting_samples;
		irq += t->nr_waiting_irq;
	}
	if (irq && s->exact)
		fprintf(out,
			"  %6.2f %% of it in interrupts of the host (%llu of %llu samples)\n",
			percent_of(irq, all), irq, all);
}

static void put_thieves(const struct steal *s, size_t columns, FILE *out,
			const struct steal_row *r)
{
	char name[256], who[TEXT_BYTES];
	__u64 took;
	size_t i;

	if (!r->sum.steal)
		return;
	steal_guest(s, r->guest, name, sizeof(name));
	fprintf(out, "\nWho took %s's %.3f s of steal\n", name,
		steal_seconds(s, r->sum.steal));
	for (i = steal_first(s, r->guest);
	     i < s->nr_stolen && s->stolen[i].guest == r->guest; i++) {
		took = steal_took(&s->stolen[i]);
		steal_thief(s, s->stolen[i].thief, r->guest, who, sizeof(who));
		text_cut(who, columns - PART_COLUMNS);
		fprintf(out, "  %6.2f %% %9.3f s  %s\n",
			percent_of(took, r->sum.steal), steal_seconds(s, took),
			who);
	}
	put_interrupts(s, out, r);
}

static void put_by_thief(const struct steal *s, size_t columns, FILE *out)
{
	char who[TEXT_BYTES], name[256], vcpu[64];
	__u32 last = VMMPROF_NONE;
	__u64 took;
	size_t i;

	fputs("\nWho took time, and from whom\n"
	      "   took s preempted     woken longest ms\n",
	      out);
	for (i = 0; i < s->nr_stolen; i++) {
		const struct steal_stolen *t = &s->stolen[i];

		if (t->thief != last) {
			steal_thief(s, t->thief, VMMPROF_NONE, who,
				    sizeof(who));
			text_cut(who, columns);
			fprintf(out, "%s\n", who);
		}
		last = t->thief;
		took = steal_took(t);
		steal_guest(s, t->guest, name, sizeof(name));
		steal_vcpu(s, t->vcpu, vcpu, sizeof(vcpu));
		fprintf(out, "%9.3f %9.3f %9.3f %10.3f  from %s of %s\n",
			steal_seconds(s, took), steal_seconds(s, t->preempted),
			steal_seconds(s, t->woken),
			steal_seconds(s, t->longest) * 1000, vcpu, name);
	}
	if (!s->nr_stolen)
		fputs("nobody\n", out);
}

static void put_count(FILE *out, const char *label, __u64 n)
{
	if (n)
		fprintf(out, "  %-64s %12llu\n", label, n);
}

/* What is missing, and what was compared with other measurements. */
static void put_account(const struct steal *s, bool verbose, FILE *out)
{
	const struct timeline *tl = s->tl;
	__u64 missing = 0, late = 0, lost = 0, names = 0;
	const struct loss *l;
	size_t i;

	if (verbose) {
		fputs("\nAccount\n", out);
		if (s->exact)
			fputs("  Each tick of each vCPU is in one column.\n",
			      out);
		steal_check_text_text(&s->checks, out);
	} else {
		fputc('\n', out);
		steal_check_text_line(&s->checks, out);
	}
	if (saturated)
		fputs("  WARNING: " SATURATED_TEXT "\n", out);
	for (i = 0; i < tl->nr; i++) {
		missing += tl->tracks[i]->missing;
		late += tl->tracks[i]->late;
	}
	for (i = 0; i < tl->losses.nr; i++) {
		l = &tl->losses.loss[i];
		sat_sum(l->names ? &names : &lost, l->nr);
	}
	if (verbose)
		put_count(out, "switch records read", tl->switch_records);
	put_count(out, "times a record was missing (the time is unknown)",
		  missing);
	put_count(out, "records too late to be used", late);
	put_count(out, "records lost in full rings (the time is unknown)",
		  lost);
	put_count(
		out,
		"SWITCH records left out in rings half full (the thief is unknown)",
		names);
	put_count(out, "records out of the order of time",
		  tl->a->counts.unordered);
	put_count(out, "records of vCPUs beyond the number that is kept",
		  tl->too_many);
}

static void put_details(const struct steal *s, size_t columns, FILE *out)
{
	size_t i;

	put_rows(s, columns, out);
	if (s->exact)
		put_waits(s, columns, out);
	for (i = 0; i < s->nr_rows; i++) {
		if (s->rows[i].track != VMMPROF_NONE)
			continue;
		put_parts(s, out, &s->rows[i]);
		put_thieves(s, columns, out, &s->rows[i]);
	}
	if (s->exact)
		steal_cpus_text(s, out);
}

int steal_text(const struct steal *s, const struct verdicts *v,
	       const struct steal_matrix *m, size_t columns, bool verbose,
	       FILE *out)
{
	int err = 0;

	put_head(s, out);
	if (!s->nr_rows) {
		fputs("\nNo vCPU was seen.\n", out);
		return 0;
	}
	fputc('\n', out);
	verdicts_put(v, columns, out);
	if (!s->by_thief)
		err = steal_matrix_text(s, m, columns, verbose, out);
	if (err)
		return err;
	if (!verbose)
		put_account(s, false, out);
	if (s->by_thief)
		put_by_thief(s, columns, out);
	else
		put_details(s, columns, out);
	if (verbose)
		put_account(s, true, out);
	return 0;
}
