// SPDX-License-Identifier: GPL-2.0-only
/* Draws trees of chains with bars and percentages. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "view/chain_names.h"
#include "view/chain_text.h"

#define MARGIN "            "

const char *chain_order_word(int i)
{
	static const char *const words[NR_CHAIN_ORDERS] = { "none", "caller",
							    "callee",
							    "folded" };

	return i < NR_CHAIN_ORDERS ? words[i] : NULL;
}

/* In percent of what the text's whole is. */
static double share(const struct chain_text *t, __u64 samples)
{
	return t->whole > 0 ? 100 * samples / t->whole : 0;
}

/* What stands left of a line: a letter for each level. */
struct bars {
	int indent;
	char *level; /* '|': the branches go on; ' ': the last of them */
	size_t nr, cap;
};

static void put_bars(const struct chain_text *t, const struct bars *b)
{
	size_t i;

	fprintf(t->out, "%s%*s", MARGIN, b->indent, "");
	for (i = 0; i < b->nr; i++)
		fprintf(t->out, "%c          ", b->level[i]);
}

static void put_name(const struct chain_text *t, const struct chain_tree *tree,
		     __u32 frame)
{
	char name[NAME_TEXT_BYTES];

	chain_frame_name(t->names, &tree->frames[frame], name, sizeof(name));
	fprintf(t->out, "%s\n", name);
}

/* Children that have a line of their own; those behind are few. */
static __u32 first_small(const struct chain_text *t, const struct chain_view *v,
			 __u32 child, size_t *nr, __u64 *rest)
{
	__u32 i = child;

	while (i != VMMPROF_NONE && (share(t, v->nodes[i].total) >= t->least ||
				     v->nodes[i].total >= t->row / 10 + 1))
		i = v->nodes[i].next;
	child = i;
	for (*nr = 0, *rest = 0; i != VMMPROF_NONE; i = v->nodes[i].next) {
		++*nr;
		*rest += v->nodes[i].total;
	}
	return child;
}

static int put_below(struct chain_text *t, const struct chain_tree *tree,
		     const struct chain_view *v, __u32 node, struct bars *b);

/* "|--12.34%--" and the names of a branch up to where it parts. */
static int put_branch(struct chain_text *t, const struct chain_tree *tree,
		      const struct chain_view *v, __u32 node, struct bars *b,
		      bool last)
{
	__u32 next;
	int err;

	put_bars(t, b);
	fprintf(t->out, "%c--%.2f%%--", last ? ' ' : '|',
		share(t, v->nodes[node].total));
	put_name(t, tree, v->nodes[node].frame);
	b->level[b->nr++] = last ? ' ' : '|';
	while ((next = chain_view_only(v, node)) != VMMPROF_NONE) {
		node = next;
		put_bars(t, b);
		put_name(t, tree, v->nodes[node].frame);
	}
	err = put_below(t, tree, v, node, b);
	b->nr--;
	return err;
}

static void put_rest(struct chain_text *t, struct bars *b, size_t nr,
		     __u64 rest)
{
	put_bars(t, b);
	fputs("|\n", t->out);
	put_bars(t, b);
	fprintf(t->out, " --%.2f%%--[%zu more]\n", share(t, rest), nr);
}

/* The branches below a node. */
static int put_below(struct chain_text *t, const struct chain_tree *tree,
		     const struct chain_view *v, __u32 node, struct bars *b)
{
	__u32 child = v->nodes[node].first, small, next;
	__u64 rest;
	size_t nr;
	int err = 0;

	small = first_small(t, v, child, &nr, &rest);
	if (vec_grow(&b->level, &b->cap, b->nr, 1))
		return -ENOMEM;
	for (; child != small && !err; child = next) {
		next = v->nodes[child].next;
		put_bars(t, b);
		fputs("|\n", t->out);
		err = put_branch(t, tree, v, child, b, next == VMMPROF_NONE);
	}
	if (!err && nr)
		put_rest(t, b, nr, rest);
	return err;
}

/* The frames that all chains have, then their branches. */
static int put_graph(struct chain_text *t, const struct chain_tree *tree,
		     const struct chain_view *v)
{
	const char *before = "---";
	struct bars b = { 0 };
	__u32 node = 0, next;
	int err;

	if (chain_view_only(v, 0) != VMMPROF_NONE)
		fputs(MARGIN "|\n", t->out);
	while ((next = chain_view_only(v, node)) != VMMPROF_NONE) {
		node = next;
		fprintf(t->out, MARGIN "%s", before);
		put_name(t, tree, v->nodes[node].frame);
		before = "   ";
	}
	b.indent = node ? 3 : 0; /* below the names */
	err = put_below(t, tree, v, node, &b);
	free(b.level);
	fputc('\n', t->out);
	return err;
}

/* A name, without the character that ends a frame, behind the text so far. */
static int add_name(char **text, size_t *cap, size_t *len, const char *name)
{
	size_t room = *len + 4 * strlen(name) + 2;
	int err = 0;

	while (room > *cap && !err)
		err = vec_grow(text, cap, *cap, 1);
	if (err)
		return err;
	if (*len)
		(*text)[(*len)++] = ';';
	for (; *name; name++) {
		if (*name == ';')
			*len += sprintf(*text + *len, "\\x3b");
		else
			(*text)[(*len)++] = *name;
	}
	(*text)[*len] = '\0';
	return 0;
}

/* Chains that end at a node or below, with the names before it. */
static int put_folded(struct chain_text *t, const struct chain_tree *tree,
		      const struct chain_view *v, __u32 node, char **text,
		      size_t *cap, size_t len)
{
	char name[NAME_TEXT_BYTES];
	__u32 child;
	int err = 0;

	if (node) {
		chain_frame_name(t->names, &tree->frames[v->nodes[node].frame],
				 name, sizeof(name));
		err = add_name(text, cap, &len, name);
		if (err)
			return err;
	}
	if (v->nodes[node].self && t->khz)
		fprintf(t->out, "%9.3f  %.*s\n",
			v->nodes[node].self / (t->khz * 1000.0), (int)len,
			*text ? *text : "");
	else if (v->nodes[node].self)
		fprintf(t->out, "%7llu  %.*s\n", v->nodes[node].self, (int)len,
			*text ? *text : "");
	child = v->nodes[node].first;
	for (; child != VMMPROF_NONE && !err; child = v->nodes[child].next)
		err = put_folded(t, tree, v, child, text, cap, len);
	return err;
}

static int put_view(struct chain_text *t, const struct chain_tree *tree,
		    const struct chain_view *v)
{
	char *text = NULL;
	size_t cap = 0;
	int err;

	t->row = v->nodes[0].total;
	if (!t->row)
		return 0;
	if (t->order == CHAIN_FOLDED)
		err = put_folded(t, tree, v, 0, &text, &cap, 0);
	else
		err = put_graph(t, tree, v);
	free(text);
	return err;
}

int chain_text_row(struct chain_text *t, const struct chain_rows *c, size_t row)
{
	struct chain_view v;
	int err;

	err = chain_view_init(&v);
	if (!err)
		err = chain_view_row(&v, c, row, t->order == CHAIN_CALLEE);
	if (!err)
		err = put_view(t, c->tree, &v);
	chain_view_deinit(&v);
	return err;
}

int chain_text_time(struct chain_text *t, const struct chain_time *c,
		    size_t row)
{
	struct chain_view v;
	int err;

	if (!c->waits)
		return 0;
	err = chain_view_init(&v);
	if (!err)
		err = chain_time_row(&v, c, row, t->order == CHAIN_CALLEE);
	if (!err)
		err = put_view(t, c->waits->tree, &v);
	chain_view_deinit(&v);
	return err;
}
