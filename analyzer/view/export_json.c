// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exports as JSON: our own, by analyzer/view/export.schema.json, and the one
 * of https://www.speedscope.app, by its file-format-schema.json.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/export.h"
#include "view/json.h"
#include "base/saturate.h"
#include "base/vec.h"
#include <vmmprof/version.h>

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
	json_out_begin(&j, out, "vmmprof-export", 1);
	json_out_string(&j, "hostname", host);
	put_time(&j, "start_ns", x->real_ns);
	put_time(&j, "duration_ns", x->duration_ns);
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

/* Frames of speedscope: a name and the file it is of. */
struct frames {
	struct hash ids; /* name << 32 | file + 1 -> number */
	__u64 *list;
	size_t nr, cap;
};

static __u64 frame_key(__u32 name, __u32 file)
{
	return (__u64)name << 32 | (__u32)(file + 1);
}

static __u32 frame_id(const struct frames *f, __u32 name, __u32 file)
{
	return hash_get(&f->ids, frame_key(name, file));
}

static int add_frame(struct frames *f, __u32 name, __u32 file)
{
	int err;

	if (name == VMMPROF_NONE || frame_id(f, name, file) != VMMPROF_NONE)
		return 0;
	err = vec_grow(&f->list, &f->cap, f->nr, sizeof(*f->list));
	if (!err)
		err = hash_set(&f->ids, frame_key(name, file), f->nr);
	if (!err)
		f->list[f->nr++] = frame_key(name, file);
	return err;
}

static void put_frames(const struct export_data *x, struct json_out *j,
		       const struct frames *f)
{
	size_t i;

	json_out_object(j, "shared");
	json_out_array(j, "frames");
	for (i = 0; i < f->nr; i++) {
		json_out_object(j, NULL);
		json_out_string(j, "name", export_name(x, f->list[i] >> 32));
		if ((__u32)f->list[i])
			json_out_string(j, "file",
					export_name(x, (__u32)f->list[i] - 1));
		json_out_object_end(j);
	}
	json_out_array_end(j);
	json_out_object_end(j);
}

/* One profile: parts of the entries of one vCPU, or of the host. */
static void put_profile(const struct export_data *x, struct json_out *j,
			const struct frames *f, size_t from, size_t end)
{
	const struct time_series_part *p = x->over->parts;
	const struct entry *e = export_entry(x, from);
	char vcpu[16], name[4200];
	__u64 sum = 0;
	size_t i;

	export_vcpu(e, vcpu, sizeof(vcpu));
	snprintf(name, sizeof(name), "%s%s%s", export_name(x, e->guest),
		 e->vcpu == VMMPROF_NONE ? "" : " ",
		 e->vcpu == VMMPROF_NONE ? "" : vcpu);
	for (i = from; i < end; i++)
		sat_sum(&sum, p[i].samples);
	json_out_object(j, NULL);
	json_out_string(j, "type", "sampled");
	json_out_string(j, "name", name);
	json_out_string(j, "unit", "none");
	json_out_u64(j, "startValue", 0);
	json_out_u64(j, "endValue", sum);
	json_out_array(j, "samples");
	for (i = from; i < end; i++) {
		e = export_entry(x, i);
		json_out_array(j, NULL);
		if (e->process != VMMPROF_NONE)
			json_out_u64(j, NULL,
				     frame_id(f, e->process, VMMPROF_NONE));
		json_out_u64(j, NULL, frame_id(f, e->function, e->module));
		if (e->thief != VMMPROF_NONE)
			json_out_u64(j, NULL,
				     frame_id(f, e->thief, VMMPROF_NONE));
		json_out_array_end(j);
	}
	json_out_array_end(j);
	json_out_array(j, "weights");
	for (i = from; i < end; i++)
		json_out_u64(j, NULL, p[i].samples);
	json_out_array_end(j);
	json_out_object_end(j);
}

static void put_profiles(const struct export_data *x, struct json_out *j,
			 const struct frames *f)
{
	size_t i, nr;

	json_out_array(j, "profiles");
	for (i = 0; i < x->over->nr; i += nr) {
		nr = export_vcpu_parts(x, i);
		put_profile(x, j, f, i, i + nr);
	}
	json_out_array_end(j);
}

int export_speedscope(const struct export_data *x, FILE *out)
{
	const struct entries *es = x->entries;
	struct frames f = { 0 };
	struct json_out j;
	size_t i;
	int err = 0;

	for (i = 0; i < es->nr && !err; i++) {
		err = add_frame(&f, es->entries[i].process, VMMPROF_NONE);
		if (!err)
			err = add_frame(&f, es->entries[i].function,
					es->entries[i].module);
		if (!err)
			err = add_frame(&f, es->entries[i].thief, VMMPROF_NONE);
	}
	if (err)
		goto out;
	json_out_init(&j, out);
	json_out_object(&j, NULL);
	json_out_string(&j, "$schema",
			"https://www.speedscope.app/file-format-schema.json");
	json_out_string(&j, "exporter", "vmmprof " VMMPROF_VERSION);
	json_out_string(&j, "name", x->event);
	put_frames(x, &j, &f);
	put_profiles(x, &j, &f);
	json_out_object_end(&j);
out:
	hash_deinit(&f.ids);
	free(f.list);
	return err;
}
