// SPDX-License-Identifier: GPL-2.0-only
/*
 * A trace in Perfetto's protobuf format (protos/perfetto/trace/): a process for
 * each VM with, for each vCPU, a track of state slices, one of the functions
 * that were sampled in its guest, and a counter of stolen time; and a track for
 * each CPU with the vCPUs that had it.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "view/proto.h"
#include "view/table.h"
#include "view/timeline.h"

#define UUID_CPU      0x4000000000000000ull
#define UUID_COUNTER  0x2000000000000000ull
#define UUID_FUNCTION 0x1000000000000000ull
#define SEQUENCE      1

/* Samples of a vCPU in a row that hit the same function. */
struct run {
	struct bucket_key key;
	__u64 from, last; /* TSC of the first and the last one */
	bool open;
};

struct perfetto {
	FILE *out;
	struct names names;
	struct run *runs; /* by track */
	size_t nr_runs, cap_runs;
	const struct timeline *tl;
	struct hash named; /* uuids of CPUs and VMs described */
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
	return ferror(p->out) ? -EIO : 0;
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

/* A slice for samples in a row: the last one stands for a period, too. */
static int put_run(struct perfetto *p, __u32 i, __u64 until)
{
	const struct track *t = p->tl->tracks[i];
	__u64 uuid = UUID_FUNCTION + i, to = p->runs[i].last + p->tl->period;
	char function[256], process[256], name[64], vcpu[32];
	struct bucket_key key = p->runs[i].key;
	__u64 vm;
	int err = 0;

	p->runs[i].open = false;
	if (first_time(p, uuid)) {
		slice_vcpu(t, vcpu, sizeof(vcpu));
		snprintf(name, sizeof(name), "%s functions", vcpu);
		err = describe_parent(p, i, &vm);
		if (!err)
			err = describe(p, uuid, name, vm, false);
	}
	name_function(&p->names, &key, function, sizeof(function));
	name_program(&p->names, key.proc, process, sizeof(process));
	if (!err)
		err = put_event_of(p, uuid, TYPE_BEGIN, p->runs[i].from,
				   process, function, 0);
	return err ? err :
		     put_event(p, uuid, TYPE_END, to < until ? to : until, NULL,
			       0);
}

static bool same_function(const struct bucket_key *a,
			  const struct bucket_key *b)
{
	return a->func == b->func && a->module == b->module &&
	       a->proc == b->proc && a->cause == b->cause;
}

static int run_of(struct perfetto *p, __u32 i, struct run **ret)
{
	int err = 0;

	while (i >= p->nr_runs && !err) {
		err = vec_grow(&p->runs, &p->cap_runs, p->nr_runs,
			       sizeof(*p->runs));
		if (!err)
			p->runs[p->nr_runs++] = (struct run){ .open = false };
	}
	*ret = &p->runs[i];
	return err;
}

/* slice_sample_fn */
static int put_sample(void *arg, const struct vmmprof_rec_sample *s,
		      const struct resolved *where)
{
	struct perfetto *p = arg;
	const struct timeline *tl = p->tl;
	__u32 i = track_find(tl, s->pid, s->tid);
	__u64 tsc = s->hdr.tsc;
	struct run *run;
	int err;

	if (!where->key.guest || !tl->period || s->event != tl->event ||
	    i == VMMPROF_NONE || tsc < tl->begin ||
	    (tl->bounded && tsc > tl->end))
		return 0;
	err = names_more(&p->names);
	if (!err)
		err = run_of(p, i, &run);
	if (err)
		return err;
	if (run->open && tsc >= run->last &&
	    tsc - run->last <= 2 * tl->period &&
	    same_function(&run->key, &where->key)) {
		run->last = tsc;
		return 0;
	}
	if (run->open)
		err = put_run(p, i, tsc > run->from ? tsc : run->from);
	*run = (struct run){ where->key, tsc, tsc, true };
	return err;
}

int perfetto_write(struct timeline *tl, FILE *out)
{
	struct perfetto p = { .tl = tl, .out = out };
	int err = names_init(&p.names, tl->a);
	__u32 i;

	if (!err)
		err = slices_write(tl, put_slice, put_sample, &p, out);
	for (i = 0; i < p.nr_runs && !err; i++)
		if (p.runs[i].open)
			err = put_run(&p, i,
				      tl->end > p.runs[i].from ?
					      tl->end :
					      p.runs[i].from);
	if (!err && (fflush(out) || ferror(out)))
		err = -EIO;
	names_deinit(&p.names);
	hash_deinit(&p.named);
	free(p.runs);
	return err;
}
