// SPDX-License-Identifier: GPL-2.0-only
/*
 * A trace in Perfetto's protobuf format (protos/perfetto/trace/): a process for
 * each VM with a track of state slices and a counter of stolen time for each
 * vCPU, and a track for each CPU with the vCPUs that had it.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/proto.h"
#include "view/timeline.h"

#define UUID_CPU     0x4000000000000000ull
#define UUID_COUNTER 0x2000000000000000ull
#define SEQUENCE     1

struct vmmprof_perfetto {
	FILE *out;
	const struct vmmprof_timeline *tl;
	struct vmmprof_hash named; /* uuids of CPUs and VMs described */
};

enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_COUNTER = 4 };

/* Trace.packet = 1 */
static int put_packet(struct vmmprof_perfetto *p,
		      const struct vmmprof_proto *packet)
{
	struct vmmprof_proto head = { 0 };

	vmmprof_proto_varint(&head, 1 << 3 | 2);
	vmmprof_proto_varint(&head, packet->size);
	fwrite(head.data, head.size, 1, p->out);
	fwrite(packet->data, packet->size, 1, p->out);
	return ferror(p->out) ? -EIO : 0;
}

static int put_descriptor(struct vmmprof_perfetto *p,
			  const struct vmmprof_proto *track)
{
	struct vmmprof_proto packet = { 0 };

	vmmprof_proto_number(&packet, 10, SEQUENCE);
	vmmprof_proto_bytes(&packet, 60, track->data, track->size);
	return put_packet(p, &packet);
}

/* uuid = 1, name = 2, process = 3, parent_uuid = 5, counter = 8 */
static int describe(struct vmmprof_perfetto *p, __u64 uuid, const char *name,
		    __u64 parent, bool counter)
{
	struct vmmprof_proto m = { 0 };

	vmmprof_proto_number(&m, 1, uuid);
	vmmprof_proto_string(&m, 2, name);
	if (parent)
		vmmprof_proto_number(&m, 5, parent);
	if (counter)
		vmmprof_proto_bytes(&m, 8, "", 0);
	return put_descriptor(p, &m);
}

static int describe_vm(struct vmmprof_perfetto *p, __u64 uuid, __u32 pid,
		       const char *name)
{
	struct vmmprof_proto m = { 0 }, process = { 0 };

	vmmprof_proto_number(&process, 1, pid);
	vmmprof_proto_string(&process, 6, name);
	vmmprof_proto_number(&m, 1, uuid);
	vmmprof_proto_bytes(&m, 3, process.data, process.size);
	return put_descriptor(p, &m);
}

/* Once for each uuid. */
static bool first_time(struct vmmprof_perfetto *p, __u64 uuid)
{
	if (vmmprof_hash_get(&p->named, uuid) != VMMPROF_NONE)
		return false;
	return !vmmprof_hash_set(&p->named, uuid, 1);
}

/* timestamp = 8; TrackEvent: type = 9, track_uuid = 11, name = 23, value = 30 */
static int put_event(struct vmmprof_perfetto *p, __u64 uuid, unsigned int type,
		     __u64 tsc, const char *name, __u64 value)
{
	struct vmmprof_proto packet = { 0 }, event = { 0 };
	__u64 khz = p->tl->khz ? p->tl->khz : 1000000;

	vmmprof_proto_number(&event, 9, type);
	vmmprof_proto_number(&event, 11, uuid);
	if (name)
		vmmprof_proto_string(&event, 23, name);
	if (type == TYPE_COUNTER)
		vmmprof_proto_number(&event, 30, value);
	vmmprof_proto_number(&packet, 8,
			     vmmprof_sat_scale(tsc - p->tl->begin, 1000000,
					       khz));
	vmmprof_proto_number(&packet, 10, SEQUENCE);
	vmmprof_proto_bytes(&packet, 11, event.data, event.size);
	return put_packet(p, &packet);
}

static int describe_track(struct vmmprof_perfetto *p, __u32 i)
{
	const struct vmmprof_track *t = p->tl->tracks[i];
	__u64 vm = (1ull << 40) + t->guest, uuid = i + 1;
	char guest[200], name[32], counter[64];
	int err = 0;

	vmmprof_slice_guest(p->tl, t, guest, sizeof(guest));
	vmmprof_slice_vcpu(t, name, sizeof(name));
	snprintf(counter, sizeof(counter), "%s steal (ns)", name);
	if (first_time(p, vm))
		err = describe_vm(p, vm, t->pid, guest);
	if (!err)
		err = describe(p, uuid, name, vm, false);
	return err ? err : describe(p, UUID_COUNTER + i, counter, vm, true);
}

static int put_on_cpu(struct vmmprof_perfetto *p, __u32 i,
		      const struct vmmprof_slice *s)
{
	const struct vmmprof_track *t = p->tl->tracks[i];
	__u32 cpu = p->tl->pcpus[s->cpu].cpu;
	char guest[200], vcpu[32], name[256];
	int err = 0;

	if (first_time(p, UUID_CPU + cpu)) {
		snprintf(name, sizeof(name), "CPU %u", cpu);
		err = describe(p, UUID_CPU + cpu, name, 0, false);
	}
	vmmprof_slice_guest(p->tl, t, guest, sizeof(guest));
	vmmprof_slice_vcpu(t, vcpu, sizeof(vcpu));
	snprintf(name, sizeof(name), "%s %s", guest, vcpu);
	if (!err)
		err = put_event(p, UUID_CPU + cpu, TYPE_BEGIN, s->from, name,
				0);
	return err ? err :
		     put_event(p, UUID_CPU + cpu, TYPE_END, s->to, NULL, 0);
}

/* vmmprof_slice_fn */
static int put_slice(void *arg, __u32 i, const struct vmmprof_slice *s)
{
	struct vmmprof_perfetto *p = arg;
	char name[256], who[200];
	int err = 0;

	if (!s->named)
		err = describe_track(p, i);
	vmmprof_slice_culprit(p->tl, s, who, sizeof(who));
	snprintf(name, sizeof(name), "%s%s%s", vmmprof_state_key(s->state),
		 *who ? ": " : "", who);
	if (!err)
		err = put_event(p, i + 1, TYPE_BEGIN, s->from, name, 0);
	if (!err)
		err = put_event(p, i + 1, TYPE_END, s->to, NULL, 0);
	if (!err && s->state == VMMPROF_ST_ON_CPU)
		err = put_on_cpu(p, i, s);
	if (!vmmprof_state_waits(s->state) || err || !p->tl->khz)
		return err;
	return put_event(p, UUID_COUNTER + i, TYPE_COUNTER, s->to, NULL,
			 vmmprof_sat_scale(s->stolen, 1000000, p->tl->khz));
}

int vmmprof_perfetto_write(struct vmmprof_timeline *tl, FILE *out)
{
	struct vmmprof_perfetto p = { .tl = tl, .out = out };
	int err = vmmprof_slices_write(tl, put_slice, &p, out);

	vmmprof_hash_deinit(&p.named);
	return err;
}
