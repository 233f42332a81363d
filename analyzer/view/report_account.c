// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where every sample of a report went, how far each guest is known, and what
 * the numbers were checked against; and the verdict on all of it in a few lines.
 */

#include <string.h>

#include "base/saturate.h"
#include "view/color.h"
#include "view/percent.h"
#include "view/report.h"
#include "view/report_text.h"
#include "view/safe.h"

#define MAX_NOTES     20 /* a guest may write as many as it likes */
#define NAMED_GUESTS  3
#define NAMED_COLUMNS 16

static void put_count(FILE *out, const char *label, __u64 n)
{
	fprintf(out, "  %-64s %12llu\n", label, n);
}

static void put_account_line(struct report *r, FILE *out,
			     const struct account_line *l)
{
	char name[NAME_TEXT_BYTES], label[NAME_TEXT_BYTES + 128];

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
	const struct cpu_counts *c;
	__u64 nr;
	size_t i;

	for (i = 0; i < r->a->counts.nr_cpus; i++) {
		c = &r->a->counts.cpus[i];
		nr = sat_add(c->samples, c->outside);
		if (c->has_stat && c->written != nr)
			fprintf(out,
				"    CPU %u: %llu samples were written, %llu are in the session\n",
				c->cpu, c->written, nr);
	}
}

static void put_sum(struct report *r, FILE *out)
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

/* When the period became longer, and why. */
static void put_widened(struct report *r, FILE *out)
{
	const struct session *s = &r->a->session;
	__u64 khz = session_tsc_khz(s);
	__u64 from = s->stop ? s->stop->start_tsc : 0;
	size_t i;

	for (i = 0; i < s->nr_widened; i++) {
		const struct vmmprof_info_widened *w = s->widened[i];

		fputs("  period: ", out);
		if (khz && from && w->until_tsc >= from)
			fprintf(out, "from %.3f s on ",
				(double)(w->until_tsc - from) / khz / 1000);
		fprintf(out,
			"samples are %u times as far apart: CPU %u spent %.2f %% of its time on them, of at most %.2f %%\n",
			w->factor, w->cpu, w->spent / 1e4, w->limit / 1e4);
	}
	if (s->nr_widened)
		put_count(
			out,
			"samples of before that left out: the others stand for as much",
			r->a->counts.left_out);
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
	put_count(out,
		  r->a->time ? "= samples taken in that time" :
			       "= samples taken",
		  sat_add(acc->sum, b->lost));
	if (r->a->time)
		put_count(out, "samples of other times, in no line above",
			  b->outside);
	put_sum(r, out);
	put_widened(r, out);
	if (b->lost_other)
		put_count(out, "other records lost", b->lost_other);
	if (b->lost_names)
		put_count(out,
			  "of them SWITCH records, which say who took steal",
			  b->lost_names);
	if (b->lost_chains)
		put_count(
			out,
			"of them CHAIN records: samples without their callers",
			b->lost_chains);
	if (b->throttled)
		put_count(out, "times perf throttled an event", b->throttled);
	if (b->unknown_records)
		put_count(out, "records of unknown types, skipped",
			  b->unknown_records);
}

static void put_seconds(struct report *r, FILE *out, const char *label,
			__u64 ticks)
{
	fprintf(out, "  %-64s ", label);
	report_seconds_text(r, out, ticks, 12);
	fputs(" s\n", out);
}

/* The same of time in which vCPUs did not run. */
static void put_waits(struct report *r, FILE *out, const struct chain_waits *w)
{
	const struct chain_wait_counts *c = &w->counts;
	char label[64];
	unsigned int i;

	fputs("\nAccount of call chains of time in [steal], [halt] and [blocked]\n",
	      out);
	put_seconds(r, out, "complete, to the outermost function",
		    c->class[CHAIN_COMPLETE]);
	put_seconds(r, out, "truncated: more frames than were recorded",
		    c->class[CHAIN_TRUNCATED]);
	for (i = 0; i < NR_CHAIN_ENDS; i++) {
		if (!c->end[i] || chain_class_of(i) != CHAIN_BROKEN)
			continue;
		snprintf(label, sizeof(label), "broken: %s", chain_end_text(i));
		put_seconds(r, out, label, c->end[i]);
	}
	put_seconds(r, out, "no guest code: left by the VMM, or not known",
		    c->none);
	put_seconds(r, out, "= time of all vCPUs in these states", c->ticks);
}

/* What became of the chains: the classes, and why some are broken. */
static void put_chains(struct report *r, FILE *out)
{
	const struct chain_counts *c;
	char label[64];
	unsigned int i;

	if (!r->chains || !chain_pass_any(r->a))
		return;
	c = &r->chains->tree.counts;
	fputs("\nAccount of call chains\n", out);
	put_count(out, "complete, to the outermost function",
		  c->class[CHAIN_COMPLETE]);
	put_count(out, "truncated: more frames than were recorded",
		  c->class[CHAIN_TRUNCATED]);
	for (i = 0; i < NR_CHAIN_ENDS; i++) {
		if (!c->end[i] || chain_class_of(i) != CHAIN_BROKEN)
			continue;
		snprintf(label, sizeof(label), "broken: %s", chain_end_text(i));
		put_count(out, label, c->end[i]);
	}
	put_count(out, "= samples", c->samples);
	if (c->unchecked)
		put_count(
			out,
			"of the complete ones: the direct caller may be missing",
			c->unchecked);
	if (c->full)
		put_count(out, "shown by their function alone: too many chains",
			  c->full);
	if (r->chains->join.stray)
		put_count(out, "CHAIN records of no sample",
			  r->chains->join.stray);
	if (chain_pass_timed(r->chains))
		put_waits(r, out, &r->chains->waits);
}

/* Prints the notes of a map file: what its writer could not get. */
static void put_map_notes(struct report *r, FILE *out, __u32 machine)
{
	const struct resolver *res = &r->a->resolver;
	const struct bundle *b;
	char text[NAME_TEXT_BYTES];
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
	char name[NAME_TEXT_BYTES];
	unsigned int how, who;

	name_machine(&r->names, 1 + g, name, sizeof(name));
	fprintf(out,
		"\nGuest %s: %llu of %llu samples resolved to a function (%.2f%%)\n",
		name, ag->resolved, ag->samples,
		percent_of(ag->resolved, ag->samples));
	for (who = WHO_MEMORY; who < NR_WHOS; who++)
		if (ag->who[who])
			fprintf(out, "  process %-56s %12llu\n", who_text(who),
				ag->who[who]);
	if (g + 1 >= r->a->resolver.nr_machines ||
	    !r->a->resolver.machines[g + 1]) {
		fprintf(out,
			"  No bundle: run vmmprof-guest in it, then --guest-bundle %s=FILE\n",
			name);
		return;
	}
	if (!r->a->resolver.machines[g + 1]->by_table)
		put_clock(r, out, g, name);
	if (account_wrong_bundle(ag))
		fputs("  WARNING: the bundle's kernel is not the one that ran: it is of another\n"
		      "  guest or of another boot, so the processes are not to be trusted either.\n",
		      out);
	if (r->a->resolver.guests.guests[g].outside)
		put_count(out, "outside the time that its bundle watched",
			  r->a->resolver.guests.guests[g].outside);
	for (how = 1; how <= OWNER_NOT_READ; how++)
		if (ag->how[how])
			fprintf(out, "  process %-56s %12llu\n", how_text(how),
				ag->how[how]);
	for (who = 1; who < WHO_MEMORY; who++)
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
	char text[NAME_TEXT_BYTES];
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

static __u64 contradictions(const struct report *r)
{
	const __u64 *c = r->a->counts.contradictions;
	unsigned int i;
	__u64 sum = 0;

	for (i = 1; i < NR_CONTRAS; i++)
		sat_sum(&sum, c[i]);
	return sum;
}

static void put_check(struct report *r, FILE *out)
{
	const __u64 *c = r->a->counts.contradictions;
	__u64 sum = contradictions(r);
	unsigned int i;

	fprintf(out,
		"\nCheck of 'in guest or not' against its raw ingredients: %llu contradictions\n",
		sum);
	for (i = 1; i < NR_CONTRAS; i++)
		if (c[i])
			put_count(out, contradiction_text(i), c[i]);
	if (sum)
		fputs("  `vmmprof script --check` lists them.\n", out);
}

void report_account(struct report *r, FILE *out)
{
	__u32 i, nr = r->a->resolver.guests.nr;

	put_account(r, out);
	put_chains(r, out);
	for (i = 0; i < nr; i++)
		if (r->account.guests[i].samples)
			put_guest_trust(r, out, i);
	put_time_account(r, out);
	if (saturated)
		fputs("  WARNING: " SATURATED_TEXT "\n", out);
	put_check(r, out);
	put_notes(r, out);
}

static bool has_bundle(const struct report *r, __u32 guest)
{
	return guest + 1 < r->a->resolver.nr_machines &&
	       r->a->resolver.machines[guest + 1];
}

/* Guests with samples that only a bundle could name, or that a wrong one names. */
static void put_bundles(struct report *r, FILE *out)
{
	const struct account_guest *g = r->account.guests;
	__u32 i, nr = r->a->resolver.guests.nr, missing = 0;
	char name[NAME_TEXT_BYTES];

	for (i = 0; i < nr; i++) {
		if (!g[i].samples)
			continue;
		name_machine(&r->names, 1 + i, name, sizeof(name));
		if (has_bundle(r, i)) {
			if (account_wrong_bundle(&g[i]))
				fprintf(out,
					"WARNING: the bundle of %s is of another guest or of another boot (-v)\n",
					name);
			continue;
		}
		text_cut(name, NAMED_COLUMNS);
		if (missing++ < NAMED_GUESTS)
			fprintf(out, "%s%s",
				missing == 1 ? "No bundle of " : ", ", name);
	}
	if (missing > NAMED_GUESTS)
		fprintf(out, " and %u more", missing - NAMED_GUESTS);
	if (missing)
		fputs(", so no names of functions:\n"
		      "  run vmmprof-guest in it, then --guest-bundle NAME=FILE\n",
		      out);
}

static void put_checks(const struct report *r, FILE *out)
{
	const struct account *acc = &r->account;
	__u64 wrong = contradictions(r);

	if (acc->adds_up && acc->complete && !wrong && !saturated &&
	    !(r->checks && r->checks->failed)) {
		fputs("All checks agree (-v lists them)\n", out);
		return;
	}
	fprintf(out, "%sWARNING: not all checks agree%s; -v has more:\n",
		color_of(COLOR_WARNING), color_end());
	if (!acc->adds_up)
		fprintf(out,
			"  %llu samples were read, but %llu are in the account\n",
			r->a->counts.samples, acc->sum);
	else if (!acc->complete)
		fputs("  samples that were written are missing in the session\n",
		      out);
	if (wrong)
		fprintf(out,
			"  of %llu samples 'in guest or not' contradicts its raw ingredients\n",
			wrong);
	if (r->checks && r->checks->failed)
		fprintf(out,
			"  other measurements differ in %llu check%s of the vCPUs' time\n",
			r->checks->failed, r->checks->failed == 1 ? "" : "s");
	if (saturated)
		fputs("  WARNING: " SATURATED_TEXT "\n", out);
}

void report_verdict(struct report *r, FILE *out)
{
	const struct sample_counts *b = &r->a->counts;

	fputc('\n', out);
	put_checks(r, out);
	if (b->lost || b->lost_other)
		fprintf(out,
			"Lost: %llu samples, %llu other records (no room in the ring)\n",
			b->lost, b->lost_other);
	put_bundles(r, out);
	if (r->a->session.nr_notes || host_notes(r))
		fputs("The recorder left notes (-v)\n", out);
}
