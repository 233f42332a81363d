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
#include <vmmprof/version.h>

#define NAME_MAX_BYTES 4096
#define WIDTH_MAX      600
#define WIDTH_MIN      60
#define CELLS	       60000 /* in all rows, while they have WIDTH_MIN */

unsigned int html_width(size_t vcpus)
{
	size_t width = CELLS / (vcpus ? vcpus : 1);

	if (width > WIDTH_MAX)
		return WIDTH_MAX;
	return width < WIDTH_MIN ? WIDTH_MIN : width;
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

/* -1 stands for what there is not. */
static void put_number(struct json_out *j, __u32 v)
{
	json_out_fixed(j, NULL, v == VMMPROF_NONE ? -1 : (double)v, 0);
}

static void put_entry(struct json_out *j, const struct entry *e)
{
	const char *mode = entry_mode_key(e);

	json_out_array(j, NULL);
	json_out_u64(j, NULL, e->machine);
	put_number(j, e->vcpu);
	put_number(j, e->process);
	put_number(j, e->pid);
	json_out_u64(j, NULL, e->module);
	json_out_u64(j, NULL, e->function);
	json_out_string(j, NULL, mode ? mode : "-");
	json_out_string(j, NULL, entry_state_key(e->state));
	json_out_u64(j, NULL, e->samples);
	json_out_array_end(j);
}

static void put_entries(const struct export_data *x, struct json_out *j)
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
	json_out_array(j, "entries");
	for (i = 0; i < es->nr; i++)
		put_entry(j, &es->entries[i]);
	json_out_array_end(j);
}

static int put_data(const struct export_data *x, const struct slots *slots,
		    const char *why, FILE *out)
{
	struct json_out j;
	int err = 0;

	json_out_init(&j, out);
	j.in_html = true;
	json_out_object(&j, NULL);
	json_out_string(&j, "version", VMMPROF_VERSION);
	put_session(x, &j);
	json_out_bool(&j, "host_time", x->timed);
	put_entries(x, &j);
	if (slots)
		err = html_timeline(slots, &j, "timeline");
	else
		json_out_string(&j, "no_timeline", why);
	json_out_object_end(&j);
	return err;
}

static void put_file(const struct html_file *f, FILE *out)
{
	fwrite(f->begin, 1, f->end - f->begin, out);
}

int html_write(const struct export_data *x, const struct slots *slots,
	       const char *why, FILE *out)
{
	const char *p = html_page.begin, *end = html_page.end;
	const char *line_end;
	size_t len;
	unsigned int i;
	int err = 0;

	for (; p < end && !err; p = line_end) {
		line_end = memchr(p, '\n', end - p);
		line_end = line_end ? line_end + 1 : end;
		len = line_end - p;
		if (len == 8 && !memcmp(p, "@STYLE@\n", len))
			put_file(&html_style, out);
		else if (len == 7 && !memcmp(p, "@DATA@\n", len))
			err = put_data(x, slots, why, out);
		else if (len == 10 && !memcmp(p, "@SCRIPTS@\n", len))
			for (i = 0; i < html_nr_scripts; i++)
				put_file(&html_scripts[i], out);
		else
			fwrite(p, 1, len, out);
	}
	return err;
}
