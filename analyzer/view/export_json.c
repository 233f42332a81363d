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

static void put_number(struct vmmprof_json *j, const char *key, __u32 v)
{
	if (v == VMMPROF_NONE)
		vmmprof_json_null(j, key);
	else
		vmmprof_json_u64(j, key, v);
}

static void put_name(struct vmmprof_json *j, const char *key, const char *value)
{
	if (value)
		vmmprof_json_string(j, key, value);
	else
		vmmprof_json_null(j, key);
}

static void put_time(struct vmmprof_json *j, const char *key, __u64 ns)
{
	if (ns)
		vmmprof_json_u64(j, key, ns);
	else
		vmmprof_json_null(j, key);
}

static void put_entry(const struct vmmprof_export *x, struct vmmprof_json *j,
		      const struct vmmprof_entry *e)
{
	vmmprof_json_object(j, NULL);
	vmmprof_json_string(j, "guest", vmmprof_export_name(x, e->guest));
	vmmprof_json_u64(j, "vm", e->machine);
	put_number(j, "vcpu", e->vcpu);
	put_name(j, "process",
		 e->process == VMMPROF_NONE ?
			 NULL :
			 vmmprof_export_name(x, e->process));
	put_number(j, "pid", e->pid);
	vmmprof_json_string(j, "module", vmmprof_export_name(x, e->module));
	vmmprof_json_string(j, "function", vmmprof_export_name(x, e->function));
	put_name(j, "mode", vmmprof_entry_mode_key(e));
	vmmprof_json_string(j, "state", vmmprof_entry_state_key(e->state));
	if (e->cause)
		vmmprof_json_string(j, "unresolved",
				    vmmprof_cause_key(e->cause));
	vmmprof_json_u64(j, "samples", e->samples);
	vmmprof_json_object_end(j);
}

int vmmprof_export_json(const struct vmmprof_export *x, FILE *out)
{
	const struct vmmprof_session *s = &x->r->a->session;
	char host[256];
	struct vmmprof_json j;
	size_t i;

	if (vmmprof_text_get(&s->text, "hostname", host, sizeof(host)) < 0)
		*host = '\0';
	vmmprof_json_init(&j, out);
	vmmprof_json_object(&j, NULL);
	vmmprof_json_u64(&j, "schema", 1);
	vmmprof_json_string(&j, "kind", "vmmprof-export");
	vmmprof_json_string(&j, "hostname", host);
	put_time(&j, "start_ns", x->real_ns);
	put_time(&j, "duration_ns", x->duration_ns);
	vmmprof_json_string(&j, "event", x->event);
	put_time(&j, "period_ns", x->period_ns);
	vmmprof_json_bool(&j, "host_time", x->timed);
	vmmprof_json_u64(&j, "samples", x->entries->samples);
	vmmprof_json_array(&j, "entries");
	for (i = 0; i < x->entries->nr; i++)
		put_entry(x, &j, &x->entries->entries[i]);
	vmmprof_json_array_end(&j);
	vmmprof_json_object_end(&j);
	return 0;
}

/* Frames of speedscope: a name and the file it is of. */
struct frames {
	struct vmmprof_hash ids; /* name << 32 | file + 1 -> number */
	__u64 *list;
	size_t nr, cap;
};

static __u64 frame_key(__u32 name, __u32 file)
{
	return (__u64)name << 32 | (__u32)(file + 1);
}

static __u32 frame_id(const struct frames *f, __u32 name, __u32 file)
{
	return vmmprof_hash_get(&f->ids, frame_key(name, file));
}

static int add_frame(struct frames *f, __u32 name, __u32 file)
{
	int err;

	if (name == VMMPROF_NONE || frame_id(f, name, file) != VMMPROF_NONE)
		return 0;
	err = vmmprof_vec_grow(&f->list, &f->cap, f->nr, sizeof(*f->list));
	if (!err)
		err = vmmprof_hash_set(&f->ids, frame_key(name, file), f->nr);
	if (!err)
		f->list[f->nr++] = frame_key(name, file);
	return err;
}

static void put_frames(const struct vmmprof_export *x, struct vmmprof_json *j,
		       const struct frames *f)
{
	size_t i;

	vmmprof_json_object(j, "shared");
	vmmprof_json_array(j, "frames");
	for (i = 0; i < f->nr; i++) {
		vmmprof_json_object(j, NULL);
		vmmprof_json_string(j, "name",
				    vmmprof_export_name(x, f->list[i] >> 32));
		if ((__u32)f->list[i])
			vmmprof_json_string(
				j, "file",
				vmmprof_export_name(x, (__u32)f->list[i] - 1));
		vmmprof_json_object_end(j);
	}
	vmmprof_json_array_end(j);
	vmmprof_json_object_end(j);
}

/* One profile: parts of the entries of one vCPU, or of the host. */
static void put_profile(const struct vmmprof_export *x, struct vmmprof_json *j,
			const struct frames *f, size_t from, size_t end)
{
	const struct vmmprof_overtime_part *p = x->over->parts;
	const struct vmmprof_entry *e = vmmprof_export_entry(x, from);
	char vcpu[16], name[4200];
	__u64 sum = 0;
	size_t i;

	vmmprof_export_vcpu(e, vcpu, sizeof(vcpu));
	snprintf(name, sizeof(name), "%s%s%s", vmmprof_export_name(x, e->guest),
		 e->vcpu == VMMPROF_NONE ? "" : " ",
		 e->vcpu == VMMPROF_NONE ? "" : vcpu);
	for (i = from; i < end; i++)
		vmmprof_sum(&sum, p[i].samples);
	vmmprof_json_object(j, NULL);
	vmmprof_json_string(j, "type", "sampled");
	vmmprof_json_string(j, "name", name);
	vmmprof_json_string(j, "unit", "none");
	vmmprof_json_u64(j, "startValue", 0);
	vmmprof_json_u64(j, "endValue", sum);
	vmmprof_json_array(j, "samples");
	for (i = from; i < end; i++) {
		e = vmmprof_export_entry(x, i);
		vmmprof_json_array(j, NULL);
		if (e->process != VMMPROF_NONE)
			vmmprof_json_u64(j, NULL,
					 frame_id(f, e->process, VMMPROF_NONE));
		vmmprof_json_u64(j, NULL, frame_id(f, e->function, e->module));
		vmmprof_json_array_end(j);
	}
	vmmprof_json_array_end(j);
	vmmprof_json_array(j, "weights");
	for (i = from; i < end; i++)
		vmmprof_json_u64(j, NULL, p[i].samples);
	vmmprof_json_array_end(j);
	vmmprof_json_object_end(j);
}

static void put_profiles(const struct vmmprof_export *x, struct vmmprof_json *j,
			 const struct frames *f)
{
	size_t i, nr;

	vmmprof_json_array(j, "profiles");
	for (i = 0; i < x->over->nr; i += nr) {
		nr = vmmprof_export_vcpu_parts(x, i);
		put_profile(x, j, f, i, i + nr);
	}
	vmmprof_json_array_end(j);
}

int vmmprof_export_speedscope(const struct vmmprof_export *x, FILE *out)
{
	const struct vmmprof_entries *es = x->entries;
	struct frames f = { 0 };
	struct vmmprof_json j;
	size_t i;
	int err = 0;

	for (i = 0; i < es->nr && !err; i++) {
		err = add_frame(&f, es->entries[i].process, VMMPROF_NONE);
		if (!err)
			err = add_frame(&f, es->entries[i].function,
					es->entries[i].module);
	}
	if (err)
		goto out;
	vmmprof_json_init(&j, out);
	vmmprof_json_object(&j, NULL);
	vmmprof_json_string(
		&j, "$schema",
		"https://www.speedscope.app/file-format-schema.json");
	vmmprof_json_string(&j, "exporter", "vmmprof " VMMPROF_VERSION);
	vmmprof_json_string(&j, "name", x->event);
	put_frames(x, &j, &f);
	put_profiles(x, &j, &f);
	vmmprof_json_object_end(&j);
out:
	vmmprof_hash_deinit(&f.ids);
	free(f.list);
	return err;
}
