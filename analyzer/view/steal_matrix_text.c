// SPDX-License-Identifier: GPL-2.0-only
/* The answer of `vmmprof steal` as text of any width. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "view/foreign_names.h"
#include "view/percent.h"
#include "view/safe.h"
#include "view/steal_matrix_json.h"
#include "view/steal_matrix_text.h"

#define VERDICTS    8
#define VICTIMS	    16
#define THIEVES	    12
#define NARROW	    80
#define NAME_LEAST  8 /* "Who lost" */
#define NAME_MOST   14
#define VALUE_LEAST 8 /* "1234.567" */
#define VALUE_MOST  13
#define LITTLE	    1000 /* who took less than that part is not shown alone */
#define NAME_BYTES  640

/* Words of a line, broken before @columns; later lines are indented. */
static void put_words(FILE *out, char *text, size_t columns)
{
	size_t at = 0, n;
	char *word, *save;

	for (word = strtok_r(text, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		n = text_columns(word);
		if (at && at + 1 + n > columns) {
			fputs("\n  ", out);
			at = 2;
		} else if (at) {
			fputc(' ', out);
			at++;
		}
		fputs(word, out);
		at += n;
	}
	fputc('\n', out);
}

/* Those without a line of their own. */
static void put_rest(const struct verdicts *v, size_t shown, FILE *out)
{
	size_t i, nothing = 0;

	for (i = shown; i < v->nr; i++)
		nothing += !v->verdicts[i].lost;
	if (v->nr - shown > nothing)
		fprintf(out, "%zu more lost less\n", v->nr - shown - nothing);
	if (nothing)
		fprintf(out, "%zu %s lost nothing\n", nothing,
			shown	     ? "more" :
			nothing == 1 ? "VM" :
				       "VMs");
}

void verdicts_put(const struct verdicts *v, size_t columns, FILE *out)
{
	char text[VERDICT_TEXT];
	size_t i;

	for (i = 0; i < v->nr && i < VERDICTS; i++) {
		if (!v->verdicts[i].lost && v->nr > VERDICTS)
			break;
		verdict_text(v, i, text, sizeof(text));
		put_words(out, text, columns);
	}
	put_rest(v, i, out);
}

/* Headings of ours. */
static const char *const ours[] = { "unknown", "wake-up", "quota",
				    "nobody",  "to all",  NULL };

struct grid {
	const struct steal *s;
	const struct steal_matrix *m;
	FILE *out;
	size_t columns;		 /* of the terminal */
	size_t name;		 /* columns of a victim's name */
	size_t value;		 /* at least, of a number */
	size_t losers;		 /* victims that lost anything */
	size_t victims, thieves; /* that have a line or column of their own */
	size_t last;   /* columns of thieves: one more if some are summed up */
	size_t *width; /* of each */
	__u64 *ticks;  /* of a line */
};

/* Short, as there is little room; the list of thieves says more. */
static void one_thief(const struct steal *s, __u32 thief, char *buf,
		      size_t size)
{
	const struct thieves *cs = &s->tl->thieves;
	const struct thief *t = &cs->thieves[thief];
	char guest[256], vcpu[32];

	if (t->kind == BY_VCPU) {
		steal_guest(s, s->tl->tracks[t->id]->guest, guest,
			    sizeof(guest));
		steal_vcpu(s, t->id, vcpu, sizeof(vcpu));
		snprintf(buf, size, "%s %s", guest, vcpu);
	} else if (t->kind == BY_UNKNOWN || by_nobody(t->kind)) {
		snprintf(buf, size, "%s", thief_key(t->kind));
	} else {
		foreign(buf, size, strings_get(&cs->names, t->id), ours);
	}
}

/* The name of those that are summed up, and how wide it is. */
static size_t others(size_t nr, char *buf, size_t size)
{
	return snprintf(buf, size, "%zu others", nr);
}

static void column_name(const struct grid *g, size_t i, char *buf, size_t size)
{
	const struct matrix_thief *t = &g->m->thieves[i];

	if (i >= g->thieves)
		others(g->m->nr_thieves - i, buf, size);
	else if (t->thief != VMMPROF_NONE)
		one_thief(g->s, t->thief, buf, size);
	else
		steal_thief_name(g->s, t, buf, size);
}

static void put_left(FILE *out, const char *text, size_t width)
{
	char buf[NAME_BYTES];

	snprintf(buf, sizeof(buf), "%s", text);
	text_cut(buf, width);
	fprintf(out, "%s%*s", buf, (int)(width - text_columns(buf)), "");
}

static void put_right(FILE *out, const char *text, size_t width)
{
	char buf[NAME_BYTES];

	snprintf(buf, sizeof(buf), "%s", text);
	text_cut(buf, width);
	fprintf(out, " %*s%s", (int)(width - text_columns(buf)), "", buf);
}

/* All widths, where no heading has more than @most columns; their sum. */
static size_t set_widths(struct grid *g, size_t most)
{
	size_t i, n, sum = g->name + 2 + 1 + g->value;
	char name[NAME_BYTES];

	for (i = 0; i < g->last; i++) {
		column_name(g, i, name, sizeof(name));
		n = text_columns(name);
		g->width[i] = n > most ? most : n;
		if (g->width[i] < g->value)
			g->width[i] = g->value;
		sum += 1 + g->width[i];
	}
	return sum;
}

/* How wide names are: as long as they need to be and the terminal allows. */
static void find_widths(struct grid *g)
{
	size_t more = g->columns > NARROW ? g->columns - NARROW : 0;
	size_t most, i, n;
	char name[NAME_BYTES];

	n = snprintf(name, sizeof(name), "%.3f",
		     steal_seconds(g->s, g->m->lost));
	g->value = n > VALUE_LEAST ? n : VALUE_LEAST;
	g->name = NAME_LEAST;
	if (g->victims < g->losers)
		g->name = others(g->losers - g->victims, name, sizeof(name));
	for (i = 0; i < g->victims; i++) {
		steal_victim_name(g->s, &g->m->victims[i], name, sizeof(name));
		n = text_columns(name);
		if (n > NAME_MOST + more / 3)
			n = NAME_MOST + more / 3;
		if (n > g->name)
			g->name = n;
	}
	/* whole names, if all columns are beside each other then */
	most = g->last * (1 + g->value) < g->columns ? g->columns : 0;
	for (; most > VALUE_MOST; most--)
		if (set_widths(g, most) <= g->columns)
			return;
	set_widths(g, VALUE_MOST + more / 6);
}

static void put_values(const struct grid *g, size_t from, size_t to,
		       __u64 whole, bool percent)
{
	char text[32];
	size_t i;

	for (i = from; i < to; i++) {
		if (!g->ticks[i])
			snprintf(text, sizeof(text), "-");
		else if (percent)
			snprintf(text, sizeof(text), "%.2f",
				 percent_of(g->ticks[i], whole));
		else
			snprintf(text, sizeof(text), "%.3f",
				 steal_seconds(g->s, g->ticks[i]));
		put_right(g->out, text, g->width[i]);
	}
}

/* In percent: of one victim as its row of states has it. */
static double lost_percent(const struct grid *g, size_t first, size_t last,
			   __u64 lost, __u64 time)
{
	const struct matrix_victim *v = &g->m->victims[first];
	size_t lo = 0, hi = g->s->nr_rows, mid;
	const struct steal_row *rows = g->s->rows;
	__u64 columns[STEAL_COLUMNS];

	if (last != first + 1)
		return percent_of(lost, time);
	BISECT(lo, hi, mid, rows[mid].guest < v->guest);
	while (lo < g->s->nr_rows && rows[lo].guest == v->guest &&
	       rows[lo].track != v->track)
		lo++;
	if (lo == g->s->nr_rows || rows[lo].guest != v->guest)
		return percent_of(lost, time);
	steal_columns(&rows[lo], columns);
	return steal_part_percent(columns, COLUMN_STEAL, lost) / 100.0;
}

/*
 * Two lines: in % of the victims' time (of all they lost: @percent), and in
 * seconds; g->ticks: by column.
 */
static void put_line(const struct grid *g, const char *name, size_t from,
		     size_t to, __u64 lost, __u64 time, double percent)
{
	put_left(g->out, name, g->name);
	fputs(" %", g->out);
	if (!from)
		fprintf(g->out, " %*.2f", (int)g->value, percent);
	put_values(g, from, to, time, true);
	fprintf(g->out, "\n%*s s", (int)g->name, "");
	if (!from)
		fprintf(g->out, " %*.3f", (int)g->value,
			steal_seconds(g->s, lost));
	put_values(g, from, to, time, false);
	fputc('\n', g->out);
}

static void add_cells(struct grid *g, size_t victim)
{
	const struct matrix_victim *v = &g->m->victims[victim];
	size_t i, at;

	for (i = 0; i < v->nr_cells; i++) {
		at = g->m->cells[v->cell + i].thief;
		if (at >= g->thieves)
			at = g->thieves;
		sat_sum(&g->ticks[at], g->m->cells[v->cell + i].ticks);
	}
}

/* Of victims first..last-1 together. */
static void put_victims(struct grid *g, const char *name, size_t first,
			size_t last, size_t from, size_t to)
{
	__u64 lost = 0, time = 0;
	size_t i;

	memset(g->ticks, 0, (g->last + 1) * sizeof(*g->ticks));
	for (i = first; i < last; i++) {
		add_cells(g, i);
		sat_sum(&lost, g->m->victims[i].lost);
		sat_sum(&time, g->m->victims[i].time);
	}
	put_line(g, name, from, to, lost, time,
		 lost_percent(g, first, last, lost, time));
}

/* Columns from..to-1 of all lines. */
static void put_block(struct grid *g, size_t from, size_t to)
{
	size_t i, nr = g->m->nr_victims;
	char name[NAME_BYTES];

	if (from)
		fputc('\n', g->out);
	put_left(g->out, from ? "" : "Who lost", g->name);
	fputs("  ", g->out);
	if (!from)
		put_right(g->out, "to all", g->value);
	for (i = from; i < to; i++) {
		column_name(g, i, name, sizeof(name));
		put_right(g->out, name, g->width[i]);
	}
	fputc('\n', g->out);
	for (i = 0; i < g->victims; i++) {
		steal_victim_name(g->s, &g->m->victims[i], name, sizeof(name));
		put_victims(g, name, i, i + 1, from, to);
	}
	if (i < g->losers) {
		others(g->losers - i, name, sizeof(name));
		put_victims(g, name, i, g->losers, from, to);
	}
	if (nr > 1)
		put_victims(g, "all", 0, nr, from, to);
}

static void put_blocks(struct grid *g)
{
	size_t from, to, used;

	for (from = 0; from < g->last; from = to) {
		used = g->name + 2 + (from ? 0 : 1 + g->value);
		for (to = from; to < g->last; to++) {
			used += 1 + g->width[to];
			if (used > g->columns && to > from)
				break;
		}
		put_block(g, from, to);
	}
}

/* How many have a line; one alone is not summed up. */
static size_t shown(size_t nr, size_t most, bool all)
{
	return all || nr <= most + 1 ? nr : most;
}

/* Nor are those that took hardly anything. */
static size_t thieves_shown(const struct steal_matrix *m, bool all)
{
	size_t i, nr = shown(m->nr_thieves, THIEVES, all);

	for (i = 0; i < nr && m->thieves[i].took >= m->lost / LITTLE; i++)
		;
	return all || m->nr_thieves - i < 2 ? nr : i;
}

int steal_matrix_text(const struct steal *s, const struct steal_matrix *m,
		      size_t columns, bool all, FILE *out)
{
	struct grid g = { .s = s, .m = m, .out = out, .columns = columns };
	int err = 0;

	while (g.losers < m->nr_victims && m->victims[g.losers].lost)
		g.losers++;
	if (!g.losers)
		return 0;
	g.victims = shown(g.losers, VICTIMS, all);
	g.thieves = thieves_shown(m, all);
	g.last = g.thieves + (g.thieves < m->nr_thieves);
	g.width = calloc(g.last + 1, sizeof(*g.width));
	g.ticks = calloc(g.last + 1, sizeof(*g.ticks));
	if (g.width && g.ticks) {
		fputs("\nTime lost, in % of the time of who lost it, and in seconds\n",
		      out);
		find_widths(&g);
		put_blocks(&g);
	} else {
		err = -ENOMEM;
	}
	free(g.width);
	free(g.ticks);
	return err;
}
