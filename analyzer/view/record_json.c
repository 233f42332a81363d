// SPDX-License-Identifier: GPL-2.0-only
/* Records as JSON, an object each line, by script.schema.json. */

#include "view/json.h"
#include "view/record_text.h"
#include "view/record_text_internal.h"
#include "view/safe.h"

static void put_field(struct line *l, struct json_out *j, unsigned int field)
{
	const struct record_field *f = &record_fields[field];
	const char *key = f->key ? f->key : f->name;
	char raw[VALUE_MAX] = "", text[VALUE_MAX * 4];

	l->buf = raw;
	f->put(l);
	if (raw[0] && f->kind == FIELD_NUMBER) {
		json_out_digits(j, key, raw);
	} else if (raw[0]) {
		safe_text(text, sizeof(text), raw);
		json_out_string(j, key, text);
	} else if (l->v->nr_fields) {
		json_out_null(j, key);
	}
}

void record_json(struct line *l)
{
	const struct record_view *v = l->v;
	struct json_out j;
	unsigned int i;

	json_out_init(&j, v->out);
	j.one_line = true;
	json_out_object(&j, NULL);
	json_out_u64(&j, "schema", 1);
	json_out_string(&j, "kind", "vmmprof-script");
	for (i = 0; v->nr_fields ? i < v->nr_fields : !!record_fields[i].name;
	     i++)
		put_field(l, &j, v->nr_fields ? v->fields[i] : i);
	json_out_object_end(&j);
}
