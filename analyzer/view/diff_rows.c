// SPDX-License-Identifier: GPL-2.0-only
/* Groups two sessions' entries by the same keys. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/diff_rows.h"
#include "base/saturate.h"
#include "base/vec.h"
#include "base/sort.h"

/*
 * Rows of the same keys are merged when there are so many, plus twice the rows
 * that the last merge left.
 */
#define MERGE_ROWS 16384

/* As in the report, the host's table has a row for each guest's samples. */
static bool counts(const struct diff *d, __u32 machine, const struct entry *e)
{
	if (!machine)
		return e->state < ENTRY_PART;
	return e->machine == machine && (d->timed || e->state < ENTRY_PART);
}

/* Samples, or periods in their place, that an entry's time is known by. */
static __u64 drawn(const struct diff_session *s, const struct entry *e)
{
	if (e->exact || e->samples)
		return e->exact ? 0 : e->samples;
	return s->period_ns ? e->ns / s->period_ns : 0;
}

static struct diff_amount amount(const struct diff_session *s, bool timed,
				 const struct entry *e)
{
	struct diff_amount n = {
		.samples = e->samples,
		.weight = timed ? e->ticks : e->samples,
		.ns = timed ? e->ns : 0,
	};

	n.exact = e->exact ? n.weight : 0;
	n.drawn = timed ? drawn(s, e) : e->samples;
	return n;
}

static void add_amount(struct diff_amount *to, const struct diff_amount *n)
{
	sat_sum(&to->samples, n->samples);
	sat_sum(&to->ns, n->ns);
	sat_sum(&to->weight, n->weight);
	sat_sum(&to->exact, n->exact);
	sat_sum(&to->drawn, n->drawn);
}

void diff_total(const struct diff *d, struct diff_machine *m)
{
	const struct entry *e;
	struct diff_amount n;
	unsigned int s;
	size_t i, to;

	m->timed = d->timed && m->number[0];
	for (s = 0; s < 2; s++) {
		entries_of(&d->s[s].entries, m->number[s], &i, &to);
		for (; i < to; i++) {
			e = &d->s[s].entries.entries[i];
			if (!counts(d, m->number[s], e))
				continue;
			n = amount(&d->s[s], m->timed, e);
			add_amount(&m->of[s], &n);
			if (m->timed)
				sat_sum(&m->columns[s][entry_column(e)],
					e->ticks);
		}
	}
}

static void number_text(__u32 v, char *buf, size_t size)
{
	if (v == VMMPROF_NONE)
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%u", v);
}

/* An entry's name for a key, by its id; VMMPROF_NONE: it is no name. */
static __u32 name_of(const struct entry *e, enum diff_key key)
{
	switch (key) {
	case DIFF_FUNCTION:
		return e->function;
	case DIFF_MODULE:
		return e->module;
	case DIFF_PROCESS:
		return e->program;
	default:
		return VMMPROF_NONE;
	}
}

/* The same name, as both sessions' rows have it. */
static int take_name(struct diff *d, unsigned int s, __u32 id, __u32 *ret)
{
	const char *text = strings_get(&d->s[s].entries.names, id);
	int err = 0;

	if (d->s[s].words[id] == VMMPROF_NONE)
		err = strings_add(&d->names, text, strlen(text),
				  &d->s[s].words[id]);
	*ret = d->s[s].words[id];
	return err;
}

/* An entry's other word for a key; it may lie in buf. */
static const char *word_of(const struct entry *e, enum diff_key key, char *buf,
			   size_t size)
{
	const char *word = NULL;

	switch (key) {
	case DIFF_PID:
		number_text(e->pid, buf, size);
		return buf;
	case DIFF_VCPU:
		number_text(e->vcpu, buf, size);
		return buf;
	case DIFF_MODE:
		word = entry_mode_key(e);
		break;
	case DIFF_STATE:
		word = entry_state_key(e->state);
		break;
	default:
		break; /* a process without a name */
	}
	return word ? word : "-";
}

/*
 * Column k of an entry's row.  Rows that are of no process, mode and so on are
 * named in the first column, as in the report.
 */
static int key_of(struct diff *d, unsigned int s, const struct entry *e,
		  bool guest_row, size_t k, enum diff_key key, __u32 *ret)
{
	const struct entries *es = &d->s[s].entries;
	bool time = e->state >= ENTRY_PART;
	__u32 name = name_of(e, key);
	char buf[4200];
	const char *text = "-";

	if (guest_row && !k) {
		snprintf(buf, sizeof(buf), "[%s]",
			 strings_get(&es->names, e->guest));
		text = buf;
	} else if (guest_row) {
		if (key == DIFF_MODULE)
			text = "(VM)";
	} else if (time && !k && key >= DIFF_PROCESS && key <= DIFF_MODE &&
		   key != DIFF_VCPU) {
		name = e->function;
	} else if (name == VMMPROF_NONE) {
		text = word_of(e, key, buf, sizeof(buf));
	}
	if (name != VMMPROF_NONE && !guest_row)
		return take_name(d, s, name, ret);
	return strings_add(&d->names, text, strlen(text), ret);
}

static int cmp_key(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;

	return memcmp(x->key, y->key, sizeof(x->key));
}

/* Rows of the same keys become one. */
static void merge(struct diff_table *t)
{
	struct diff_row *to = t->rows, *row;
	unsigned int s;

	if (!t->nr)
		return;
	sort_array(t->rows, t->nr, sizeof(*t->rows), cmp_key);
	for (row = to + 1; row < t->rows + t->nr; row++) {
		if (cmp_key(to, row)) {
			*++to = *row;
			continue;
		}
		for (s = 0; s < 2; s++)
			add_amount(&to->of[s], &row->of[s]);
		to->columns |= row->columns;
	}
	t->nr = to + 1 - t->rows;
}

static int add_entry(struct diff *d, const struct diff_machine *m,
		     struct diff_table *t, unsigned int s,
		     const struct entry *e, bool guest_row)
{
	struct diff_row *row;
	size_t k;
	int err;

	err = vec_grow(&t->rows, &t->cap, t->nr, sizeof(*row));
	if (err)
		return err;
	row = &t->rows[t->nr++];
	memset(row, 0, sizeof(*row));
	for (k = 0; k < t->nr_keys && !err; k++)
		err = key_of(d, s, e, guest_row, k, t->keys[k], &row->key[k]);
	row->of[s] = amount(&d->s[s], m->timed, e);
	if (m->timed)
		row->columns = 1 << entry_column(e);
	return err;
}

static double variance(__u64 samples, __u64 all)
{
	double n = all + 2.0, p = (samples + 1.0) / n;

	return p * (1 - p) / n;
}

/* How many standard errors chance exceeds in one of nr rows. */
static double bound(size_t nr)
{
	double chance = DIFF_CHANCE / (nr ? nr : 1), low = 0, high = 40, mid;
	unsigned int i;

	for (i = 0; i < 60; i++) {
		mid = (low + high) / 2;
		if (erfc(mid / sqrt(2)) > chance)
			low = mid;
		else
			high = mid;
	}
	return high;
}

/* Of a row's share of its machine: that of what samples tell apart. */
static double share_variance(const struct diff_amount *row,
			     const struct diff_amount *all)
{
	double part = (double)(all->weight - all->exact) / all->weight;

	return part * part * variance(row->drawn, all->drawn);
}

static double shown(const struct diff_machine *m, const struct diff_row *r,
		    unsigned int s)
{
	unsigned int k;

	for (k = 0; k < STEAL_COLUMNS; k++)
		if (r->columns == 1 << k)
			return steal_part_percent(m->columns[s], k,
						  r->of[s].weight) /
			       100.0;
	return r->points[s];
}

static void compare_row(const struct diff_machine *m, struct diff_row *r,
			double limit)
{
	unsigned int s;

	for (s = 0; s < 2; s++) {
		r->points[s] = 100.0 * r->of[s].weight / m->of[s].weight;
		r->shown[s] = shown(m, r, s);
	}
	r->delta = r->points[1] - r->points[0];
	if (!r->all_exact)
		r->error = 100 * sqrt(share_variance(&r->of[0], &m->of[0]) +
				      share_variance(&r->of[1], &m->of[1]));
	r->significant = !r->all_exact && fabs(r->delta) > limit * r->error;
}

static void compare(const struct diff_machine *m, struct diff_table *t)
{
	struct diff_row *r;
	size_t i, sampled = 0;
	double limit;

	for (i = 0; i < t->nr; i++) {
		r = &t->rows[i];
		r->all_exact = r->of[0].weight == r->of[0].exact &&
			       r->of[1].weight == r->of[1].exact;
		sampled += !r->all_exact;
	}
	limit = bound(sampled);
	for (i = 0; i < t->nr; i++)
		compare_row(m, &t->rows[i], limit);
}

/* Largest change first; rows with as much in an order that does not change. */
static int cmp_change(const void *a, const void *b, void *arg)
{
	const struct diff_row *x = a, *y = b;
	const struct strings *names = arg;
	double dx = fabs(x->delta), dy = fabs(y->delta);
	size_t k;
	int d;

	if (dx != dy)
		return dx < dy ? 1 : -1;
	if (x->of[0].weight != y->of[0].weight)
		return x->of[0].weight < y->of[0].weight ? 1 : -1;
	for (k = 0; k < NR_DIFF_KEYS; k++) {
		d = strcmp(strings_get(names, x->key[k]),
			   strings_get(names, y->key[k]));
		if (d)
			return d;
	}
	return 0;
}

/* A session's entries; memory grows with the rows and not with the entries. */
static int add_session(struct diff *d, const struct diff_machine *m,
		       struct diff_table *t, unsigned int s)
{
	const struct entries *es = &d->s[s].entries;
	const struct entry *e;
	size_t i, to, full = 2 * t->nr + MERGE_ROWS;
	int err;

	entries_of(es, m->number[s], &i, &to);
	for (; i < to; i++) {
		e = &es->entries[i];
		if (!counts(d, m->number[s], e))
			continue;
		err = add_entry(d, m, t, s, e, !m->number[s] && e->machine);
		if (err)
			return err;
		if (t->nr < full)
			continue;
		merge(t);
		full = 2 * t->nr + MERGE_ROWS;
	}
	return 0;
}

int diff_rows(struct diff *d, const struct diff_machine *m,
	      struct diff_table *t, const enum diff_key *keys, size_t nr_keys)
{
	unsigned int s;
	int err = 0;

	memcpy(t->keys, keys, nr_keys * sizeof(*keys));
	t->nr_keys = nr_keys;
	for (s = 0; s < 2 && !err; s++)
		err = add_session(d, m, t, s);
	if (err)
		return err;
	merge(t);
	compare(m, t);
	if (t->nr)
		sort_array_r(t->rows, t->nr, sizeof(*t->rows), cmp_change,
			     &d->names);
	return 0;
}
