// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page of `vmmprof report --html`.  What guests wrote is in one place of
 * it, the JSON, where no text can end the element; scripts show it as text.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/html.h"
#include "view/json.h"
#include "view/safe.h"
#include "view/verdict.h"
#include <vmmprof/version.h>

#define COUNTS_MAX 2000000 /* some 3 bytes each */

unsigned int html_step(const struct slices *s)
{
	unsigned int step = 1;

	while (step < VMMPROF_SLICES && s->nr / step > COUNTS_MAX)
		step *= 2;
	return step;
}

static void put_safe(struct json_out *j, const char *key, const char *text)
{
	char buf[NAME_MAX_BYTES];

	safe_text(buf, sizeof(buf), text);
	json_out_string(j, key, buf);
}

static void put_text(struct json_out *j, const struct session *s,
		     const char *key)
{
	char raw[NAME_MAX_BYTES];

	if (text_get(&s->text, key, raw, sizeof(raw)) < 0)
		*raw = '\0';
	put_safe(j, key, raw);
}

static void put_session(const struct export_data *x, struct json_out *j)
{
	const struct report *r = x->r;
	const struct session *s = &r->a->session;
	size_t i;

	json_out_object(j, "session");
	put_safe(j, "dir", r->dir);
	put_text(j, s, "hostname");
	put_text(j, s, "release");
	put_text(j, s, "command");
	json_out_string(j, "event", x->event);
	json_out_u64(j, "duration_ns", x->duration_ns);
	json_out_u64(j, "period_ns", x->period_ns);
	json_out_u64(j, "start_ns", x->real_ns);
	json_out_u64(j, "cpus", s->nr_cpus);
	json_out_bool(j, "complete", s->complete);
	json_out_u64(j, "read", r->a->counts.samples);
	json_out_u64(j, "sum", r->account.sum);
	json_out_u64(j, "lost", r->a->counts.lost);
	json_out_bool(j, "adds_up", r->account.adds_up && r->account.complete);
	json_out_array(j, "warnings");
	for (i = 0; i < s->problems.nr; i++)
		put_safe(j, NULL, s->problems.line[i]);
	json_out_array_end(j);
	json_out_object_end(j);
}

static void put_names(const struct export_data *x, struct json_out *j)
{
	const struct entries *es = x->entries;
	struct names names = x->r->names;
	char name[NAME_MAX_BYTES];
	size_t i;

	json_out_array(j, "machines");
	for (i = 0; i <= x->r->a->resolver.guests.nr; i++) {
		name_machine(&names, i, name, sizeof(name));
		json_out_string(j, NULL, name);
	}
	json_out_array_end(j);
	json_out_array(j, "names");
	for (i = 0; i < es->names.nr; i++)
		json_out_string(j, NULL, strings_get(&es->names, i));
	json_out_array_end(j);
}

/* [VM, its verdict in words], who lost most first. */
static int put_verdicts(const struct html_data *d, struct json_out *j)
{
	const struct timeline *tl = d->slices->tl;
	char text[VERDICT_TEXT];
	struct verdicts v = { 0 };
	size_t i;
	int err;

	err = verdicts_init(&v, tl, timeline_exact(tl));
	json_out_array(j, "verdicts");
	for (i = 0; !err && i < v.nr; i++) {
		__u32 vm = 1 + v.verdicts[i].guest;

		if (!report_has(d->x->r, vm))
			continue;
		verdict_text(&v, i, text, sizeof(text));
		json_out_array(j, NULL);
		json_out_u64(j, NULL, vm);
		json_out_string(j, NULL, text);
		json_out_array_end(j);
	}
	json_out_array_end(j);
	verdicts_deinit(&v);
	return err;
}

static int put_data(const void *arg, struct json_out *j)
{
	const struct html_data *d = arg;
	int err;

	json_out_string(j, "version", VMMPROF_VERSION);
	put_session(d->x, j);
	put_names(d->x, j);
	err = html_samples(d, j, "samples");
	if (!err)
		err = html_time(d, j, "time");
	if (!err)
		err = put_verdicts(d, j);
	if (d->why)
		json_out_string(j, "why", d->why);
	if (!err)
		err = html_code(d->code, j, "code");
	return err;
}

int html_write(const struct html_data *d, FILE *out)
{
	return html_page_write(&html_report, put_data, d, out);
}
