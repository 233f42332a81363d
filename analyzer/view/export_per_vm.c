// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profiles as stores want them.  What tells series apart stands beside the
 * profile, not in labels of samples: stores lose those, or make series of them.
 */

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "format/tar.h"
#include "view/chain_names.h"
#include "view/export_per_vm.h"
#include "view/json.h"
#include "view/pprof_stacks.h"
#include "view/safe.h"

enum kind { CPU, OFF_CPU, NR_KINDS };

static const char *const kinds[NR_KINDS] = { "cpu", "off_cpu" };

#define NOT_SEEN     0 /* in seen[]; else 1 + frame of the list */
#define TOP_FRAMES   3 /* VM, process, and one that no chain has */
#define FRAMES_MAX   (CHAIN_FRAMES_MAX + TOP_FRAMES)
#define MACHINE_NONE VMMPROF_NONE

/* The profile that is being made. */
struct making {
	const struct export_data *x;
	__u32 machine;
	enum kind kind;
	const char *vm; /* its name; of the host, "host" */
	struct stack_list list;
	__u32 *seen; /* by frame of the tree of chains */
};

static enum kind kind_of(unsigned int state)
{
	return export_off_cpu(state) ? OFF_CPU : CPU;
}

/* @ns: if the export is timed. */
static __u64 time_of(const struct making *m, __u64 samples, __u64 ns)
{
	return m->x->timed ? ns : sat_mul(samples, m->x->period_ns);
}

static int add_name(struct making *m, __u32 *frames, __u32 *nr,
		    const char *name)
{
	return stack_list_frame(&m->list, name, NULL, &frames[(*nr)++]);
}

/* One function, with process and VM above it. */
static int add_entry(struct making *m, const struct entry *e)
{
	const struct export_data *x = m->x;
	__u32 frames[FRAMES_MAX], nr = 0;
	int err = 0;

	if (e->thief != VMMPROF_NONE)
		err = add_name(m, frames, &nr, export_name(x, e->thief));
	if (!err)
		err = stack_list_frame(&m->list, export_name(x, e->function),
				       export_name(x, e->module),
				       &frames[nr++]);
	if (!err && e->program != VMMPROF_NONE)
		err = add_name(m, frames, &nr, export_name(x, e->program));
	if (!err)
		err = add_name(m, frames, &nr, m->vm);
	return err ? err :
		     stack_list_add(&m->list, frames, nr,
				    time_of(m, e->samples, e->ns));
}

static int frame_of(struct making *m, __u32 frame, __u32 *ret)
{
	const struct chain_stacks *s = m->x->stacks;
	const struct chain_frame *f = &s->tree->frames[frame];
	char name[NAME_MAX_BYTES], module[NAME_MAX_BYTES];
	int err;

	if (m->seen[frame] != NOT_SEEN) {
		*ret = m->seen[frame] - 1;
		return 0;
	}
	chain_frame_name(s->names, f, name, sizeof(name));
	chain_frame_module(s->names, f, module, sizeof(module));
	err = stack_list_frame(&m->list, name, module, ret);
	m->seen[frame] = *ret + 1;
	return err;
}

static int add_stack(struct making *m, const struct chain_stack *st)
{
	const struct chain_stacks *s = m->x->stacks;
	__u32 frames[FRAMES_MAX], nodes[CHAIN_FRAMES_MAX], nr = 0;
	char name[NAME_MAX_BYTES];
	size_t i, depth = chain_stack_path(s, st, nodes);
	int err = 0;

	for (i = 0; i < depth && !err; i++)
		err = frame_of(m, s->tree->nodes[nodes[i]].frame,
			       &frames[nr++]);
	if (!err && st->proc != VMMPROF_NONE) {
		name_program(s->names, st->proc, name, sizeof(name));
		err = add_name(m, frames, &nr, name);
	}
	if (!err)
		err = add_name(m, frames, &nr, m->vm);
	return err ? err :
		     stack_list_add(&m->list, frames, nr,
				    time_of(m, st->samples, st->ns));
}

static int collect(struct making *m)
{
	const struct chain_stacks *s = m->x->stacks;
	const struct entry *e;
	size_t i, to;
	int err = 0;

	entries_of(m->x->entries, m->machine, &i, &to);
	for (; i < to && !err; i++) {
		e = &m->x->entries->entries[i];
		if (e->machine == m->machine && time_of(m, e->samples, e->ns) &&
		    kind_of(e->state) == m->kind &&
		    export_beside_stacks(m->x, e))
			err = add_entry(m, e);
	}
	for (i = 0; s && i < s->nr && !err; i++)
		if (s->stacks[i].machine == m->machine &&
		    kind_of(chain_stack_state(s, &s->stacks[i])) == m->kind &&
		    time_of(m, s->stacks[i].samples, s->stacks[i].ns))
			err = add_stack(m, &s->stacks[i]);
	return err;
}

/* Number and name of the machine, and the kind, as a file's name. */
static void file_name(const struct making *m, const char *end, char *buf,
		      size_t size)
{
	char name[48];
	size_t i;

	snprintf(name, sizeof(name), "%.47s", m->vm);
	for (i = 0; name[i]; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("._-", name[i]))
			name[i] = '_';
	snprintf(buf, size, "%04u-%s.%s.%s", m->machine, name, kinds[m->kind],
		 end);
}

static void put_head(const struct making *m, const struct pprof_size *size,
		     FILE *out)
{
	const struct export_data *x = m->x;
	char raw[256] = "", host[1024];
	struct json_out j;

	if (text_get(&x->r->a->session.text, "hostname", raw, sizeof(raw)) < 0)
		*raw = '\0';
	safe_text(host, sizeof(host), raw);
	json_out_init(&j, out);
	j.one_line = true;
	json_out_object(&j, NULL);
	json_out_string(&j, "type", kinds[m->kind]);
	if (*host)
		json_out_string(&j, "host", host);
	if (m->machine)
		json_out_string(&j, "vm", m->vm);
	json_out_u64(&j, "time_ns", x->real_ns);
	json_out_u64(&j, "duration_ns", x->duration_ns);
	json_out_u64(&j, "stacks", size->stacks);
	json_out_u64(&j, "folded", size->folded);
	json_out_u64(&j, "folded_ns", size->folded_ns);
	json_out_object_end(&j);
}

/* A file of what is made in memory. */
static int put_file(const struct making *m, const char *end, char *data,
		    size_t size, FILE *out)
{
	char name[TAR_NAME_MAX];

	file_name(m, end, name, sizeof(name));
	return tar_put(out, name, data, size, m->x->real_ns / 1000000000);
}

static int put_profile(struct making *m, struct per_vm *done, FILE *out)
{
	const struct pprof_head h = {
		.type = kinds[m->kind],
		.root = m->vm,
		/* without a period: time is counted, not sampled */
		.period_ns = m->kind == CPU && m->x->period_ns ?
				     m->x->period_ns :
				     1,
		.real_ns = m->x->real_ns,
		.duration_ns = m->x->duration_ns,
	};
	char *data[2] = { NULL };
	struct pprof_size size;
	size_t bytes[2], i;
	FILE *to;
	int err = 0;

	for (i = 0; i < 2 && !err; i++) {
		to = open_memstream(&data[i], &bytes[i]);
		if (!to)
			err = -ENOMEM;
		else if (!i)
			err = pprof_stacks_put(&m->list, &h, &size, to);
		else
			put_head(m, &size, to);
		if (to && fclose(to))
			err = -ENOMEM;
	}
	if (!err)
		err = put_file(m, "json", data[1], bytes[1], out);
	if (!err)
		err = put_file(m, "pb.gz", data[0], bytes[0], out);
	if (!err) {
		done->profiles++;
		done->stacks += size.stacks;
		done->folded += size.folded;
		sat_sum(&done->folded_ns, size.folded_ns);
	}
	free(data[0]);
	free(data[1]);
	return err;
}

static int put_one(const struct export_data *x, const struct entry *first,
		   enum kind kind, struct per_vm *done, FILE *out)
{
	struct making m = { .x = x,
			    .machine = first->machine,
			    .kind = kind,
			    .vm = export_name(x, first->guest) };
	int err = 0;

	if (x->stacks) {
		m.seen = calloc(x->stacks->tree->nr_frames + 1,
				sizeof(*m.seen));
		err = m.seen ? 0 : -ENOMEM;
	}
	if (!err)
		err = collect(&m);
	if (!err && m.list.nr)
		err = put_profile(&m, done, out);
	stack_list_deinit(&m.list);
	free(m.seen);
	return err;
}

/* The first entry of the machine behind @machine; NULL: there is none. */
static const struct entry *machine_after(const struct export_data *x,
					 __u32 machine)
{
	const struct entry *e, *next = NULL;
	size_t i;

	for (i = 0; i < x->entries->nr; i++) {
		e = &x->entries->entries[i];
		if ((machine == MACHINE_NONE || e->machine > machine) &&
		    (!next || e->machine < next->machine))
			next = e;
	}
	return next;
}

int export_per_vm(const struct export_data *x, struct per_vm *done, FILE *out)
{
	__u32 machine = MACHINE_NONE;
	const struct entry *first;
	enum kind kind;
	int err = 0;

	memset(done, 0, sizeof(*done));
	while (!err && (first = machine_after(x, machine))) {
		machine = first->machine;
		for (kind = CPU; kind < NR_KINDS && !err; kind++)
			err = put_one(x, first, kind, done, out);
	}
	return err ? err : tar_end(out);
}
