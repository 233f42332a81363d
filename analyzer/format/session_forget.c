// SPDX-License-Identifier: GPL-2.0-only
/* Leaves out what has ended of a session that is still written. */

#include "format/session.h"

static bool is_in(const struct hash *h, __u32 pid, __u32 tid)
{
	return hash_get(h, (__u64)pid << 32 | tid) != VMMPROF_NONE;
}

/* @vms: the VMs that lost a thread, or have one still. */
static int forget_vcpus(struct session *s, const struct hash *ended,
			struct hash *vms)
{
	size_t i, nr = 0;
	int ret = 0;
	bool out;

	for (i = 0; i < s->nr_vcpus && !ret; i++) {
		const struct vmmprof_info_vcpu *v = s->vcpus[i];

		out = is_in(ended, v->pid, v->tid);
		if (!out)
			s->vcpus[nr++] = v;
		if (!out || hash_get(vms, v->pid) == VMMPROF_NONE)
			ret = hash_set(vms, v->pid, !out);
	}
	s->nr_vcpus = nr;
	return ret;
}

static void forget_states(struct session *s, const struct hash *ended)
{
	size_t i, nr = 0;

	for (i = 0; i < s->nr_states; i++)
		if (!is_in(ended, s->states[i]->pid, s->states[i]->tid))
			s->states[nr++] = s->states[i];
	s->nr_states = nr;
}

static void forget_vms(struct session *s, const struct hash *vms)
{
	size_t i, nr = 0;

	/* without any thread that is known it has just begun */
	for (i = 0; i < s->nr_vms; i++)
		if (hash_get(vms, s->vms[i]->pid) != 0)
			s->vms[nr++] = s->vms[i];
	s->nr_vms = nr;
}

int session_forget(struct session *s, const struct hash *ended)
{
	struct hash vms = { 0 };
	int ret = forget_vcpus(s, ended, &vms);

	if (!ret) {
		forget_states(s, ended);
		forget_vms(s, &vms);
	}
	hash_deinit(&vms);
	return ret;
}
