// SPDX-License-Identifier: GPL-2.0-only
/*
 * Export for https://profiler.firefox.com: its processed profile format,
 * version 60, as docs-developer/CHANGELOG-formats.md and src/types/profile.ts
 * of its source have it; later versions read it.  A process there is a guest
 * here, a thread one of its vCPUs, a category a state.
 *
 * Samples are in the order of time: parts of entries by bins, each as long as
 * its samples.  Where a bin has more of them than time (the host, whose CPUs are
 * one thread) they share it.  Time of which there is nothing has no stack.
 *
 * Tables are columns of the same length.  Rows are told apart by a key, which
 * has all that is in them.
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
#define OTHER	       VMMPROF_NR_ENTRY_STATES

struct rows {
	struct vmmprof_hash ids; /* key -> number */
	__u64 *keys;		 /* by number */
	size_t nr, cap;
};

struct firefox {
	const struct vmmprof_export *x;
	struct vmmprof_json j;
	struct rows resources; /* module */
	struct rows funcs;     /* name << 32 | resource + 1 */
	struct rows frames;    /* func << 16 | category << 8 | subcategory */
	struct rows stacks; /* frame << 32 | prefix + 1; prefix comes first */
	__u32 *stack_of;    /* by entry; VMMPROF_NONE: not met yet */
	struct sample {
		__u32 stack; /* VMMPROF_NONE: none, nobody was there */
		__u64 weight;
		double ms;
	} * samples; /* of one thread */
	size_t nr, cap;
	double until; /* ms: the last of them ends, if none follows before */
};

/* Subcategories: the first must be that; then those of enum vmmprof_mode. */
static const char *const modes[] = { "Other", "kernel", "user", "unknown" };

static int add(struct rows *r, __u64 key, __u32 *id)
{
	int err;

	*id = vmmprof_hash_get(&r->ids, key);
	if (*id != VMMPROF_NONE)
		return 0;
	err = vmmprof_vec_grow(&r->keys, &r->cap, r->nr, sizeof(*r->keys));
	if (!err)
		err = vmmprof_hash_set(&r->ids, key, r->nr);
	if (err)
		return err;
	*id = r->nr;
	r->keys[r->nr++] = key;
	return 0;
}

static void free_rows(struct rows *r)
{
	vmmprof_hash_deinit(&r->ids);
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

/* Guest, process if there is one, function; *stack is the last of them. */
static int stack_of(struct firefox *f, __u32 entry)
{
	const struct vmmprof_entry *e = &f->x->entries->entries[entry];
	bool timed = e->state >= VMMPROF_ENTRY_PART;
	__u32 *stack = &f->stack_of[entry];
	int err;

	if (*stack != VMMPROF_NONE)
		return 0;
	err = push(f, e->guest, VMMPROF_NONE, INHERITED, 0, stack);
	if (!err && e->process != VMMPROF_NONE)
		err = push(f, e->process, VMMPROF_NONE, INHERITED, 0, stack);
	if (err)
		return err;
	return push(f, e->function, e->module, e->state,
		    timed ? 0 : 1 + e->mode, stack);
}

/* A column of @nr times the same, NULL: null. */
static void put_same(struct vmmprof_json *j, const char *key, size_t nr,
		     const int *value)
{
	vmmprof_json_array(j, key);
	while (nr--) {
		if (!value)
			vmmprof_json_null(j, NULL);
		else if (*value < 0)
			vmmprof_json_fixed(j, NULL, *value, 0);
		else
			vmmprof_json_u64(j, NULL, *value);
	}
	vmmprof_json_array_end(j);
}

static void put_false(struct vmmprof_json *j, const char *key, size_t nr)
{
	vmmprof_json_array(j, key);
	while (nr--)
		vmmprof_json_bool(j, NULL, false);
	vmmprof_json_array_end(j);
}

/* A column out of keys: the bits of @mask from @shift on. */
static void put_bits(struct vmmprof_json *j, const char *key,
		     const struct rows *r, unsigned int shift, __u32 mask)
{
	size_t i;

	vmmprof_json_array(j, key);
	for (i = 0; i < r->nr; i++)
		vmmprof_json_u64(j, NULL, r->keys[i] >> shift & mask);
	vmmprof_json_array_end(j);
}

/* The lower half of keys less one; of 0 null, or -1. */
static void put_lower(struct vmmprof_json *j, const char *key,
		      const struct rows *r, bool null)
{
	__u32 v;
	size_t i;

	vmmprof_json_array(j, key);
	for (i = 0; i < r->nr; i++) {
		v = r->keys[i];
		if (v)
			vmmprof_json_u64(j, NULL, v - 1);
		else if (null)
			vmmprof_json_null(j, NULL);
		else
			vmmprof_json_fixed(j, NULL, -1, 0);
	}
	vmmprof_json_array_end(j);
}

static void put_frames(struct firefox *f)
{
	static const int none = -1, zero;
	const struct rows *r = &f->frames;
	struct vmmprof_json *j = &f->j;
	unsigned int category;
	size_t i;

	vmmprof_json_object(j, "frameTable");
	put_same(j, "address", r->nr, &none);
	put_same(j, "inlineDepth", r->nr, &zero);
	vmmprof_json_array(j, "category");
	for (i = 0; i < r->nr; i++) {
		category = r->keys[i] >> 8 & 0xff;
		if (category == INHERITED)
			vmmprof_json_null(j, NULL);
		else
			vmmprof_json_u64(j, NULL, category);
	}
	vmmprof_json_array_end(j);
	put_bits(j, "subcategory", r, 0, 0xff);
	put_bits(j, "func", r, 16, ~0u);
	put_same(j, "nativeSymbol", r->nr, NULL);
	put_same(j, "innerWindowID", r->nr, &zero);
	put_same(j, "line", r->nr, NULL);
	put_same(j, "column", r->nr, NULL);
	vmmprof_json_u64(j, "length", r->nr);
	vmmprof_json_object_end(j);
}

static void put_funcs(struct firefox *f)
{
	const struct rows *r = &f->funcs;
	struct vmmprof_json *j = &f->j;

	vmmprof_json_object(j, "funcTable");
	put_bits(j, "name", r, 32, ~0u);
	put_false(j, "isJS", r->nr);
	put_false(j, "relevantForJS", r->nr);
	put_lower(j, "resource", r, false);
	put_same(j, "source", r->nr, NULL);
	put_same(j, "lineNumber", r->nr, NULL);
	put_same(j, "columnNumber", r->nr, NULL);
	vmmprof_json_u64(j, "length", r->nr);
	vmmprof_json_object_end(j);
}

static void put_resources(struct firefox *f)
{
	static const int library = LIBRARY;
	const struct rows *r = &f->resources;
	struct vmmprof_json *j = &f->j;

	vmmprof_json_object(j, "resourceTable");
	put_same(j, "lib", r->nr, NULL);
	put_bits(j, "name", r, 0, ~0u);
	put_same(j, "host", r->nr, NULL);
	put_same(j, "type", r->nr, &library);
	vmmprof_json_u64(j, "length", r->nr);
	vmmprof_json_object_end(j);
}

static void put_empty(struct vmmprof_json *j, const char *key,
		      const char *const *columns)
{
	vmmprof_json_object(j, key);
	for (; *columns; columns++) {
		vmmprof_json_array(j, *columns);
		vmmprof_json_array_end(j);
	}
	vmmprof_json_u64(j, "length", 0);
	vmmprof_json_object_end(j);
}

static void put_shared(struct firefox *f)
{
	static const char *const symbols[] = { "libIndex", "address", "name",
					       "functionSize", NULL };
	static const char *const sources[] = { "uuid", "filename", NULL };
	const struct vmmprof_strings *names = &f->x->entries->names;
	struct vmmprof_json *j = &f->j;
	size_t i;

	vmmprof_json_object(j, "shared");
	vmmprof_json_object(j, "stackTable");
	put_bits(j, "frame", &f->stacks, 32, ~0u);
	put_lower(j, "prefix", &f->stacks, true);
	vmmprof_json_u64(j, "length", f->stacks.nr);
	vmmprof_json_object_end(j);
	put_frames(f);
	put_funcs(f);
	put_resources(f);
	put_empty(j, "nativeSymbols", symbols);
	vmmprof_json_array(j, "stringArray");
	for (i = 0; i < names->nr; i++)
		vmmprof_json_string(j, NULL, vmmprof_strings_get(names, i));
	vmmprof_json_array_end(j);
	put_empty(j, "sources", sources);
	vmmprof_json_object_end(j);
}

/* "halt" is drawn as idle; one that is grey must be there. */
static void put_categories(struct vmmprof_json *j)
{
	static const char *const colors[VMMPROF_NR_ENTRY_STATES + 1] = {
		[VMMPROF_ENTRY_GUEST] = "green",
		[VMMPROF_ENTRY_HOST] = "blue",
		[VMMPROF_ENTRY_PART + VMMPROF_PART_VMM] = "yellow",
		[VMMPROF_ENTRY_PART + VMMPROF_PART_STEAL] = "red",
		[VMMPROF_ENTRY_PART + VMMPROF_PART_HALT] = "transparent",
		[VMMPROF_ENTRY_PART + VMMPROF_PART_BLOCKED] = "lightblue",
		[VMMPROF_ENTRY_PART + VMMPROF_PART_UNKNOWN] = "darkgrey",
		[OTHER] = "grey",
	};
	unsigned int i, k;

	vmmprof_json_array(j, "categories");
	for (i = 0; i <= OTHER; i++) {
		vmmprof_json_object(j, NULL);
		vmmprof_json_string(j, "name",
				    i == OTHER ? "Other" :
						 vmmprof_entry_state_key(i));
		vmmprof_json_string(j, "color", colors[i]);
		vmmprof_json_array(j, "subcategories");
		for (k = 0; k < (i < VMMPROF_ENTRY_PART ? 4 : 1); k++)
			vmmprof_json_string(j, NULL, modes[k]);
		vmmprof_json_array_end(j);
		vmmprof_json_object_end(j);
	}
	vmmprof_json_array_end(j);
}

static double sample_ms(const struct vmmprof_export *x)
{
	return x->period_ns ? x->period_ns / 1e6 : 1;
}

static void put_meta(struct firefox *f)
{
	struct vmmprof_json *j = &f->j;

	vmmprof_json_object(j, "meta");
	vmmprof_json_fixed(j, "interval", sample_ms(f->x), 6);
	vmmprof_json_fixed(j, "startTime", f->x->real_ns / 1e6, 3);
	vmmprof_json_u64(j, "processType", 0);
	put_categories(j);
	vmmprof_json_string(j, "product", "vmmprof");
	vmmprof_json_u64(j, "stackwalk", 1);
	vmmprof_json_u64(j, "version", GECKO_VERSION);
	vmmprof_json_u64(j, "preprocessedProfileVersion", FORMAT_VERSION);
	vmmprof_json_bool(j, "symbolicated", true);
	vmmprof_json_string(j, "importedFrom", "vmmprof " VMMPROF_VERSION);
	vmmprof_json_string(j, "arguments", f->x->event);
	vmmprof_json_bool(j, "usesOnlyOneStackType", true);
	vmmprof_json_bool(j, "sourceCodeIsNotOnSearchfox", true);
	vmmprof_json_array(j, "markerSchema");
	vmmprof_json_array_end(j);
	vmmprof_json_object_end(j);
}

static int add_sample(struct firefox *f, __u32 stack, __u64 weight, double ms)
{
	int err = vmmprof_vec_grow(&f->samples, &f->cap, f->nr,
				   sizeof(*f->samples));

	if (!err)
		f->samples[f->nr++] = (struct sample){ stack, weight, ms };
	return err;
}

/* Nobody is there from the last sample's end until @ms, if that is a while. */
static int end_sample(struct firefox *f, double ms)
{
	if (!f->nr || f->until + 1.5 * sample_ms(f->x) > ms)
		return 0;
	return add_sample(f, VMMPROF_NONE, 0, f->until);
}

/* The parts of one bin, from @ms to @next. */
static int add_bin(struct firefox *f, size_t from, size_t end, double ms,
		   double next)
{
	const struct vmmprof_overtime_part *p = f->x->over->parts;
	double each = sample_ms(f->x);
	__u64 sum = 0;
	size_t i;
	int err;

	for (i = from; i < end; i++)
		vmmprof_sum(&sum, p[i].samples);
	if (!f->x->period_ns || sum * each > next - ms)
		each = (next - ms) / sum;
	err = end_sample(f, ms);
	for (i = from; i < end && !err; i++) {
		err = stack_of(f, p[i].entry);
		if (!err)
			err = add_sample(f, f->stack_of[p[i].entry],
					 p[i].samples, ms);
		f->until = ms + sample_ms(f->x);
		ms += p[i].samples * each;
	}
	if (f->until < ms || !f->x->period_ns)
		f->until = ms;
	return err;
}

static int make_samples(struct firefox *f, size_t from, size_t end)
{
	const struct vmmprof_overtime *o = f->x->over;
	double bin_ms = o->bin_ns / 1e6;
	size_t i, k;
	int err = 0;

	f->nr = 0;
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
	struct vmmprof_json *j = &f->j;
	size_t i;
	int err;

	err = make_samples(f, from, end);
	if (err)
		return err;
	vmmprof_json_object(j, "samples");
	vmmprof_json_array(j, "stack");
	for (i = 0; i < f->nr; i++) {
		if (f->samples[i].stack == VMMPROF_NONE)
			vmmprof_json_null(j, NULL);
		else
			vmmprof_json_u64(j, NULL, f->samples[i].stack);
	}
	vmmprof_json_array_end(j);
	vmmprof_json_array(j, "time");
	for (i = 0; i < f->nr; i++)
		vmmprof_json_fixed(j, NULL, f->samples[i].ms, 6);
	vmmprof_json_array_end(j);
	vmmprof_json_array(j, "weight");
	for (i = 0; i < f->nr; i++)
		vmmprof_json_u64(j, NULL, f->samples[i].weight);
	vmmprof_json_array_end(j);
	vmmprof_json_string(j, "weightType", "samples");
	vmmprof_json_u64(j, "length", f->nr);
	vmmprof_json_object_end(j);
	return 0;
}

/* A vCPU, or what is of none; @first of its machine. */
static int put_thread(struct firefox *f, size_t from, size_t end, size_t tid,
		      bool first)
{
	const struct vmmprof_entry *e = vmmprof_export_entry(f->x, from);
	static const char *const markers[] = { "data",	  "name",  "startTime",
					       "endTime", "phase", "category",
					       NULL };
	const char *guest = vmmprof_export_name(f->x, e->guest);
	struct vmmprof_json *j = &f->j;
	char vcpu[16], pid[16];
	int err;

	vmmprof_export_vcpu(e, vcpu, sizeof(vcpu));
	snprintf(pid, sizeof(pid), "%u", e->machine);
	vmmprof_json_object(j, NULL);
	vmmprof_json_string(j, "processType", "default");
	vmmprof_json_u64(j, "processStartupTime", 0);
	vmmprof_json_null(j, "processShutdownTime");
	vmmprof_json_u64(j, "registerTime", 0);
	vmmprof_json_null(j, "unregisterTime");
	vmmprof_json_array(j, "pausedRanges");
	vmmprof_json_array_end(j);
	vmmprof_json_string(j, "name", e->vcpu == VMMPROF_NONE ? guest : vcpu);
	vmmprof_json_bool(j, "isMainThread", first);
	vmmprof_json_string(j, "processName", guest);
	vmmprof_json_string(j, "pid", pid);
	vmmprof_json_u64(j, "tid", tid);
	err = put_samples(f, from, end);
	put_empty(j, "markers", markers);
	vmmprof_json_object_end(j);
	return err;
}

static int put_threads(struct firefox *f)
{
	size_t i, nr, tid = 0;
	__u32 machine, last = VMMPROF_NONE;
	int err = 0;

	vmmprof_json_array(&f->j, "threads");
	for (i = 0; i < f->x->over->nr && !err; i += nr) {
		nr = vmmprof_export_vcpu_parts(f->x, i);
		machine = vmmprof_export_entry(f->x, i)->machine;
		err = put_thread(f, i, i + nr, ++tid, machine != last);
		last = machine;
	}
	vmmprof_json_array_end(&f->j);
	return err;
}

int vmmprof_export_firefox(const struct vmmprof_export *x, FILE *out)
{
	size_t size = (x->entries->nr + 1) * sizeof(__u32);
	struct firefox f = { .x = x, .stack_of = malloc(size) };
	int err;

	if (!f.stack_of)
		return -ENOMEM;
	memset(f.stack_of, 0xff, size);
	vmmprof_json_init(&f.j, out);
	vmmprof_json_object(&f.j, NULL);
	put_meta(&f);
	vmmprof_json_array(&f.j, "libs");
	vmmprof_json_array_end(&f.j);
	err = put_threads(&f);
	if (!err)
		put_shared(&f);
	vmmprof_json_object_end(&f.j);
	free_rows(&f.resources);
	free_rows(&f.funcs);
	free_rows(&f.frames);
	free_rows(&f.stacks);
	free(f.stack_of);
	free(f.samples);
	return err;
}
