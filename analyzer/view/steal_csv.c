// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof steal` as comma-separated values; times are seconds. */

#include "view/csv.h"
#include "view/steal.h"

static void csv_thieves(const struct steal *s, FILE *out)
{
	char text[512];
	size_t i;

	fputs("thief,kind,victim,vcpu,preempted_s,woken_s,longest_s\n", out);
	for (i = 0; i < s->nr_stolen; i++) {
		const struct steal_stolen *t = &s->stolen[i];

		steal_thief(s, t->thief, VMMPROF_NONE, text, sizeof(text));
		csv_text(out, text, ",");
		fprintf(out, "%s,",
			thief_key(s->tl->thieves.thieves[t->thief].kind));
		steal_guest(s, t->guest, text, sizeof(text));
		csv_text(out, text, ",");
		steal_vcpu(s, t->vcpu, text, sizeof(text));
		csv_text(out, text, "");
		fprintf(out, ",%.9f,%.9f,%.9f\n",
			steal_seconds(s, t->preempted),
			steal_seconds(s, t->woken),
			steal_seconds(s, t->longest));
	}
}

/* Waits of a vCPU; empty of a guest, and by samples alone. */
static void csv_waits(const struct steal *s, FILE *out,
		      const struct steal_row *r)
{
	const struct track *t;
	const struct log_histogram *h;

	if (!s->exact || r->track == VMMPROF_NONE) {
		fputs(",,,,,,\n", out);
		return;
	}
	t = s->tl->tracks[r->track];
	h = &t->latency;
	fprintf(out, ",%.9f,", steal_seconds(s, t->longest));
	if (t->longest)
		fprintf(out, "%.9f",
			steal_seconds(s, t->longest_at - s->tl->begin));
	fprintf(out, ",%llu,%.9f,%.9f,%.9f\n", h->nr,
		steal_seconds(s, log_histogram_quantile(h, 1, 2)),
		steal_seconds(s, log_histogram_quantile(h, 99, 100)),
		steal_seconds(s, h->max));
}

void steal_csv(const struct steal *s, FILE *out)
{
	__u64 columns[STEAL_COLUMNS];
	char text[256];
	unsigned int k;
	size_t i;

	if (s->by_thief) {
		csv_thieves(s, out);
		return;
	}
	fputs("guest,vcpu,total_s", out);
	for (k = 0; k < STEAL_COLUMNS; k++)
		fprintf(out, ",%s_s", steal_heading(k));
	fputs(",longest_steal_s,longest_steal_at_s,wakes,wake_median_s,wake_p99_s,wake_max_s\n",
	      out);
	for (i = 0; i < s->nr_rows; i++) {
		steal_guest(s, s->rows[i].guest, text, sizeof(text));
		csv_text(out, text, ",");
		if (s->rows[i].track != VMMPROF_NONE)
			steal_vcpu(s, s->rows[i].track, text, sizeof(text));
		csv_text(out, s->rows[i].track == VMMPROF_NONE ? "all" : text,
			 "");
		fprintf(out, ",%.9f", steal_seconds(s, s->rows[i].total));
		steal_columns(&s->rows[i], columns);
		for (k = 0; k < STEAL_COLUMNS; k++)
			fprintf(out, ",%.9f", steal_seconds(s, columns[k]));
		csv_waits(s, out, &s->rows[i]);
	}
}
