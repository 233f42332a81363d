// SPDX-License-Identifier: GPL-2.0-only
/* VMs by pid, vCPUs by (VM, id), and their clocks. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/clock.h"
#include "model/guests.h"
#include "base/vec.h"

static __u64 name_key(const char *name)
{
	return hash_bytes(name, strlen(name));
}

/* Of several of one name the first one is found. */
static int name_set(struct guests *gs, __u32 i)
{
	__u64 key = name_key(gs->guests[i].name);

	return hash_get(&gs->names, key) <= i ? 0 :
						hash_set(&gs->names, key, i);
}

static int guest_add(struct guests *gs, __u32 pid, const char *name, __u32 *ret)
{
	struct guest *g;
	char unnamed[24];
	int err;

	err = vec_grow(&gs->guests, &gs->cap, gs->nr, sizeof(*g));
	if (err)
		return err;
	g = &gs->guests[gs->nr];
	memset(g, 0, sizeof(*g));
	snprintf(unnamed, sizeof(unnamed), "pid-%u", pid);
	g->pid = pid;
	g->listed = name;
	g->clock_vcpu = VMMPROF_NONE;
	g->name = strdup(name && *name ? name : unnamed);
	if (!g->name)
		return -ENOMEM;
	*ret = gs->nr++;
	err = hash_set(&gs->pids, pid, *ret);
	return err ? err : name_set(gs, *ret);
}

int guests_get(struct guests *gs, __u32 pid, __u32 *ret)
{
	*ret = hash_get(&gs->pids, pid);
	return *ret == VMMPROF_NONE ? guest_add(gs, pid, NULL, ret) : 0;
}

int guests_name(struct guests *gs, __u32 pid, const char *name)
{
	char *copy;
	__u32 i;
	int err;

	err = guests_get(gs, pid, &i);
	if (err || !*name || !strcmp(gs->guests[i].name, name))
		return err;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	free(gs->guests[i].name);
	gs->guests[i].name = copy;
	gs->guests[i].listed = true;
	return name_set(gs, i);
}

static int vcpu_get(struct guests *gs, __u32 guest, __u32 id, struct vcpu **ret)
{
	__u64 key = (__u64)guest << 32 | id;
	__u32 i = hash_get(&gs->ids, key);
	struct vcpu *v;
	int err;

	if (i == VMMPROF_NONE) {
		i = gs->nr_vcpus;
		err = vec_grow(&gs->vcpus, &gs->cap_vcpus, i, sizeof(*v));
		if (!err)
			err = hash_set(&gs->ids, key, i);
		if (err)
			return err;
		v = &gs->vcpus[gs->nr_vcpus++];
		memset(v, 0, sizeof(*v));
		v->guest = guest;
		v->id = id;
	}
	*ret = &gs->vcpus[i];
	return 0;
}

int guests_init(struct guests *gs, const struct session *s)
{
	struct vcpu *v;
	__u32 guest;
	size_t i;
	int ret;

	memset(gs, 0, sizeof(*gs));
	for (i = 0; i < s->nr_vms; i++) {
		if (hash_get(&gs->pids, s->vms[i]->pid) != VMMPROF_NONE)
			continue;
		ret = guest_add(gs, s->vms[i]->pid, s->vms[i]->name, &guest);
		if (ret)
			return ret;
	}
	for (i = 0; i < s->nr_vcpus; i++) {
		ret = guests_get(gs, s->vcpus[i]->pid, &guest);
		if (!ret)
			ret = vcpu_get(gs, guest, s->vcpus[i]->vcpu_id, &v);
		if (ret)
			return ret;
	}
	return 0;
}

void guests_deinit(struct guests *gs)
{
	size_t i;

	for (i = 0; i < gs->nr; i++)
		free(gs->guests[i].name);
	free(gs->guests);
	free(gs->vcpus);
	hash_deinit(&gs->names);
	hash_deinit(&gs->pids);
	hash_deinit(&gs->ids);
	memset(gs, 0, sizeof(*gs));
}

__u32 guests_by_name(const struct guests *gs, const char *name)
{
	size_t i = hash_get(&gs->names, name_key(name));

	if (i == VMMPROF_NONE || !strcmp(gs->guests[i].name, name))
		return i;
	/* The first who had it has got another one, maybe not the only one. */
	for (i = 0; i < gs->nr; i++)
		if (!strcmp(gs->guests[i].name, name))
			return i;
	return VMMPROF_NONE;
}

int guests_clock(struct guests *gs, const struct vmmprof_rec_vcpu *rec)
{
	struct vcpu *v;
	__u32 guest;
	int ret;

	ret = guests_get(gs, rec->pid, &guest);
	if (!ret)
		ret = vcpu_get(gs, guest, rec->vcpu_id, &v);
	if (ret)
		return ret;
	v->rec = *rec;
	v->has_clock = true;
	gs->guests[guest].clock_vcpu = v - gs->vcpus;
	return 0;
}

__u32 guests_vcpu(const struct guests *gs, __u32 guest, __u32 vcpu_id)
{
	__u32 i = hash_get(&gs->ids, (__u64)guest << 32 | vcpu_id);

	return i != VMMPROF_NONE && gs->vcpus[i].has_clock ? i : VMMPROF_NONE;
}

bool guests_tsc(const struct guests *gs, __u32 guest, __u32 vcpu_id, __u64 tsc,
		__u64 *ret)
{
	__u32 i = guests_vcpu(gs, guest, vcpu_id);

	if (i == VMMPROF_NONE)
		i = gs->guests[guest].clock_vcpu;
	if (i == VMMPROF_NONE)
		return false;
	*ret = guest_tsc(&gs->vcpus[i].rec, tsc);
	return true;
}
