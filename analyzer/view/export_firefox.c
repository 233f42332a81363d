// SPDX-License-Identifier: GPL-2.0-only
/*
 * Export for https://profiler.firefox.com: its processed profile format,
 * version 60, as docs-developer/CHANGELOG-formats.md and src/types/profile.ts
 * of its source have it; later versions read it.  A process there is a guest
 * here, a thread one of its vCPUs, a category a state.
 *
 * Samples are in the order of time: parts of entries by bins, each as long as
 * its time.  Where the parts of a bin need more time than it has (the
 * host, whose CPUs are one thread), they are shortened.  Time without samples
 * has no stack.
 *
 * Tables are columns of the same length.  A row is identified by a key with all
 * its contents.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/export.h"
#include "view/json.h"
#include "base/saturate.h"
#include "base/vec.h"
#include <vmmprof/version.h>

#define FORMAT_VERSION 60
#define GECKO_VERSION  33
#define LIBRARY	       1    /* a type of resources */
#define INHERITED      0xff /* a frame of the category of its caller */
#define OTHER	       NR_ENTRY_STATES

struct rows {
	struct hash ids; /* key -> number */
	__u64 *keys;	 /* by number */
	size_t nr, cap;
};

struct firefox {
	const struct export_data *x;
	struct json_out j;
	struct rows resources; /* module */
	struct rows funcs;     /* name << 32 | resource + 1 */
	struct rows frames;    /* func << 16 | category << 8 | subcategory */
	struct rows stacks;   /* frame << 32 | prefix + 1; prefix comes first */
	struct hash stack_of; /* entry << 32 | node of the tree of chains */
	struct sample {
		__u32 stack; /* VMMPROF_NONE: none, nobody was there */
		__u64 weight;
		double ms;
	} * samples; /* of one thread */
	size_t nr, cap;
	double until; /* ms: the last of them ends, if none follows before */
	struct ns_sum sums[STEAL_COLUMNS]; /* of the same thread */
};

/* Subcategories: the first must be that; then those of enum mode. */
static const char *const modes[] = { "Other", "kernel", "user", "unknown" };

static int add(struct rows *r, __u64 key, __u32 *id)
{
	int err;

	*id = hash_get(&r->ids, key);
	if (*id != VMMPROF_NONE)
		return 0;
	err = vec_grow(&r->keys, &r->cap, r->nr, sizeof(*r->keys));
	if (!err)
		err = hash_set(&r->ids, key, r->nr);
	if (err)
		return err;
	*id = r->nr;
	r->keys[r->nr++] = key;
	return 0;
}

static void free_rows(struct rows *r)
{
	hash_deinit(&r->ids);
	free(r->keys);
}

/* A frame below *stack (VMMPROF_NONE: the first), which then is its own. */
static int push(struct firefox *f, __u32 name, __u32 module,
		unsigned int category, unsigned int subcategory, __u32 *stack)
{
	__u32 resource = VMMPROF_NONE, func, frame;
	int err = 0;

	if (module != VMMPROF_NONE)
		err = add(&f->resources, module, &resource);
	if (!err)
		err = add(&f->funcs, (__u64)name << 32 | (__u32)(resource + 1),
			  &func);
	if (!err)
		err = add(&f->frames,
			  (__u64)func << 16 | category << 8 | subcategory,
			  &frame);
	if (!err)
		err = add(&f->stacks, (__u64)frame << 32 | (__u32)(*stack + 1),
			  stack);
	return err;
}

/* The frames of a chain; those of a guest are in it, whoever was hit. */
static int push_chain(struct firefox *f, const struct entry *e, __u32 node,
		      __u32 *stack)
{
	const struct time_chains *c = f->x->chains;
	unsigned int host = entry_is_time(e) ? e->state : ENTRY_HOST, category;
	__u32 nodes[CHAIN_FRAMES_MAX], at;
	const struct chain_frame *fr;
	size_t i = time_chains_path(c, e, node, nodes);
	bool stopped = false;
	int err = 0;

	while (i-- > 0 && !err) {
		at = c->tree->nodes[nodes[i]].frame;
		fr = &c->tree->frames[at];
		stopped |= fr->kind == FRAME_STATE;
		category = stopped     ? e->state :
			   fr->machine ? ENTRY_GUEST :
					 host;
		err = push(f, c->name[at], c->module[at], category,
			   fr->kind == FRAME_CODE && category < ENTRY_PART ?
				   1 + fr->mode :
				   0,
			   stack);
	}
	return err;
}

/*
 * Guest, process if there is one, functions, thief; *stack is the last of them.
 */
static int stack_of(struct firefox *f, const struct time_series_part *p,
		    __u32 *stack)
{
	const struct entry *e = &f->x->entries->entries[p->entry];
	__u32 node = f->x->chains ? p->node : 0;
	__u64 key = (__u64)p->entry << 32 | node;
	bool timed = e->state >= ENTRY_PART;
	int err;

	*stack = hash_get(&f->stack_of, key);
	if (*stack != VMMPROF_NONE)
		return 0;
	err = push(f, e->guest, VMMPROF_NONE, INHERITED, 0, stack);
	if (!err && e->process != VMMPROF_NONE)
		err = push(f, e->process, VMMPROF_NONE, INHERITED, 0, stack);
	if (!err && node)
		err = push_chain(f, e, node, stack);
	else if (!err)
		err = push(f, e->function, e->module, e->state,
			   timed ? 0 : 1 + e->mode, stack);
	if (!err && e->thief != VMMPROF_NONE && !node)
		err = push(f, e->thief, VMMPROF_NONE, e->state, 0, stack);
	return err ? err : hash_set(&f->stack_of, key, *stack);
}

/* A column of @nr times the same, NULL: null. */
static void put_same(struct json_out *j, const char *key, size_t nr,
		     const int *value)
{
	json_out_array(j, key);
	while (nr--) {
		if (!value)
			json_out_null(j, NULL);
		else if (*value < 0)
			json_out_fixed(j, NULL, *value, 0);
		else
			json_out_u64(j, NULL, *value);
	}
	json_out_array_end(j);
}

static void put_false(struct json_out *j, const char *key, size_t nr)
{
	json_out_array(j, key);
	while (nr--)
		json_out_bool(j, NULL, false);
	json_out_array_end(j);
}

/* A column out of keys: the bits of @mask from @shift on. */
static void put_bits(struct json_out *j, const char *key, const struct rows *r,
		     unsigned int shift, __u32 mask)
{
	size_t i;

	json_out_array(j, key);
	for (i = 0; i < r->nr; i++)
		json_out_u64(j, NULL, r->keys[i] >> shift & mask);
	json_out_array_end(j);
}

/* The lower half of keys less one; of 0 null, or -1. */
static void put_lower(struct json_out *j, const char *key, const struct rows *r,
		      bool null)
{
	__u32 v;
	size_t i;

	json_out_array(j, key);
	for (i = 0; i < r->nr; i++) {
		v = r->keys[i];
		if (v)
			json_out_u64(j, NULL, v - 1);
		else if (null)
			json_out_null(j, NULL);
		else
			json_out_fixed(j, NULL, -1, 0);
	}
	json_out_array_end(j);
}

static void put_frames(struct firefox *f)
{
	static const int none = -1, zero;
	const struct rows *r = &f->frames;
	struct json_out *j = &f->j;
	unsigned int category;
	size_t i;

	json_out_object(j, "frameTable");
	put_same(j, "address", r->nr, &none);
	put_same(j, "inlineDepth", r->nr, &zero);
	json_out_array(j, "category");
	for (i = 0; i < r->nr; i++) {
		category = r->keys[i] >> 8 & 0xff;
		if (category == INHERITED)
			json_out_null(j, NULL);
		else
			json_out_u64(j, NULL, category);
	}
	json_out_array_end(j);
	put_bits(j, "subcategory", r, 0, 0xff);
	put_bits(j, "func", r, 16, ~0u);
	put_same(j, "nativeSymbol", r->nr, NULL);
	put_same(j, "innerWindowID", r->nr, &zero);
	put_same(j, "line", r->nr, NULL);
	put_same(j, "column", r->nr, NULL);
	json_out_u64(j, "length", r->nr);
	json_out_object_end(j);
}

static void put_funcs(struct firefox *f)
{
	const struct rows *r = &f->funcs;
	struct json_out *j = &f->j;

	json_out_object(j, "funcTable");
	put_bits(j, "name", r, 32, ~0u);
	put_false(j, "isJS", r->nr);
	put_false(j, "relevantForJS", r->nr);
	put_lower(j, "resource", r, false);
	put_same(j, "source", r->nr, NULL);
	put_same(j, "lineNumber", r->nr, NULL);
	put_same(j, "columnNumber", r->nr, NULL);
	json_out_u64(j, "length", r->nr);
	json_out_object_end(j);
}

static void put_resources(struct firefox *f)
{
	static const int library = LIBRARY;
	const struct rows *r = &f->resources;
	struct json_out *j = &f->j;

	json_out_object(j, "resourceTable");
	put_same(j, "lib", r->nr, NULL);
	put_bits(j, "name", r, 0, ~0u);
	put_same(j, "host", r->nr, NULL);
	put_same(j, "type", r->nr, &library);
	json_out_u64(j, "length", r->nr);
	json_out_object_end(j);
}

static void put_empty(struct json_out *j, const char *key,
		      const char *const *columns)
{
	json_out_object(j, key);
	for (; *columns; columns++) {
		json_out_array(j, *columns);
		json_out_array_end(j);
	}
	json_out_u64(j, "length", 0);
	json_out_object_end(j);
}

static void put_shared(struct firefox *f)
{
	static const char *const symbols[] = { "libIndex", "address", "name",
					       "functionSize", NULL };
	static const char *const sources[] = { "uuid", "filename", NULL };
	const struct strings *names = &f->x->entries->names;
	struct json_out *j = &f->j;
	size_t i;

	json_out_object(j, "shared");
	json_out_object(j, "stackTable");
	put_bits(j, "frame", &f->stacks, 32, ~0u);
	put_lower(j, "prefix", &f->stacks, true);
	json_out_u64(j, "length", f->stacks.nr);
	json_out_object_end(j);
	put_frames(f);
	put_funcs(f);
	put_resources(f);
	put_empty(j, "nativeSymbols", symbols);
	json_out_array(j, "stringArray");
	for (i = 0; i < names->nr; i++)
		json_out_string(j, NULL, strings_get(names, i));
	json_out_array_end(j);
	put_empty(j, "sources", sources);
	json_out_object_end(j);
}

/* "halt" is drawn as idle; one that is grey must be there. */
static void put_categories(struct json_out *j)
{
	static const char *const colors[NR_ENTRY_STATES + 1] = {
		[ENTRY_GUEST] = "green",
		[ENTRY_HOST] = "blue",
		[ENTRY_PART + PART_VMM] = "yellow",
		[ENTRY_PART + PART_STEAL] = "red",
		[ENTRY_PART + PART_HALT] = "transparent",
		[ENTRY_PART + PART_BLOCKED] = "lightblue",
		[ENTRY_PART + PART_UNKNOWN] = "darkgrey",
		[ENTRY_PART + PART_GUEST] = "green",
		[OTHER] = "grey",
	};
	unsigned int i, k;

	json_out_array(j, "categories");
	for (i = 0; i <= OTHER; i++) {
		json_out_object(j, NULL);
		json_out_string(j, "name",
				i == OTHER ? "Other" : entry_state_key(i));
		json_out_string(j, "color", colors[i]);
		json_out_array(j, "subcategories");
		for (k = 0; k < (i < ENTRY_PART ? 4 : 1); k++)
			json_out_string(j, NULL, modes[k]);
		json_out_array_end(j);
		json_out_object_end(j);
	}
	json_out_array_end(j);
}

static double sample_ms(const struct export_data *x)
{
	return x->period_ns ? x->period_ns / 1e6 : 1;
}

static void put_meta(struct firefox *f)
{
	struct json_out *j = &f->j;

	json_out_object(j, "meta");
	json_out_fixed(j, "interval", sample_ms(f->x), 6);
	json_out_fixed(j, "startTime", f->x->real_ns / 1e6, 3);
	json_out_u64(j, "processType", 0);
	put_categories(j);
	json_out_string(j, "product", "vmmprof");
	json_out_u64(j, "stackwalk", 1);
	json_out_u64(j, "version", GECKO_VERSION);
	json_out_u64(j, "preprocessedProfileVersion", FORMAT_VERSION);
	json_out_bool(j, "symbolicated", true);
	json_out_string(j, "importedFrom", "vmmprof " VMMPROF_VERSION);
	json_out_string(j, "arguments", f->x->event);
	json_out_bool(j, "usesOnlyOneStackType", true);
	json_out_bool(j, "sourceCodeIsNotOnSearchfox", true);
	json_out_array(j, "markerSchema");
	json_out_array_end(j);
	json_out_object_end(j);
}

static int add_sample(struct firefox *f, __u32 stack, __u64 weight, double ms)
{
	int err = vec_grow(&f->samples, &f->cap, f->nr, sizeof(*f->samples));

	if (!err)
		f->samples[f->nr++] = (struct sample){ stack, weight, ms };
	return err;
}

/*
 * Adds an empty sample from the end of the last one to @ms, if that is long
 * enough.
 */
static int end_sample(struct firefox *f, double ms)
{
	if (!f->nr || f->until + 1.5 * sample_ms(f->x) > ms)
		return 0;
	return add_sample(f, VMMPROF_NONE, 0, f->until);
}

/* Of a part, by its weight. */
static double part_ms(const struct firefox *f, __u64 weight)
{
	return f->x->timed ? weight / 1e6 : weight * sample_ms(f->x);
}

static __u64 part_weight(const struct firefox *f, size_t i,
			 struct ns_sum sums[STEAL_COLUMNS])
{
	return export_part_weight(f->x, &f->x->over->parts[i], f->x->sample_ns,
				  sums);
}

/* How much shorter the parts of a bin must be. */
static double scale_of(const struct firefox *f, size_t from, size_t end,
		       double ms)
{
	struct ns_sum sums[STEAL_COLUMNS];
	__u64 sum = 0;
	size_t i;

	memcpy(sums, f->sums, sizeof(sums));
	for (i = from; i < end; i++)
		sat_sum(&sum, part_weight(f, i, sums));
	if (!sum || (f->x->period_ns && part_ms(f, sum) <= ms))
		return 1;
	return ms / part_ms(f, sum);
}

/* The parts of one bin, from @ms to @next. */
static int add_bin(struct firefox *f, size_t from, size_t end, double ms,
		   double next)
{
	const struct time_series_part *p = f->x->over->parts;
	double scale = scale_of(f, from, end, next - ms);
	__u64 weight;
	__u32 stack;
	size_t i;
	int err;

	err = end_sample(f, ms);
	for (i = from; i < end && !err; i++) {
		weight = part_weight(f, i, f->sums);
		if (!weight)
			continue;
		err = stack_of(f, &p[i], &stack);
		if (!err)
			err = add_sample(f, stack, weight, ms);
		f->until = f->x->timed ? 0 : ms + sample_ms(f->x);
		ms += part_ms(f, weight) * scale;
	}
	if (f->until < ms || !f->x->period_ns)
		f->until = ms;
	return err;
}

static int make_samples(struct firefox *f, size_t from, size_t end)
{
	const struct time_series *o = f->x->over;
	double bin_ms = o->bin_ns / 1e6;
	size_t i, k;
	int err = 0;

	f->nr = 0;
	memset(f->sums, 0, sizeof(f->sums));
	for (i = from; i < end && !err; i = k) {
		for (k = i + 1; k < end && o->parts[k].bin == o->parts[i].bin;)
			k++;
		err = add_bin(f, i, k, o->parts[i].bin * bin_ms,
			      (o->parts[i].bin + 1) * bin_ms);
	}
	return err ? err : add_sample(f, VMMPROF_NONE, 0, f->until);
}

static int put_samples(struct firefox *f, size_t from, size_t end)
{
	struct json_out *j = &f->j;
	size_t i;
	int err;

	err = make_samples(f, from, end);
	if (err)
		return err;
	json_out_object(j, "samples");
	json_out_array(j, "stack");
	for (i = 0; i < f->nr; i++) {
		if (f->samples[i].stack == VMMPROF_NONE)
			json_out_null(j, NULL);
		else
			json_out_u64(j, NULL, f->samples[i].stack);
	}
	json_out_array_end(j);
	json_out_array(j, "time");
	for (i = 0; i < f->nr; i++)
		json_out_fixed(j, NULL, f->samples[i].ms, 6);
	json_out_array_end(j);
	json_out_array(j, "weight");
	for (i = 0; i < f->nr; i++) {
		if (f->x->timed)
			json_out_fixed(j, NULL, f->samples[i].weight / 1e6, 6);
		else
			json_out_u64(j, NULL, f->samples[i].weight);
	}
	json_out_array_end(j);
	json_out_string(j, "weightType",
			f->x->timed ? "tracing-ms" : "samples");
	json_out_u64(j, "length", f->nr);
	json_out_object_end(j);
	return 0;
}

/* A vCPU, or what is of none; @first of its machine. */
static int put_thread(struct firefox *f, size_t from, size_t end, size_t tid,
		      bool first)
{
	const struct entry *e = export_entry(f->x, from);
	static const char *const markers[] = { "data",	  "name",  "startTime",
					       "endTime", "phase", "category",
					       NULL };
	const char *guest = export_name(f->x, e->guest);
	struct json_out *j = &f->j;
	char vcpu[16], pid[16];
	int err;

	export_vcpu(e, vcpu, sizeof(vcpu));
	snprintf(pid, sizeof(pid), "%u", e->machine);
	json_out_object(j, NULL);
	json_out_string(j, "processType", "default");
	json_out_u64(j, "processStartupTime", 0);
	json_out_null(j, "processShutdownTime");
	json_out_u64(j, "registerTime", 0);
	json_out_null(j, "unregisterTime");
	json_out_array(j, "pausedRanges");
	json_out_array_end(j);
	json_out_string(j, "name", e->vcpu == VMMPROF_NONE ? guest : vcpu);
	json_out_bool(j, "isMainThread", first);
	json_out_string(j, "processName", guest);
	json_out_string(j, "pid", pid);
	json_out_u64(j, "tid", tid);
	err = put_samples(f, from, end);
	put_empty(j, "markers", markers);
	json_out_object_end(j);
	return err;
}

static int put_threads(struct firefox *f)
{
	size_t i, nr, tid = 0;
	__u32 machine, last = VMMPROF_NONE;
	int err = 0;

	json_out_array(&f->j, "threads");
	for (i = 0; i < f->x->over->nr && !err; i += nr) {
		nr = export_vcpu_parts(f->x, i);
		machine = export_entry(f->x, i)->machine;
		err = put_thread(f, i, i + nr, ++tid, machine != last);
		last = machine;
	}
	json_out_array_end(&f->j);
	return err;
}

int export_firefox(const struct export_data *x, FILE *out)
{
	struct firefox f = { .x = x };
	int err;

	json_out_init(&f.j, out);
	json_out_object(&f.j, NULL);
	put_meta(&f);
	json_out_array(&f.j, "libs");
	json_out_array_end(&f.j);
	err = put_threads(&f);
	if (!err)
		put_shared(&f);
	json_out_object_end(&f.j);
	free_rows(&f.resources);
	free_rows(&f.funcs);
	free_rows(&f.frames);
	free_rows(&f.stacks);
	hash_deinit(&f.stack_of);
	free(f.samples);
	return err;
}
