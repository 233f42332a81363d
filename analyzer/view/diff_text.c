// SPDX-License-Identifier: GPL-2.0-only
/* Two sessions side by side, as text. */

#include <string.h>

#include "view/diff.h"
#include "view/safe.h"
#include "view/time_text.h"

#define NUMBERS	 37 /* columns before the names */
#define MAX_ONLY 20 /* names of guests of one session */

static const char *text(const struct diff *d, __u32 id)
{
	return strings_get(&d->names, id);
}

/* All columns but the last get the width of their longest entry, if it fits. */
static void column_widths(const struct diff *d, const struct diff_table *t,
			  size_t rows, size_t width[NR_DIFF_KEYS])
{
	size_t i, k, w, left = d->columns > NUMBERS ? d->columns - NUMBERS : 0;

	for (k = 0; k < t->nr_keys; k++) {
		width[k] = strlen(diff_key_name(t->keys[k]));
		for (i = 0; i < rows; i++) {
			w = text_columns(text(d, t->rows[i].key[k]));
			if (w > width[k])
				width[k] = w;
		}
	}
	for (k = t->nr_keys; k-- > 1;)
		left -= left > width[k] + 2 ? width[k] + 2 : 0;
	if (width[0] > left)
		width[0] = left > 20 ? left : 20;
}

static void put_word(FILE *out, const char *word, size_t width, bool last)
{
	size_t w = text_columns(word);

	fprintf(out, "  %s", word);
	if (!last && w < width)
		fprintf(out, "%*s", (int)(width - w), "");
}

static void put_row(const struct diff *d, FILE *out, const struct diff_table *t,
		    const struct diff_row *r, const size_t *width)
{
	size_t k;

	fprintf(out, "%7.2f  %7.2f  %+7.2f  ", r->shown[0], r->shown[1],
		r->delta);
	if (r->all_exact)
		fputs("exact", out);
	else
		fprintf(out, "%5.2f", r->error);
	fputs(r->significant ? " *" : "  ", out);
	for (k = 0; k < t->nr_keys; k++)
		put_word(out, text(d, r->key[k]), width[k],
			 k + 1 == t->nr_keys);
	fputc('\n', out);
}

static void put_table(const struct diff *d, FILE *out,
		      const struct diff_table *t)
{
	size_t width[NR_DIFF_KEYS], k, i, rows = t->nr;
	char heading[16];

	if (d->limit && rows > d->limit)
		rows = d->limit;
	column_widths(d, t, rows, width);
	fputs("\n    A %      B %   Change  Error  ", out);
	for (k = 0; k < t->nr_keys; k++) {
		snprintf(heading, sizeof(heading), "%s",
			 diff_key_name(t->keys[k]));
		*heading -= 'a' - 'A';
		put_word(out, heading, width[k], k + 1 == t->nr_keys);
	}
	fputc('\n', out);
	for (i = 0; i < rows; i++)
		put_row(d, out, t, &t->rows[i], width);
	if (rows < t->nr)
		fprintf(out,
			"  ... and what changed less: %zu (-n 0 shows all)\n",
			t->nr - rows);
}

static void put_session(FILE *out, char letter, const struct diff_session *s)
{
	fprintf(out, "%c: %s", letter, s->dir);
	if (*s->hostname)
		fprintf(out, "  %s", s->hostname);
	if (*s->release)
		fprintf(out, "  Linux %s", s->release);
	if (s->duration_ns)
		fprintf(out, "  %.3f s", diff_seconds(s));
	fputc('\n', out);
	time_text_ranges(s->time, s->khz, out);
}

static void put_machine(const struct diff *d, FILE *out,
			const struct diff_machine *m)
{
	bool seconds = m->timed && d->s[0].khz && d->s[1].khz;
	size_t i;

	fprintf(out, "\n%s %s: ", m->number[0] ? "Guest" : "The",
		text(d, m->name));
	if (seconds)
		fprintf(out,
			"%.3f s with %llu samples in A, %.3f s with %llu in B\n",
			m->of[0].ns / 1e9, m->of[0].samples, m->of[1].ns / 1e9,
			m->of[1].samples);
	else
		fprintf(out, "%llu samples in A, %llu in B\n", m->of[0].samples,
			m->of[1].samples);
	if (!m->nr_tables)
		fputs("Nothing to compare.\n", out);
	for (i = 0; i < m->nr_tables; i++)
		put_table(d, out, &m->tables[i]);
}

static void put_only(const struct diff *d, FILE *out, unsigned int s)
{
	size_t i;

	if (!d->nr_only[s])
		return;
	fprintf(out, "\nOnly %c has:", "AB"[s]);
	for (i = 0; i < d->nr_only[s] && i < MAX_ONLY; i++)
		fprintf(out, " %s", text(d, d->only[s][i]));
	if (i < d->nr_only[s])
		fprintf(out, " and %zu more", d->nr_only[s] - i);
	fputc('\n', out);
}

void diff_text(const struct diff *d, FILE *out)
{
	size_t i;

	put_session(out, 'A', &d->s[0]);
	put_session(out, 'B', &d->s[1]);
	fprintf(out, "Samples of %s. Shares of %s.\n", d->s[0].event,
		d->timed ? "all samples; of guests: of their vCPUs' time" :
			   "the machine's samples");
	fputs("Error: one standard error of the change, by the numbers of samples alone.\n"
	      "*: more than chance would do in one of 20 tables.\n",
	      out);
	for (i = 0; i < d->nr; i++)
		put_machine(d, out, &d->machines[i]);
	put_only(d, out, 0);
	put_only(d, out, 1);
}
