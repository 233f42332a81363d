// SPDX-License-Identifier: GPL-2.0-only
/* The instructions of the hottest functions, for the page. */

#include <string.h>

#include "view/html.h"
#include "view/safe.h"

#define FUNCTIONS 40
#define LINES	  1500 /* of one; what is far from any sample is left out */
#define NEAR	  12
#define TEXT_MAX  512

bool html_code_wants(void *arg, const struct bucket_key *key)
{
	const struct report *r = arg;
	struct selection sel = report_selection(r, key->guest);

	return report_has(r, key->guest) &&
	       (sel.event == VMMPROF_ANY || key->event == sel.event);
}

/* [address behind the first, samples, instruction, source, its text, target] */
static void put_line(const struct annotate *an, struct json_out *j,
		     const struct annotated *x, size_t i)
{
	const struct annotate_line *line = &x->lines[i];
	char text[TEXT_MAX];

	json_out_array(j, NULL);
	json_out_u64(j, NULL, line->insn.addr - x->place->start);
	json_out_u64(j, NULL, line->samples);
	json_out_string(j, NULL,
			line->kind == LINE_INSN ? line->insn.text : "");
	json_out_string(j, NULL,
			annotate_source(x, i, text, sizeof(text)) ? text : "");
	json_out_string(j, NULL,
			annotate_source_text(x, i, text, sizeof(text)) ? text :
									 "");
	json_out_string(j, NULL,
			annotate_target(an, x, i, text, sizeof(text)) ? text :
									"");
	json_out_array_end(j);
}

/* Is a sample at line i, or near it? */
static bool near(const struct annotated *x, size_t i)
{
	size_t k = i > NEAR ? i - NEAR : 0;

	for (; k < x->nr && k <= i + NEAR; k++)
		if (x->lines[k].samples)
			return true;
	return false;
}

static void put_lines(const struct annotate *an, struct json_out *j,
		      const struct annotated *x)
{
	bool all = x->nr <= LINES;
	size_t i, nr = 0;

	json_out_array(j, "lines");
	for (i = 0; i < x->nr; i++) {
		if (nr < LINES && (all || near(x, i))) {
			put_line(an, j, x, i);
			nr++;
		}
	}
	json_out_array_end(j);
	json_out_u64(j, "left_out", x->nr - nr);
}

static void put_place(const struct annotate *an, struct json_out *j,
		      const struct annotated *x)
{
	struct bucket_key key = x->place->key;
	struct names *names = &an->report->names;
	char text[4096];

	key.proc = VMMPROF_NONE;
	json_out_object(j, NULL);
	json_out_u64(j, "machine", key.guest);
	name_module(names, &key, text, sizeof(text));
	json_out_string(j, "module", text);
	name_function(names, &key, text, sizeof(text));
	json_out_string(j, "function", text);
	json_out_u64(j, "samples", x->place->samples);
	safe_text(text, sizeof(text),
		  x->found.code.size ? x->found.from : x->found.why);
	json_out_string(j, x->found.code.size ? "from" : "why", text);
	put_lines(an, j, x);
	json_out_object_end(j);
}

int html_code(const struct annotate *an, struct json_out *j, const char *key)
{
	size_t i, nr = an->places.nr;
	struct annotated x;
	int err = 0;

	json_out_array(j, key);
	for (i = 0; i < nr && i < FUNCTIONS && !err; i++) {
		err = annotated_init(&x, an, &an->places.places[i]);
		if (!err)
			put_place(an, j, &x);
		annotated_deinit(&x);
	}
	json_out_array_end(j);
	return err;
}
