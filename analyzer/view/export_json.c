// SPDX-License-Identifier: GPL-2.0-only
/* The export as JSON, by analyzer/view/export.schema.json. */

#include <string.h>

#include "view/export.h"
#include "view/json.h"
#include "view/time_text.h"

static void put_number(struct json_out *j, const char *key, __u32 v)
{
	if (v == VMMPROF_NONE)
		json_out_null(j, key);
	else
		json_out_u64(j, key, v);
}

static void put_name(struct json_out *j, const char *key, const char *value)
{
	if (value)
		json_out_string(j, key, value);
	else
		json_out_null(j, key);
}

static void put_time(struct json_out *j, const char *key, __u64 ns)
{
	if (ns)
		json_out_u64(j, key, ns);
	else
		json_out_null(j, key);
}

static void put_entry(const struct export_data *x, struct json_out *j,
		      const struct entry *e)
{
	json_out_object(j, NULL);
	json_out_string(j, "guest", export_name(x, e->guest));
	json_out_u64(j, "vm", e->machine);
	put_number(j, "vcpu", e->vcpu);
	put_name(j, "process",
		 e->process == VMMPROF_NONE ? NULL :
					      export_name(x, e->process));
	put_number(j, "pid", e->pid);
	json_out_string(j, "module", export_name(x, e->module));
	json_out_string(j, "function", export_name(x, e->function));
	put_name(j, "mode", entry_mode_key(e));
	json_out_string(j, "state", entry_state_key(e->state));
	if (e->cause)
		json_out_string(j, "unresolved", cause_key(e->cause));
	if (e->thief != VMMPROF_NONE)
		json_out_string(j, "thief", export_name(x, e->thief));
	json_out_u64(j, "samples", e->samples);
	if (x->timed && x->khz)
		json_out_u64(j, "time_ns", e->ns);
	else
		json_out_null(j, "time_ns");
	json_out_object_end(j);
}

int export_json(const struct export_data *x, FILE *out)
{
	const struct session *s = &x->r->a->session;
	char host[256];
	struct json_out j;
	size_t i;

	if (text_get(&s->text, "hostname", host, sizeof(host)) < 0)
		*host = '\0';
	json_out_begin(&j, out, "vmmprof-export", 2);
	json_out_string(&j, "hostname", host);
	put_time(&j, "start_ns", x->real_ns);
	put_time(&j, "duration_ns", x->duration_ns);
	time_text_json(x->r->a, &j);
	json_out_string(&j, "event", x->event);
	put_time(&j, "period_ns", x->period_ns);
	json_out_bool(&j, "host_time", x->timed);
	json_out_u64(&j, "samples", x->entries->samples);
	json_out_array(&j, "entries");
	for (i = 0; i < x->entries->nr; i++)
		put_entry(x, &j, &x->entries->entries[i]);
	json_out_array_end(&j);
	json_out_object_end(&j);
	return 0;
}
