// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page of `vmmprof diff --html`: the files of analyzer/view/html that have the
 * flame graph, and the tree of both sessions as JSON.
 */

#include <errno.h>

#include "view/diff_chains.h"
#include "view/html_page.h"
#include "view/packed.h"
#include <vmmprof/version.h>

static void put_session(struct json_out *j, const char *key,
			const struct diff_session *s)
{
	json_out_object(j, key);
	json_out_string(j, "dir", s->dir);
	json_out_string(j, "hostname", s->hostname);
	json_out_string(j, "release", s->release);
	json_out_u64(j, "duration_ns", s->duration_ns);
	json_out_bool(j, "part", s->time);
	json_out_object_end(j);
}

/* Of each node but the root: how far behind its parent, name, A's, B's. */
static int put_nodes(const struct diff *d, struct json_out *j)
{
	const struct diff_tree *t = diff_chains_tree(d);
	const struct diff_node *n;
	struct packed p = { 0 };
	unsigned int s;
	size_t i;

	for (i = 1; i < t->nr; i++) {
		n = &t->nodes[i];
		packed_add(&p, i - n->parent);
		packed_add(&p, n->name);
		for (s = 0; s < 2; s++) {
			packed_add(&p, n->samples[s]);
			if (d->timed)
				packed_add(&p, n->ns[s]);
		}
	}
	return packed_put(&p, j, "nodes");
}

static int put_data(const void *arg, struct json_out *j)
{
	const struct diff *d = arg;
	size_t i;

	json_out_string(j, "version", VMMPROF_VERSION);
	put_session(j, "a", &d->s[0]);
	put_session(j, "b", &d->s[1]);
	json_out_string(j, "event", d->s[0].event);
	json_out_bool(j, "timed", d->timed);
	json_out_bool(j, "chained", d->s[0].chained && d->s[1].chained);
	json_out_array(j, "names");
	for (i = 0; i < d->names.nr; i++)
		json_out_string(j, NULL, strings_get(&d->names, i));
	json_out_array_end(j);
	return put_nodes(d, j);
}

int diff_html(const struct diff *d, FILE *out)
{
	return html_page_write(&html_diff, put_data, d, out);
}
