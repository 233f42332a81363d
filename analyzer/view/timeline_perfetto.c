// SPDX-License-Identifier: GPL-2.0-only
/*
 * A trace in Perfetto's protobuf format (protos/perfetto/trace/): a process for
 * each VM with, for each vCPU, a track of state slices, one of the functions
 * that were sampled in its guest, with call chains one in the other and in them
 * the time in which it did not run, and a counter of stolen time; and a track for
 * each CPU with the vCPUs that had it.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/vec.h"
#include "model/chain_pass.h"
#include "view/chain_names.h"
#include "view/proto.h"
#include "view/table.h"
#include "view/timeline.h"

#define UUID_CPU      0x4000000000000000ull
#define UUID_COUNTER  0x2000000000000000ull
#define UUID_FUNCTION 0x1000000000000000ull
#define SEQUENCE      1

/* Samples of a vCPU in a row, and stretches in which it did not run. */
struct run {
	__u64 last; /* TSC of the last sample, or the end of the last stretch */
	__u64 until; /* what is open ends there, if nothing else begins before */
	__u32 machine, proc;	   /* that they are in */
	struct chain_frame *stack; /* slices that are open, the outermost first */
	size_t nr, cap;		   /* 0: none */
};

struct perfetto {
	FILE *out;
	struct names names;
	struct run *runs; /* by track */
	size_t nr_runs, cap_runs;
	const struct timeline *tl;
	struct hash named; /* uuids of CPUs and VMs described */
	struct chain_frames one;
	struct chain_pass *pass; /* NULL: no chains */
};

enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_COUNTER = 4 };

/* Trace.packet = 1 */
static int put_packet(struct perfetto *p, const struct proto *packet)
{
	struct proto head = { 0 };

	proto_varint(&head, 1 << 3 | 2);
	proto_varint(&head, packet->size);
	fwrite(head.data, head.size, 1, p->out);
	fwrite(packet->data, packet->size, 1, p->out);
	return io_stream(p->out);
}

static int put_descriptor(struct perfetto *p, const struct proto *track)
{
	struct proto packet = { 0 };

	proto_number(&packet, 10, SEQUENCE);
	proto_bytes(&packet, 60, track->data, track->size);
	return put_packet(p, &packet);
}

/* uuid = 1, name = 2, process = 3, parent_uuid = 5, counter = 8 */
static int describe(struct perfetto *p, __u64 uuid, const char *name,
		    __u64 parent, bool counter)
{
	struct proto m = { 0 };

	proto_number(&m, 1, uuid);
	proto_string(&m, 2, name);
	if (parent)
		proto_number(&m, 5, parent);
	if (counter)
		proto_bytes(&m, 8, "", 0);
	return put_descriptor(p, &m);
}

static int describe_vm(struct perfetto *p, __u64 uuid, __u32 pid,
		       const char *name)
{
	struct proto m = { 0 }, process = { 0 };

	proto_number(&process, 1, pid);
	proto_string(&process, 6, name);
	proto_number(&m, 1, uuid);
	proto_bytes(&m, 3, process.data, process.size);
	return put_descriptor(p, &m);
}

/* Once for each uuid. */
static bool first_time(struct perfetto *p, __u64 uuid)
{
	if (hash_get(&p->named, uuid) != VMMPROF_NONE)
		return false;
	return !hash_set(&p->named, uuid, 1);
}

/*
 * timestamp = 8; TrackEvent: type = 9, track_uuid = 11, categories = 22,
 * name = 23, value = 30
 */
static int put_event_of(struct perfetto *p, __u64 uuid, unsigned int type,
			__u64 tsc, const char *category, const char *name,
			__u64 value)
{
	struct proto packet = { 0 }, event = { 0 };
	__u64 khz = p->tl->khz ? p->tl->khz : 1000000;

	proto_number(&event, 9, type);
	proto_number(&event, 11, uuid);
	if (category)
		proto_string(&event, 22, category);
	if (name)
		proto_string(&event, 23, name);
	if (type == TYPE_COUNTER)
		proto_number(&event, 30, value);
	proto_number(&packet, 8, sat_scale(tsc - p->tl->begin, 1000000, khz));
	proto_number(&packet, 10, SEQUENCE);
	proto_bytes(&packet, 11, event.data, event.size);
	return put_packet(p, &packet);
}

static int put_event(struct perfetto *p, __u64 uuid, unsigned int type,
		     __u64 tsc, const char *name, __u64 value)
{
	return put_event_of(p, uuid, type, tsc, NULL, name, value);
}

/* The process that a vCPU's tracks belong to: described before them. */
static int describe_parent(struct perfetto *p, __u32 i, __u64 *vm)
{
	const struct track *t = p->tl->tracks[i];
	char guest[200];

	*vm = (1ull << 40) + t->guest;
	if (!first_time(p, *vm))
		return 0;
	slice_guest(p->tl, t, guest, sizeof(guest));
	return describe_vm(p, *vm, t->pid, guest);
}

static int describe_track(struct perfetto *p, __u32 i)
{
	const struct track *t = p->tl->tracks[i];
	__u64 vm, uuid = i + 1;
	char name[32], counter[64];
	int err;

	slice_vcpu(t, name, sizeof(name));
	snprintf(counter, sizeof(counter), "%s steal (ns)", name);
	err = describe_parent(p, i, &vm);
	if (!err)
		err = describe(p, uuid, name, vm, false);
	return err ? err : describe(p, UUID_COUNTER + i, counter, vm, true);
}

static int put_on_cpu(struct perfetto *p, __u32 i, const struct slice *s)
{
	const struct track *t = p->tl->tracks[i];
	__u32 cpu = p->tl->pcpus[s->cpu].cpu;
	char guest[200], vcpu[32], name[256];
	int err = 0;

	if (first_time(p, UUID_CPU + cpu)) {
		snprintf(name, sizeof(name), "CPU %u", cpu);
		err = describe(p, UUID_CPU + cpu, name, 0, false);
	}
	slice_guest(p->tl, t, guest, sizeof(guest));
	slice_vcpu(t, vcpu, sizeof(vcpu));
	snprintf(name, sizeof(name), "%s %s", guest, vcpu);
	if (!err)
		err = put_event(p, UUID_CPU + cpu, TYPE_BEGIN, s->from, name,
				0);
	return err ? err :
		     put_event(p, UUID_CPU + cpu, TYPE_END, s->to, NULL, 0);
}

/* slice_fn */
static int put_slice(void *arg, __u32 i, const struct slice *s)
{
	struct perfetto *p = arg;
	char name[256], who[200];
	int err = 0;

	if (!s->named)
		err = describe_track(p, i);
	slice_thief(p->tl, s, who, sizeof(who));
	snprintf(name, sizeof(name), "%s%s%s", state_key(s->state),
		 *who ? ": " : "", who);
	if (!err)
		err = put_event(p, i + 1, TYPE_BEGIN, s->from, name, 0);
	if (!err)
		err = put_event(p, i + 1, TYPE_END, s->to, NULL, 0);
	if (!err && s->state == STATE_ON_CPU)
		err = put_on_cpu(p, i, s);
	if (!state_waits(s->state) || err || !p->tl->khz)
		return err;
	return put_event(p, UUID_COUNTER + i, TYPE_COUNTER, s->to, NULL,
			 sat_scale(s->stolen, 1000000, p->tl->khz));
}

static int describe_functions(struct perfetto *p, __u32 i)
{
	const struct track *t = p->tl->tracks[i];
	char name[64], vcpu[32];
	__u64 vm;
	int err;

	if (!first_time(p, UUID_FUNCTION + i))
		return 0;
	slice_vcpu(t, vcpu, sizeof(vcpu));
	snprintf(name, sizeof(name), "%s functions", vcpu);
	err = describe_parent(p, i, &vm);
	return err ? err : describe(p, UUID_FUNCTION + i, name, vm, false);
}

/* End the slices of a track but for the first @keep ones. */
static int close_slices(struct perfetto *p, __u32 i, size_t keep, __u64 until)
{
	struct run *run = &p->runs[i];
	__u64 to = run->until < until ? run->until : until;
	int err = 0;

	for (; run->nr > keep && !err; run->nr--)
		err = put_event(p, UUID_FUNCTION + i, TYPE_END, to, NULL, 0);
	return err;
}

static int open_slice(struct perfetto *p, __u32 i, const struct chain_frame *f,
		      __u64 tsc)
{
	struct run *run = &p->runs[i];
	char function[256], process[256];
	int err = vec_grow(&run->stack, &run->cap, run->nr, sizeof(*f));

	if (err)
		return err;
	run->stack[run->nr++] = *f;
	chain_frame_name(&p->names, f, function, sizeof(function));
	name_program(&p->names, run->proc, process, sizeof(process));
	return put_event_of(p, UUID_FUNCTION + i, TYPE_BEGIN, tsc, process,
			    function, 0);
}

/* A frame without what does not tell functions apart. */
static struct chain_frame plain(const struct chain_frame *f)
{
	struct chain_frame ret = *f;

	ret.addr = 0;
	ret.link = 0;
	ret.mode = 0;
	ret.file = VMMPROF_NONE;
	return ret;
}

/* How many open slices are the callers of a sample, too; .frame: innermost first. */
static size_t same_slices(const struct run *run, const struct chain_frames *f)
{
	struct chain_frame one;
	size_t n;

	for (n = 0; n < run->nr && n < f->nr; n++) {
		one = plain(&f->frame[f->nr - 1 - n]);
		if (memcmp(&one, &run->stack[n], sizeof(one)))
			break;
	}
	return n;
}

static int run_of(struct perfetto *p, __u32 i, struct run **ret)
{
	int err = 0;

	while (i >= p->nr_runs && !err) {
		err = vec_grow(&p->runs, &p->cap_runs, p->nr_runs,
			       sizeof(*p->runs));
		if (!err)
			p->runs[p->nr_runs++] = (struct run){ .nr = 0 };
	}
	*ret = &p->runs[i];
	return err;
}

/* From @tsc to @to, or as long as a sample stands for (0). */
static int put_frames(struct perfetto *p, __u32 i, __u64 tsc, __u64 to,
		      const struct chain_frames *f)
{
	struct chain_frame one;
	struct run *run;
	size_t keep = 0;
	int err = run_of(p, i, &run);

	if (!err)
		err = describe_functions(p, i);
	if (err)
		return err;
	if (run->nr && tsc >= run->last &&
	    tsc - run->last <= 2 * p->tl->period &&
	    run->machine == f->machine && run->proc == f->proc)
		keep = same_slices(run, f);
	err = close_slices(p, i, keep, tsc > run->last ? tsc : run->last);
	run->machine = f->machine;
	run->proc = f->proc;
	run->last = to ? to : tsc;
	run->until = to ? to : tsc + p->tl->period;
	for (; keep < f->nr && !err; keep++) {
		one = plain(&f->frame[f->nr - 1 - keep]);
		err = open_slice(p, i, &one, tsc);
	}
	return err;
}

/* The track of a sample of a guest; VMMPROF_NONE: it is none of those shown. */
static __u32 track_of(const struct perfetto *p,
		      const struct vmmprof_rec_sample *s,
		      const struct resolved *where)
{
	const struct timeline *tl = p->tl;
	__u64 tsc = s->hdr.tsc;

	if (!where->key.guest || !tl->period || s->event != tl->event ||
	    tsc < tl->begin || (tl->bounded && tsc > tl->end))
		return VMMPROF_NONE;
	return track_find(tl, s->pid, s->tid);
}

/* slice_sample_fn: a chain of one function */
static int put_sample(void *arg, const struct vmmprof_rec_sample *s,
		      const struct resolved *where)
{
	struct perfetto *p = arg;
	struct chain_frames *f = &p->one;
	struct chain_frame *c = f->frame;
	__u32 i = track_of(p, s, where);
	int err;

	if (i == VMMPROF_NONE)
		return 0;
	err = names_more(&p->names);
	f->nr = 0;
	f->machine = where->key.guest;
	f->proc = where->key.proc;
	c = chain_push(f, FRAME_CODE, where->key.guest);
	c->func = where->key.func;
	c->module = where->key.module;
	c->mode = where->key.mode;
	c->cause = where->key.cause;
	return err ? err : put_frames(p, i, s->hdr.tsc, 0, f);
}

/* .each of the pass */
static int put_chain(void *arg, const struct chain_sample *s,
		     const struct chain_frames *f)
{
	struct perfetto *p = arg;
	__u32 i = track_of(p, &s->rec, &s->where);
	int err;

	if (i == VMMPROF_NONE)
		return 0;
	err = names_more(&p->names);
	return err ? err : put_frames(p, i, s->rec.hdr.tsc, 0, f);
}

/* .each of the time in which vCPUs did not run */
static int put_wait(void *arg, const struct track *t, __u64 from, __u64 to,
		    __u32 node)
{
	struct perfetto *p = arg;
	const struct chain_tree *tree = &p->pass->tree;
	struct chain_frames *f = &p->one;
	const struct chain_frame *c;
	int err;

	if (!chain_pass_timed(p->pass) || from == to)
		return 0;
	/* those of samples are due before */
	err = chain_join_before(&p->pass->join, from);
	if (!err)
		err = names_more(&p->names);
	f->nr = 0;
	f->machine = 1 + t->guest;
	f->proc = VMMPROF_NONE;
	for (; node; node = tree->nodes[node].parent) {
		c = &tree->frames[tree->nodes[node].frame];
		if (c->kind == FRAME_PROCESS)
			f->proc = c->what;
		else if (!chain_frame_top(c) && f->nr < CHAIN_FRAMES_MAX)
			f->frame[f->nr++] = *c;
	}
	return err ? err : put_frames(p, t->index, from, to, f);
}

/* The pass, with chains if there are any. */
static int write_all(struct perfetto *p, struct timeline *tl, bool chains,
		     bool inlines)
{
	struct chain_pass *pass;
	bool chained = false;
	int err = 0;

	if (chains)
		err = chain_pass_look(tl->a, &chained);
	if (err || !chained)
		return err ? err :
			     slices_write(tl, put_slice, put_sample, p, NULL,
					  p->out);
	pass = malloc(sizeof(*pass));
	if (!pass)
		return -ENOMEM;
	err = chain_pass_init(pass, tl->a, NULL, NULL);
	pass->no_tree = true;
	pass->in_order = true;
	pass->each = put_chain;
	pass->each_arg = p;
	p->pass = pass;
	chain_pass_time(pass, tl);
	pass->waits.each = put_wait;
	pass->waits.each_arg = p;
	if (inlines)
		chain_pass_inlines(pass);
	if (!err)
		err = slices_write(tl, put_slice, NULL, p, pass, p->out);
	chain_pass_deinit(pass);
	free(pass);
	return err;
}

int perfetto_write(struct timeline *tl, bool chains, bool inlines, FILE *out)
{
	struct perfetto *p = calloc(1, sizeof(*p));
	int err;
	__u32 i;

	if (!p)
		return -ENOMEM;
	p->tl = tl;
	p->out = out;
	err = names_init(&p->names, tl->a);
	p->names.tl = tl;
	if (!err)
		err = write_all(p, tl, chains, inlines);
	for (i = 0; i < p->nr_runs && !err; i++)
		err = close_slices(p, i, 0,
				   tl->end > p->runs[i].last ? tl->end :
							       p->runs[i].last);
	if (!err)
		err = io_flush(out);
	names_deinit(&p->names);
	hash_deinit(&p->named);
	for (i = 0; i < p->nr_runs; i++)
		free(p->runs[i].stack);
	free(p->runs);
	free(p);
	return err;
}
