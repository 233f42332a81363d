// SPDX-License-Identifier: GPL-2.0-only
/* The rows of the panels as lines of text. */

#include <string.h>

#include "tui/listing.h"
#include "tui/panels_internal.h"
#include "view/chain_text.h"

static void put_share(FILE *out, __u64 part, __u64 whole)
{
	if (whole)
		fprintf(out, "%6.1f", part * 100.0 / whole);
	else
		fprintf(out, "%6s", "-");
}

static void list_states(struct panels *p, FILE *out)
{
	const struct panel_row *r;
	char name[512], thief[512];
	size_t i, k;

	fputs(" guest   vmm steal  halt block  unkn  samples  VM, vCPU, top thief\n",
	      out);
	for (i = 0; i < p->nr_rows; i++) {
		r = &p->rows[i];
		for (k = 0; k < STEAL_COLUMNS; k++)
			put_share(out, r->column[k], r->total);
		panels_name(p, r, name, sizeof(name));
		fprintf(out, "  %7llu  %s", r->samples, name);
		if (r->thief != VMMPROF_NONE) {
			steal_thief(&p->steal, r->thief, r->machine - 1, thief,
				    sizeof(thief));
			fprintf(out, ", %.1f%% of steal: %s",
				r->stolen * 100.0 / r->column[2], thief);
		}
		fputc('\n', out);
	}
}

static void list_about(struct panels *p, FILE *out)
{
	char name[512];
	const char *s;
	size_t i;

	for (i = 0; i < p->nr_rows && p->about; i++) {
		s = p->rows[i].kind == ROW_GUEST ?
			    p->about(p->about_arg, p->rows[i].machine) :
			    NULL;
		if (!s)
			continue;
		panels_name(p, &p->rows[i], name, sizeof(name));
		fprintf(out, "%s: %s\n", name, s);
	}
}

int listing_chains(struct panels *p, __u32 limit, struct chain_rows *c)
{
	const struct panel_row *row = panels_chosen(p);
	size_t nr = p->table.rows.nr < limit ? p->table.rows.nr : limit;
	struct selection sel;

	memset(c, 0, sizeof(*c));
	if (!p->trees.tree || !row)
		return 0;
	sel = panels_selection(p, row);
	return chain_rows_init(c, p->names, &sel, &p->table, nr, p->trees.tree,
			       NULL, false);
}

int listing_time(struct panels *p, struct chain_time *c)
{
	const struct panel_row *row = panels_chosen(p);

	memset(c, 0, sizeof(*c));
	if (!p->time.nr || !row || !p->trees.waits)
		return 0;
	return chain_time_init(c, p->trees.waits->waits, &p->time,
			       row->machine - 1, row->vcpu);
}

/* Time of a VM without guest code, with what its vCPUs left. */
static void list_time(struct panels *p, FILE *out)
{
	struct chain_text text = {
		.names = p->names,
		.out = out,
		.order = CHAIN_CALLER,
		.whole = p->whole,
		.khz = p->tl->khz ? p->tl->khz : 1000000,
		.least = p->trees.percent,
	};
	const struct time_row *r;
	struct chain_time chains;
	size_t i;

	if (p->time.nr)
		fputs("seconds      %  time without guest code\n", out);
	p->err = listing_time(p, &chains);
	for (i = 0; i < p->time.nr && !p->err; i++) {
		r = &p->time.row[i];
		fprintf(out, "%7.3f ", r->ticks / (text.khz * 1000.0));
		put_share(out, r->ticks, p->whole);
		fprintf(out, "  %s  %s\n", r->function, r->module);
		p->err = chain_text_time(&text, &chains, i);
	}
	chain_time_deinit(&chains);
}

static void list_functions(struct panels *p, __u32 limit, FILE *out)
{
	struct chain_text text = {
		.names = p->names,
		.out = out,
		.order = CHAIN_CALLER,
		.whole = p->table.total,
		.least = p->trees.percent,
	};
	struct chain_rows chains;
	const struct bucket *c;
	char name[512];
	size_t i;

	panels_name(p, panels_chosen(p), name, sizeof(name));
	fprintf(out, "samples      %%  functions of %s\n", name);
	p->err = listing_chains(p, limit, &chains);
	for (i = 0; i < p->table.rows.nr && i < limit && !p->err; i++) {
		c = &p->table.rows.buckets[i];
		fprintf(out, "%7llu ", c->samples);
		put_share(out, c->samples, p->table.total);
		panels_cell(p, &c->key, 0, name, sizeof(name));
		fprintf(out, "  %s", name);
		panels_cell(p, &c->key, 1, name, sizeof(name));
		fprintf(out, "  %s\n", name);
		if (trees_row_folds(p, &c->key))
			p->err = chain_text_row(&text, &chains, i);
	}
	chain_rows_deinit(&chains);
}

int panels_list(struct panels *p, __u32 limit, FILE *out)
{
	size_t i;

	list_states(p, out);
	list_about(p, out);
	for (i = 0; i < p->nr_rows && !p->err; i++) {
		if (p->rows[i].kind == ROW_VCPU)
			continue;
		p->pane[0].cur = i;
		panels_choose(p);
		if (!p->err)
			list_functions(p, limit, out);
		if (!p->err)
			list_time(p, out);
	}
	return p->err;
}
