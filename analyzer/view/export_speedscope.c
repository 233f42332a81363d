// SPDX-License-Identifier: GPL-2.0-only
/*
 * Export for https://www.speedscope.app, by its file-format-schema.json: a
 * profile for each vCPU and one for the host, all on one axis, of the time since
 * the measurement began.  Where nothing was sampled stands an empty stack.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/export.h"
#include "view/json.h"
#include "base/saturate.h"
#include "base/vec.h"
#include <vmmprof/version.h>

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

/* What a profile is made of: its parts, what a sample weighs, and the axis. */
struct axis {
	size_t from, end; /* in x->over */
	__u64 weight;	  /* of a sample */
	double bin;	  /* width of one; 0: there is no time */
};

/*
 * The host's CPUs have one profile together, so that each of its samples stands
 * for a part of the time.
 */
static __u64 weight_of(const struct export_data *x, const struct entry *e)
{
	size_t cpus = e->machine ? 1 : x->r->a->session.nr_cpus;

	return x->sample_ns > cpus && cpus ? x->sample_ns / cpus : x->sample_ns;
}

/* The time that is still free before the bin of part i begins. */
static __u64 gap(const struct export_data *x, const struct axis *a, size_t i,
		 __u64 at)
{
	double begin = i < a->end ? x->over->parts[i].bin * a->bin :
				    x->over->nr_bins * a->bin;

	return begin >= 1 + (double)at && begin < 1e18 ? (__u64)begin - at : 0;
}

/* All frames of a part from the outermost on. */
static void put_chain(const struct export_data *x, struct json_out *j,
		      const struct frames *f, const struct entry *e, __u32 node)
{
	const struct time_chains *c = x->chains;
	__u32 nodes[CHAIN_FRAMES_MAX], frame;
	size_t i = time_chains_path(c, e, node, nodes);

	while (i-- > 0) {
		frame = c->tree->nodes[nodes[i]].frame;
		json_out_u64(j, NULL,
			     frame_id(f, c->name[frame], c->module[frame]));
	}
}

/* Part i; @x: NULL: nothing was there. */
static void put_stack(const struct export_data *x, struct json_out *j,
		      const struct frames *f, size_t i)
{
	const struct entry *e = x ? export_entry(x, i) : NULL;
	__u32 node = e && x->chains ? x->over->parts[i].node : 0;

	json_out_array(j, NULL);
	if (e && e->process != VMMPROF_NONE)
		json_out_u64(j, NULL, frame_id(f, e->process, VMMPROF_NONE));
	if (node)
		put_chain(x, j, f, e, node);
	else if (e)
		json_out_u64(j, NULL, frame_id(f, e->function, e->module));
	if (e && e->thief != VMMPROF_NONE && !node)
		json_out_u64(j, NULL, frame_id(f, e->thief, VMMPROF_NONE));
	json_out_array_end(j);
}

/*
 * The stacks (@f), or the weights (NULL), of a profile.  A bin that has more
 * than it has time for moves what follows on, until there is a gap.
 * Returns where it ends.
 */
static __u64 put_parts(const struct export_data *x, struct json_out *j,
		       const struct axis *a, const struct frames *f)
{
	const struct time_series_part *p = x->over->parts;
	struct ns_sum sums[STEAL_COLUMNS] = { { 0 } };
	__u64 at = 0, free, weight;
	size_t i;

	for (i = a->from; i <= a->end; i++) {
		free = a->bin ? gap(x, a, i, at) : 0;
		if (free && f)
			put_stack(NULL, j, f, i);
		else if (free)
			json_out_u64(j, NULL, free);
		at += free;
		if (i == a->end)
			break;
		weight = export_part_weight(x, &p[i], a->weight, sums);
		if (!x->timed)
			weight = sat_mul(weight, a->weight);
		if (!weight)
			continue;
		if (f)
			put_stack(x, j, f, i);
		else
			json_out_u64(j, NULL, weight);
		sat_sum(&at, weight);
	}
	return at;
}

static void put_profile(const struct export_data *x, struct json_out *j,
			const struct frames *f, size_t from, size_t end)
{
	const struct entry *e = export_entry(x, from);
	struct axis a = { .from = from, .end = end, .weight = 1 };
	char vcpu[16], name[4200];
	__u64 sum;

	if (x->timed || (x->period_ns && x->over->bin_ns > 0))
		a.weight = weight_of(x, e);
	if (x->period_ns && x->over->bin_ns > 0)
		a.bin = x->over->bin_ns;
	export_vcpu(e, vcpu, sizeof(vcpu));
	snprintf(name, sizeof(name), "%s%s%s", export_name(x, e->guest),
		 e->vcpu == VMMPROF_NONE ? "" : " ",
		 e->vcpu == VMMPROF_NONE ? "" : vcpu);
	json_out_object(j, NULL);
	json_out_string(j, "type", "sampled");
	json_out_string(j, "name", name);
	json_out_string(j, "unit", a.bin ? "nanoseconds" : "none");
	json_out_u64(j, "startValue", 0);
	json_out_array(j, "samples");
	put_parts(x, j, &a, f);
	json_out_array_end(j);
	json_out_array(j, "weights");
	sum = put_parts(x, j, &a, NULL);
	json_out_array_end(j);
	json_out_u64(j, "endValue", sum);
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
	for (i = 0; x->chains && i < x->chains->tree->nr_frames && !err; i++)
		err = add_frame(&f, x->chains->name[i], x->chains->module[i]);
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
