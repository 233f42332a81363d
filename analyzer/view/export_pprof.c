// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile for `go tool pprof` (github.com/google/pprof, proto/profile.proto),
 * gzipped.  A sample's stack is its call chain, or its function alone; guest,
 * vCPU, process and so on are labels, of which pprof makes frames where asked
 * (-tagroot).
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "view/chain_names.h"
#include "view/export.h"
#include "view/proto.h"
#include "view/safe.h"

/* The string table: ours, then the names of the entries. */
enum {
	TEXT_EMPTY,
	TEXT_SAMPLES,
	TEXT_COUNT,
	TEXT_CPU,
	TEXT_OFF_CPU,
	TEXT_NANOSECONDS,
	TEXT_GUEST,
	TEXT_VCPU,
	TEXT_PROCESS,
	TEXT_PID,
	TEXT_STATE,
	TEXT_MODE,
	TEXT_EVENT,
	TEXT_MACHINE, /* in place of a program's name; put_machine() */
	NR_TEXTS
};

static const char *const texts[NR_TEXTS] = {
	"",	"samples", "count", "cpu",   "off_cpu", "nanoseconds", "guest",
	"vcpu", "process", "pid",   "state", "mode",	"event"
};

struct writer {
	const struct export_data *x;
	gzFile gz;
	struct strings more;   /* numbers, and words of ours */
	struct hash locations; /* function << 32 | module -> id */
	struct hash mappings;  /* module -> id */
	struct hash functions; /* index of its name -> id, of chains */
	struct hash files;     /* index of a module's name -> id */
	__u64 first_frame;     /* id of the location of frame 0 */
	int err;
};

static void put_raw(struct writer *w, const void *p, size_t size)
{
	if (!w->err && size && gzwrite(w->gz, p, size) != (int)size)
		w->err = errno ? -errno : -EIO;
}

static void put_field(struct writer *w, unsigned int field,
		      const struct proto *m)
{
	struct proto head = { 0 };

	proto_head(&head, field, m->size);
	put_raw(w, head.data, head.size);
	put_raw(w, m->data, m->size);
}

static void put_field_number(struct writer *w, unsigned int field, __u64 v)
{
	struct proto m = { 0 };

	proto_number(&m, field, v);
	put_raw(w, m.data, m.size);
}

/* Profile.string_table = 6; names are as long as they are. */
static void put_text(struct writer *w, const char *text)
{
	struct proto head = { 0 };
	size_t len = strlen(text);

	proto_head(&head, 6, len);
	put_raw(w, head.data, head.size);
	put_raw(w, text, len);
}

/* "KVM host NAME" */
static void put_machine(struct writer *w)
{
	char raw[256], name[256], text[300];

	if (text_get(&w->x->r->a->session.text, "hostname", raw, sizeof(raw)) <
	    0)
		*raw = '\0';
	safe_text(name, sizeof(name), raw);
	snprintf(text, sizeof(text), "KVM host%s%s", *name ? " " : "", name);
	put_text(w, text);
}

/* The index of a name of the entries, and of a text that is none of them. */
static __u64 name_index(__u32 name)
{
	return NR_TEXTS + (__u64)name;
}

static __u64 text_index(struct writer *w, const char *text)
{
	__u32 id = 0;

	if (!w->err)
		w->err = strings_add(&w->more, text, strlen(text), &id);
	return NR_TEXTS + w->x->entries->names.nr + id;
}

static __u64 number_index(struct writer *w, __u32 v)
{
	char buf[16];

	snprintf(buf, sizeof(buf), "%u", v);
	return text_index(w, buf);
}

/* ValueType: type = 1, unit = 2 */
static void put_type(struct writer *w, unsigned int field, __u64 type,
		     __u64 unit)
{
	struct proto m = { 0 };

	proto_number(&m, 1, type);
	proto_number(&m, 2, unit);
	put_field(w, field, &m);
}

/* Sample.label = 3; Label: key = 1, str = 2 */
static void put_label(struct proto *sample, __u64 key, __u64 text)
{
	struct proto m = { 0 };

	proto_number(&m, 1, key);
	proto_number(&m, 2, text);
	proto_bytes(sample, 3, m.data, m.size);
}

static __u64 location_key(const struct entry *e)
{
	return (__u64)e->function << 32 | e->module;
}

/* A thief has a location in the module of what it took. */
static __u64 thief_location(const struct entry *e)
{
	return (__u64)e->thief << 32 | e->module;
}

/* Time has no samples where no guest code ran. */
static bool has_time(const struct export_data *x)
{
	return x->timed || x->period_ns;
}

/*
 * A value of each type: what has no CPU is no time of one.  @state: enum
 * entry_state; @ns: if the export is timed.
 */
static void put_values(struct writer *w, struct proto *m, unsigned int state,
		       __u64 samples, __u64 ns)
{
	bool off = export_off_cpu(state);

	proto_number(m, 2, samples);
	if (w->x->timed) {
		proto_number(m, 2, off ? 0 : ns);
		proto_number(m, 2, off ? ns : 0);
	} else if (w->x->period_ns) {
		proto_number(m, 2, sat_mul(samples, w->x->period_ns));
	}
}

/* Sample: location_id = 1, value = 2 */
static void put_sample(struct writer *w, const struct entry *e)
{
	__u32 id = hash_get(&w->locations, location_key(e));
	const char *mode = entry_mode_key(e);
	struct proto m = { 0 };

	/* the leaf first */
	if (e->thief != VMMPROF_NONE)
		proto_number(&m, 1, hash_get(&w->locations, thief_location(e)));
	proto_number(&m, 1, id);
	put_values(w, &m, e->state, e->samples, e->ns);
	put_label(&m, TEXT_GUEST, name_index(e->guest));
	if (e->vcpu != VMMPROF_NONE)
		put_label(&m, TEXT_VCPU, number_index(w, e->vcpu));
	if (e->process != VMMPROF_NONE)
		put_label(&m, TEXT_PROCESS, name_index(e->process));
	if (e->pid != VMMPROF_NONE)
		put_label(&m, TEXT_PID, number_index(w, e->pid));
	put_label(&m, TEXT_STATE, text_index(w, entry_state_key(e->state)));
	if (mode)
		put_label(&m, TEXT_MODE, text_index(w, mode));
	put_label(&m, TEXT_EVENT, text_index(w, w->x->event));
	put_field(w, 2, &m);
}

/*
 * Mapping: id = 1, filename = 5, has_functions = 7, has_filenames = 8,
 * has_line_numbers = 9, has_inline_frames = 10: so that nothing is looked up.
 */
static void put_mapping_as(struct writer *w, __u32 id, __u64 text)
{
	struct proto m = { 0 };
	unsigned int i;

	proto_number(&m, 1, id);
	proto_number(&m, 5, text);
	for (i = 7; i <= 10; i++)
		proto_number(&m, i, 1);
	put_field(w, 3, &m);
}

static void put_mapping(struct writer *w, __u32 module)
{
	__u32 id = w->mappings.nr + 2;

	if (hash_get(&w->mappings, module) != VMMPROF_NONE || w->err)
		return;
	w->err = hash_set(&w->mappings, module, id);
	put_mapping_as(w, id, name_index(module));
}

/*
 * Location: id = 1, mapping_id = 2, line = 4; Line: function_id = 1;
 * Function: id = 1, name = 2, system_name = 3
 */
static void put_location(struct writer *w, __u64 key)
{
	struct proto line = { 0 }, m = { 0 }, function = { 0 };
	__u32 name = key >> 32, module = key;
	__u32 id = w->locations.nr + 1;

	put_mapping(w, module);
	if (hash_get(&w->locations, key) != VMMPROF_NONE || w->err)
		return;
	w->err = hash_set(&w->locations, key, id);
	proto_number(&line, 1, id);
	proto_number(&m, 1, id);
	proto_number(&m, 2, hash_get(&w->mappings, module));
	proto_bytes(&m, 4, line.data, line.size);
	put_field(w, 4, &m);
	proto_number(&function, 1, id);
	proto_number(&function, 2, name_index(name));
	proto_number(&function, 3, name_index(name));
	put_field(w, 5, &function);
}

/* The id of a name in a table of its own; *made: it is new. */
static __u32 id_of(struct writer *w, struct hash *ids, __u64 name, __u32 first,
		   bool *made)
{
	__u32 id = hash_get(ids, name);

	*made = id == VMMPROF_NONE && !w->err;
	if (!*made)
		return id;
	id = first + ids->nr;
	w->err = hash_set(ids, name, id);
	return id;
}

/* The id of a frame's function; @module: index of its name. */
static __u32 put_frame_function(struct writer *w, const struct chain_frame *f,
				__u64 module)
{
	struct chain_frame plain = *f;
	struct proto m = { 0 };
	char name[NAME_MAX_BYTES];
	__u64 text;
	bool made;
	__u32 id;

	plain.inlined = 0;
	chain_frame_name(w->x->stacks->names, &plain, name, sizeof(name));
	text = text_index(w, name);
	id = id_of(w, &w->functions, text << 32 | module, w->locations.nr + 1,
		   &made);
	if (made) {
		proto_number(&m, 1, id);
		proto_number(&m, 2, text);
		proto_number(&m, 3, text);
		put_field(w, 5, &m);
	}
	return id;
}

/* Location.line = 4: "the last entry represents the caller" of those before. */
static void put_line(struct writer *w, struct proto *location,
		     const struct chain_frame *f, __u64 module)
{
	struct proto line = { 0 };

	proto_number(&line, 1, put_frame_function(w, f, module));
	proto_bytes(location, 4, line.data, line.size);
}

/* The location of a frame of the tree of chains; as put_location(). */
static void put_frame(struct writer *w, __u32 frame)
{
	const struct chain_frame *f = &w->x->stacks->tree->frames[frame];
	struct chain_frame in;
	struct proto m = { 0 };
	char name[NAME_MAX_BYTES];
	const __u32 *inlined;
	size_t i, nr = 0;
	__u64 module;
	__u32 file;
	bool made;

	chain_frame_module(w->x->stacks->names, f, name, sizeof(name));
	module = text_index(w, *name ? name : "-");
	/* behind those of entries and the program */
	file = id_of(w, &w->files, module, w->mappings.nr + 2, &made);
	if (made)
		put_mapping_as(w, file, module);
	proto_number(&m, 1, w->first_frame + frame);
	proto_number(&m, 2, file);
	if (f->kind == FRAME_CODE)
		proto_number(&m, 3, f->addr);
	if (w->x->inlines && !w->err)
		w->err = chain_inlines_find(w->x->inlines, f, &inlined, &nr);
	for (i = 0; i < nr; i++) {
		in = chain_inlined(f, inlined[i]);
		put_line(w, &m, &in, module);
	}
	put_line(w, &m, f, module);
	put_field(w, 4, &m);
}

/* Label values of a stack, as of an entry. */
static void put_stack_labels(struct writer *w, const struct chain_stack *st,
			     struct proto *m)
{
	struct names *n = w->x->stacks->names;
	const struct entry leaf = {
		.state = st->wait,
		.mode = chain_stack_leaf(w->x->stacks, st)->mode
	};
	const char *mode = entry_mode_key(&leaf);
	char name[NAME_MAX_BYTES];
	__u32 pid;

	name_machine(n, st->machine, name, sizeof(name));
	put_label(m, TEXT_GUEST, text_index(w, name));
	if (st->vcpu != VMMPROF_NONE)
		put_label(m, TEXT_VCPU, number_index(w, st->vcpu));
	if (st->proc != VMMPROF_NONE) {
		names_process(n, st->proc, name, sizeof(name));
		put_label(m, TEXT_PROCESS, text_index(w, name));
		pid = n->a->resolver.processes[st->proc].pid;
		if (pid != VMMPROF_NONE)
			put_label(m, TEXT_PID, number_index(w, pid));
	}
	put_label(m, TEXT_STATE,
		  text_index(w, entry_state_key(
					chain_stack_state(w->x->stacks, st))));
	if (mode)
		put_label(m, TEXT_MODE, text_index(w, mode));
	put_label(m, TEXT_EVENT, text_index(w, w->x->event));
}

#define NUMBER_MAX 11 /* bytes of a field of a 64-bit number */

/* A stack may have more locations than a struct proto has room for. */
static void put_stack(struct writer *w, const struct chain_stack *st)
{
	const struct chain_tree *t = w->x->stacks->tree;
	__u8 at[CHAIN_FRAMES_MAX * NUMBER_MAX];
	__u32 nodes[CHAIN_FRAMES_MAX];
	struct proto head = { 0 }, rest = { 0 };
	size_t i, nr, size = 0;

	nr = chain_stack_path(w->x->stacks, st, nodes);
	put_values(w, &rest, chain_stack_state(w->x->stacks, st), st->samples,
		   st->ns);
	put_stack_labels(w, st, &rest);
	for (i = 0; i < nr; i++) {
		struct proto m = { 0 };

		proto_number(&m, 1, w->first_frame + t->nodes[nodes[i]].frame);
		memcpy(at + size, m.data, m.size);
		size += m.size;
	}
	proto_head(&head, 2, size + rest.size);
	put_raw(w, head.data, head.size);
	put_raw(w, at, size);
	put_raw(w, rest.data, rest.size);
}

static void put_stacks(struct writer *w)
{
	const struct chain_stacks *s = w->x->stacks;
	size_t i;

	w->first_frame = w->locations.nr + 1;
	for (i = 0; i < s->tree->nr_frames && !w->err; i++)
		put_frame(w, i);
	for (i = 0; i < s->nr && !w->err; i++)
		put_stack(w, &s->stacks[i]);
}

/*
 * Profile: sample_type = 1, time_nanos = 9, duration_nanos = 10,
 * period_type = 11, period = 12, default_sample_type = 14
 */
static void put_profile(struct writer *w)
{
	const struct entries *es = w->x->entries;
	size_t i;

	put_type(w, 1, TEXT_SAMPLES, TEXT_COUNT);
	if (has_time(w->x))
		put_type(w, 1, TEXT_CPU, TEXT_NANOSECONDS);
	if (w->x->timed)
		put_type(w, 1, TEXT_OFF_CPU, TEXT_NANOSECONDS);
	/* The first mapping is what pprof takes for the program. */
	put_mapping_as(w, 1, TEXT_MACHINE);
	for (i = 0; i < es->nr; i++) {
		put_location(w, location_key(&es->entries[i]));
		if (es->entries[i].thief != VMMPROF_NONE)
			put_location(w, thief_location(&es->entries[i]));
	}
	for (i = 0; i < es->nr && !w->err; i++)
		if (export_beside_stacks(w->x, &es->entries[i]))
			put_sample(w, &es->entries[i]);
	if (w->x->stacks)
		put_stacks(w);
	if (w->x->real_ns)
		put_field_number(w, 9, w->x->real_ns);
	if (w->x->duration_ns)
		put_field_number(w, 10, w->x->duration_ns);
	if (w->x->period_ns) {
		put_type(w, 11, TEXT_CPU, TEXT_NANOSECONDS);
		put_field_number(w, 12, w->x->period_ns);
	}
	put_field_number(w, 14, w->x->timed ? TEXT_CPU : TEXT_SAMPLES);
	for (i = 0; i < TEXT_MACHINE; i++)
		put_text(w, texts[i]);
	put_machine(w);
	for (i = 0; i < es->names.nr; i++)
		put_text(w, strings_get(&es->names, i));
	for (i = 0; i < w->more.nr; i++)
		put_text(w, strings_get(&w->more, i));
}

int export_pprof(const struct export_data *x, FILE *out)
{
	struct writer w = { .x = x };
	int fd;

	if (fflush(out))
		return -errno;
	fd = dup(fileno(out));
	if (fd < 0)
		return -errno;
	w.gz = gzdopen(fd, "wb");
	if (!w.gz) {
		close(fd);
		return -ENOMEM;
	}
	put_profile(&w);
	if (gzclose(w.gz) != Z_OK && !w.err)
		w.err = errno ? -errno : -EIO;
	strings_deinit(&w.more);
	hash_deinit(&w.locations);
	hash_deinit(&w.mappings);
	hash_deinit(&w.functions);
	hash_deinit(&w.files);
	return w.err;
}
