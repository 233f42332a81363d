// SPDX-License-Identifier: GPL-2.0-only
/* Makes the lines of the lower pane, and folds them. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "tui/panels.h"
#include "tui/panels_internal.h"
#include "view/chain_names.h"
#include "view/percent.h"

#define FEW_ID 0x5a7e5ull /* of the line of few samples, below its branch */

/* Of what is below a line. */
static __u64 id_below(__u64 id, __u64 what)
{
	__u64 both[2] = { id, what };

	return hash_bytes(both, sizeof(both));
}

void trees_deinit(struct trees *t)
{
	if (t->has_rows)
		chain_rows_deinit(&t->rows);
	chain_time_deinit(&t->time);
	free(t->id);
	free(t->same);
	free(t->frame_match);
	free(t->node_match);
	hash_deinit(&t->folds);
	memset(t, 0, sizeof(*t));
}

/* Which frames differ by their addresses alone. */
static int find_same(struct trees *t)
{
	struct hash first = { 0 };
	struct chain_frame plain;
	size_t i, nr = t->tree->nr_frames;
	int err = 0;

	free(t->id);
	free(t->same);
	t->nr = nr;
	t->id = calloc(nr + 1, sizeof(*t->id));
	t->same = calloc(nr + 1, sizeof(*t->same));
	if (!t->id || !t->same)
		return -ENOMEM;
	for (i = 0; i < nr && !err; i++) {
		plain = t->tree->frames[i];
		if (plain.kind == FRAME_CODE) {
			plain.addr = 0;
			plain.link = 0;
			plain.file = VMMPROF_NONE;
		}
		t->id[i] = hash_bytes(&plain, sizeof(plain));
		t->same[i] = hash_get(&first, t->id[i]);
		if (t->same[i] != VMMPROF_NONE)
			continue;
		t->same[i] = i;
		err = hash_set(&first, t->id[i], i);
	}
	hash_deinit(&first);
	return err;
}

void trees_renew(struct panels *p, size_t first, size_t last)
{
	struct trees *t = &p->trees;

	if (!t->tree)
		return;
	if (t->slices)
		chain_slices_apply(t->slices, p->slices, first, last, t->tree);
	if (t->slices && t->waits)
		wait_slices_apply(t->waits, p->slices, first, last);
	if (t->nr != t->tree->nr_frames || p->live)
		p->err = find_same(t);
}

bool trees_is_open(const struct trees *t, __u64 id, bool open)
{
	__u32 v = hash_get(&t->folds, id);

	return v == VMMPROF_NONE ? open || t->all : v;
}

static bool frame_passes(struct panels *p, const struct chain_frame *f)
{
	char text[NAME_TEXT_BYTES];

	chain_frame_name(p->names, f, text, sizeof(text));
	if (strcasestr(text, p->pane[1].filter))
		return true;
	chain_frame_module(p->names, f, text, sizeof(text));
	return *text && strcasestr(text, p->pane[1].filter);
}

/* Which nodes have a frame above them, or themselves, that is looked for. */
static int find_matches(struct panels *p)
{
	struct trees *t = &p->trees;
	const struct chain_tree *c = t->tree;
	const struct chain_frame *f;
	size_t i;

	free(t->frame_match);
	free(t->node_match);
	t->node_match = NULL;
	t->frame_match = NULL;
	if (!*p->pane[1].filter)
		return 0;
	t->frame_match = calloc(c->nr_frames + 1, 1);
	t->node_match = calloc(c->nr_nodes + 1, sizeof(*t->node_match));
	if (!t->frame_match || !t->node_match)
		return -ENOMEM;
	for (i = 0; i < c->nr_frames; i++) {
		f = &c->frames[i];
		if (chain_frame_top(f))
			continue;
		t->frame_match[i] = t->same[i] != i ?
					    t->frame_match[t->same[i]] :
					    frame_passes(p, f);
	}
	for (i = 1; i < c->nr_nodes; i++) {
		t->node_match[i] = t->node_match[c->nodes[i].parent];
		if (t->frame_match[c->nodes[i].frame] &&
		    !(t->callee && t->node_match[i]))
			t->node_match[i] = c->nodes[i].depth;
	}
	return 0;
}

const struct chain_waits *trees_waits(const struct panels *p,
				      const struct selection *sel)
{
	const struct trees *t = &p->trees;

	return sel->timed && t->children && t->waits ? t->waits->waits : NULL;
}

/* Has the row a chain with a frame that is looked for? */
static bool row_matches(const struct trees *t, size_t row)
{
	const struct chain_use *u;
	const __u32 *uses;
	size_t i, nr;
	__u32 at;

	if (!t->node_match)
		return false;
	uses = groups_of(&t->rows.by_row, row, &nr);
	for (i = 0; i < nr; i++) {
		u = &t->rows.uses[uses[i]];
		at = t->node_match[chain_use_node(&t->rows, u)];
		if (at && (t->callee ? at <= u->depth :
				       !t->children || at >= u->depth))
			return true;
	}
	return false;
}

/* Lines of one row, while they are made. */
struct maker {
	struct panels *p;
	struct chain_view v;
	__u8 *match; /* by node of the view: it or one below is looked for */
	struct pane_line row; /* the line that it is below */
	__u64 all;	      /* of the view: samples, of a row of time ticks */
	bool whole;	      /* all of it is to be unfolded */
};

/* Is the line below unfolded?  @open: if nobody said. */
static bool make_open(struct maker *m, __u64 id, bool open)
{
	struct trees *t = &m->p->trees;

	if (m->whole)
		m->p->err = hash_set(&t->folds, id, 1);
	return trees_is_open(t, id, open);
}

struct pane_line *trees_add_line(struct panels *p, enum pane_line_kind kind,
				 __u32 row)
{
	struct pane *pane = &p->pane[1];
	struct pane_line *l;

	if (vec_grow(&p->lines, &p->cap_lines, pane->nr, sizeof(*p->lines))) {
		p->err = -ENOMEM;
		return NULL;
	}
	l = &p->lines[pane->nr++];
	memset(l, 0, sizeof(*l));
	l->kind = kind;
	l->row = row;
	l->frame = VMMPROF_NONE;
	return l;
}

/* A part of the row's ticks, where the table is of time. */
static __u64 ticks_of(const struct maker *m, __u64 n)
{
	return m->all ? (__uint128_t)m->row.ticks * n / m->all : 0;
}

/* As chain_text: much of the table, or of the row. */
static bool is_many(const struct maker *m, __u64 n)
{
	__u64 weight = m->p->table.timed ? ticks_of(m, n) : n;

	return percent_of(weight, m->p->whole) >= m->p->trees.percent ||
	       n >= m->all / 10 + 1;
}

static void add_branches(struct maker *m, __u32 node, __u32 depth, __u32 level,
			 __u64 id, __u64 bars);

/* A branch, and what is below it if it is unfolded. */
static void add_branch(struct maker *m, __u32 node, __u32 depth, __u32 level,
		       __u64 id, __u64 bars, bool last, bool open)
{
	const struct trees *t = &m->p->trees;
	const struct chain_view_node *n = &m->v.nodes[node];
	struct pane_line *l;
	__u32 next = node;

	for (; next != VMMPROF_NONE && !m->p->err;
	     next = chain_view_only(&m->v, node), depth++) {
		l = trees_add_line(m->p,
				   next == node ? LINE_BRANCH : LINE_FRAME,
				   m->row.row);
		if (!l)
			return;
		node = next;
		id = id_below(id, t->id[m->v.nodes[node].frame]);
		l->id = id;
		l->depth = depth;
		l->frame = m->v.nodes[node].frame;
		l->level = level;
		l->samples = n->total;
		l->ticks = ticks_of(m, n->total);
		l->bars = bars;
		l->last = last;
		l->match = t->frame_match && t->frame_match[l->frame];
		if (l->kind != LINE_BRANCH)
			continue;
		l->folds = n->first != VMMPROF_NONE;
		l->open = l->folds &&
			  make_open(m, id,
				    open || (m->match && m->match[node]));
		if (!l->open)
			return;
		if (last)
			bars &= ~(1ull << (level & 63));
	}
	add_branches(m, node, depth, level + 1, id, bars);
}

/* The line for those of few samples, and these if it is unfolded. */
static void add_few(struct maker *m, __u32 child, __u32 depth, __u32 level,
		    __u64 id, __u64 bars)
{
	struct pane_line *l = trees_add_line(m->p, LINE_FEW, m->row.row);
	bool match = false;
	__u32 i;

	if (!l)
		return;
	id = id_below(id, FEW_ID);
	for (i = child; i != VMMPROF_NONE; i = m->v.nodes[i].next) {
		l->nr++;
		l->samples += m->v.nodes[i].total;
		match |= m->match && m->match[i];
	}
	l->ticks = ticks_of(m, l->samples);
	l->id = id;
	l->depth = depth;
	l->level = level;
	l->bars = bars;
	l->last = true;
	l->folds = true;
	l->open = make_open(m, id, match);
	if (!l->open)
		return;
	bars &= ~(1ull << (level & 63));
	for (i = child; i != VMMPROF_NONE; i = m->v.nodes[i].next)
		add_branch(m, i, depth, level + 1, id,
			   bars | 1ull << ((level + 1) & 63),
			   m->v.nodes[i].next == VMMPROF_NONE, false);
}

static void add_branches(struct maker *m, __u32 node, __u32 depth, __u32 level,
			 __u64 id, __u64 bars)
{
	__u32 child = m->v.nodes[node].first, next;
	bool one = child != VMMPROF_NONE &&
		   m->v.nodes[child].next == VMMPROF_NONE;

	bars |= 1ull << (level & 63);
	for (; child != VMMPROF_NONE && !m->p->err; child = next) {
		if (!is_many(m, m->v.nodes[child].total)) {
			add_few(m, child, depth, level, id, bars);
			return;
		}
		next = m->v.nodes[child].next;
		add_branch(m, child, depth, level, id, bars,
			   next == VMMPROF_NONE, one);
	}
}

/* Nodes come after their parents: from the last one on. */
static int match_view(struct maker *m)
{
	const struct chain_view *v = &m->v;
	const struct trees *t = &m->p->trees;
	__u32 i, child;

	if (!t->frame_match)
		return 0;
	m->match = calloc(v->nr, 1);
	if (!m->match)
		return -ENOMEM;
	for (i = v->nr; i-- > 1;) {
		m->match[i] |= t->frame_match[v->nodes[i].frame];
		child = v->nodes[i].first;
		for (; child != VMMPROF_NONE; child = v->nodes[child].next)
			m->match[i] |= m->match[child];
	}
	return 0;
}

void trees_add(struct panels *p, struct pane_line row)
{
	struct trees *t = &p->trees;
	struct maker m = { .p = p, .row = row, .whole = row.id == t->whole };

	p->err = chain_view_init(&m.v);
	m.v.same = t->same;
	if (!p->err)
		p->err = row.kind == LINE_TIME ?
				 chain_time_row(&m.v, &t->time, row.row,
						t->callee) :
				 chain_view_row(&m.v, &t->rows, row.row,
						t->callee);
	m.all = m.v.nr ? m.v.nodes[0].total : 0;
	if (!p->err)
		p->err = match_view(&m);
	if (!p->err)
		add_branches(&m, 0, 1, 1, row.id, 0);
	free(m.match);
	chain_view_deinit(&m.v);
}

bool trees_row_folds(const struct panels *p, const struct bucket_key *key)
{
	const struct panel_row *row = panels_chosen(p);

	/* a guest as one row has its own */
	return p->trees.tree && row && (row->machine || !key->guest);
}

/* @open: if nobody said. */
static void add_row(struct panels *p, __u32 row, bool open)
{
	const struct bucket *c = &p->table.rows.buckets[row];
	struct trees *t = &p->trees;
	struct pane_line *l = trees_add_line(p, LINE_ROW, row);
	__u64 id;

	if (!l)
		return;
	id = id_below(hash_bytes(&c->key, sizeof(c->key)), t->callee);
	l->id = id;
	l->samples = c->samples;
	l->ticks = c->ticks;
	l->folds = trees_row_folds(p, &c->key);
	l->match = true;
	l->open = l->folds && t->has_rows && p->pane[1].nr < PANE_LINES &&
		  trees_is_open(t, id, open);
	if (l->open)
		trees_add(p, *l);
}

/* Chains of the rows are looked for only if something needs them. */
static int find_rows(struct panels *p, const struct selection *sel)
{
	struct trees *t = &p->trees;
	int err;

	if (t->has_rows)
		chain_rows_deinit(&t->rows);
	chain_time_deinit(&t->time);
	t->has_rows = t->tree && (t->all || t->folds.nr || t->children ||
				  *p->pane[1].filter);
	if (!t->has_rows)
		return 0;
	err = chain_rows_init(&t->rows, p->names, sel, &p->table,
			      p->table.rows.nr, t->tree, trees_waits(p, sel),
			      t->children);
	if (!err && t->waits && p->time.nr)
		err = chain_time_init(&t->time, t->waits->waits, &p->time,
				      sel->machine - 1, sel->vcpu);
	return err ? err : find_matches(p);
}

void trees_lines(struct panels *p, const struct selection *sel, __u64 was)
{
	struct pane *pane = &p->pane[1];
	const struct bucket *c;
	size_t i, n = 0;
	bool own;

	pane->nr = 0;
	p->err = find_rows(p, sel);
	for (i = 0; !p->err && i < p->table.rows.nr; i++) {
		c = &p->table.rows.buckets[i];
		/* most first, as `vmmprof report` has them */
		while (n < p->time.nr &&
		       p->time.row[n].ticks > table_weight(&p->table, c))
			trees_add_time(p, n++);
		own = panels_passes(p, &c->key);
		if (own || row_matches(&p->trees, i))
			add_row(p, i, !own);
	}
	while (n < p->time.nr && !p->err)
		trees_add_time(p, n++);
	for (i = 0; pane->cur && i < pane->nr; i++)
		if (p->lines[i].id == was)
			pane->cur = i;
	pane_clamp(pane);
}

/* The line with what the chosen line is folded by. */
static size_t fold_of(const struct panels *p)
{
	size_t i = p->pane[1].cur;

	while (i && !p->lines[i].folds && p->lines[i].depth)
		i--;
	return i;
}

static int set_fold(struct panels *p, const struct pane_line *l, bool open)
{
	return hash_set(&p->trees.folds, l->id, open);
}

void trees_toggle(struct panels *p)
{
	struct pane *pane = &p->pane[1];
	size_t at = pane->cur < pane->nr ? fold_of(p) : 0;

	if (!pane->nr || !p->lines[at].folds)
		return;
	pane->cur = at;
	p->err = set_fold(p, &p->lines[at], !p->lines[at].open);
	if (!p->err)
		panels_choose(p);
}

void trees_toggle_row(struct panels *p)
{
	struct pane *pane = &p->pane[1];
	size_t at = pane->cur;
	bool open;

	if (!pane->nr)
		return;
	while (p->lines[at].depth)
		at--;
	if (!p->lines[at].folds)
		return;
	open = !p->lines[at].open;
	pane->cur = at;
	p->trees.whole = open ? p->lines[at].id : 0;
	p->err = set_fold(p, &p->lines[at], open);
	if (!p->err)
		panels_choose(p);
	p->trees.whole = 0;
}

void trees_fold_all(struct panels *p, bool open)
{
	struct pane *pane = &p->pane[1];
	size_t at = pane->cur;

	/* what is chosen may be no more */
	while (pane->nr && p->lines[at].depth)
		at--;
	pane->cur = at;
	hash_deinit(&p->trees.folds);
	memset(&p->trees.folds, 0, sizeof(p->trees.folds));
	p->trees.all = open;
	panels_choose(p);
}

void trees_turn(struct panels *p)
{
	if (!p->trees.tree)
		return;
	p->trees.callee = !p->trees.callee;
	panels_choose(p);
}

void panels_chains(struct panels *p, const struct trees *how)
{
	p->trees.tree = how->tree;
	p->trees.slices = how->slices;
	p->trees.waits = how->waits;
	p->trees.callee = how->callee;
	p->trees.children = how->children;
	p->trees.percent = how->percent;
	panels_refresh(p);
}
