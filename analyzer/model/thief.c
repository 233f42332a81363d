// SPDX-License-Identifier: GPL-2.0-only
/* Entries of culprits and the ticks they took. */

#include <stdlib.h>
#include <string.h>

#include "model/thief.h"
#include "base/saturate.h"
#include "base/vec.h"

void vmmprof_culprits_deinit(struct vmmprof_culprits *cs)
{
	free(cs->culprits);
	free(cs->thefts);
	vmmprof_hash_deinit(&cs->by_key);
	vmmprof_hash_deinit(&cs->pairs);
	vmmprof_strings_deinit(&cs->names);
	memset(cs, 0, sizeof(*cs));
}

int vmmprof_culprit_plain(struct vmmprof_culprits *cs, unsigned int kind,
			  __u32 pid, __u32 id, __u32 *ret)
{
	__u64 key = (__u64)kind << 32 | id;
	struct vmmprof_culprit *c;
	int err;

	*ret = vmmprof_hash_get(&cs->by_key, key);
	if (*ret != VMMPROF_NONE) {
		if (cs->culprits[*ret].pid != pid)
			cs->culprits[*ret].several = true;
		return 0;
	}
	err = vmmprof_vec_grow(&cs->culprits, &cs->cap, cs->nr, sizeof(*c));
	if (!err)
		err = vmmprof_hash_set(&cs->by_key, key, cs->nr);
	if (err)
		return err;
	*ret = cs->nr++;
	c = &cs->culprits[*ret];
	memset(c, 0, sizeof(*c));
	c->kind = kind;
	c->pid = pid;
	c->id = id;
	return 0;
}

int vmmprof_culprit_named(struct vmmprof_culprits *cs, unsigned int kind,
			  __u32 pid, const char *comm, __u32 *ret)
{
	static const char more[16] = "(other programs";
	__u32 str;
	int err;

	/* Names are a process's to choose, so their number is bounded. */
	if (cs->nr >= VMMPROF_CULPRITS_MAX)
		comm = more;
	err = vmmprof_strings_add(&cs->names, comm, 16, &str);
	return err ? err : vmmprof_culprit_plain(cs, kind, pid, str, ret);
}

int vmmprof_culprits_book(struct vmmprof_culprits *cs, __u32 track,
			  __u32 culprit, bool woken, __u64 ticks)
{
	__u64 key = (__u64)track << 32 | culprit;
	__u32 i = vmmprof_hash_get(&cs->pairs, key);
	struct vmmprof_theft *t;
	int err;

	/* Too many to tell apart: the first entry, BY_UNKNOWN, takes the rest. */
	if (i == VMMPROF_NONE && cs->nr_thefts >= VMMPROF_THEFTS_MAX) {
		culprit = 0;
		key = (__u64)track << 32;
		i = vmmprof_hash_get(&cs->pairs, key);
	}
	if (i == VMMPROF_NONE) {
		i = cs->nr_thefts;
		err = vmmprof_vec_grow(&cs->thefts, &cs->cap_thefts, i,
				       sizeof(*t));
		if (!err)
			err = vmmprof_hash_set(&cs->pairs, key, i);
		if (err)
			return err;
		t = &cs->thefts[cs->nr_thefts++];
		memset(t, 0, sizeof(*t));
		t->track = track;
		t->culprit = culprit;
	}
	t = &cs->thefts[i];
	if (woken)
		vmmprof_sum(&t->woken, ticks);
	else
		vmmprof_sum(&t->preempted, ticks);
	if (ticks > t->longest)
		t->longest = ticks;
	return 0;
}

unsigned int vmmprof_culprit_kthread_kind(const char *comm)
{
	static const char *const irq[] = { "ksoftirqd/", "irq/", "ktimers/" };
	static const char *const other[] = { "kworker/", "migration/", "rcu_",
					     "rcuc/",	 "rcuop/",     "rcuog/",
					     "cpuhp/",	 "kthreadd",   "kswapd",
					     "jbd2/",	 "watchdog/",  "kvm-" };
	size_t i;

	/* Asked of every sample of the host: most differ in the first byte. */
	for (i = 0; i < sizeof(irq) / sizeof(irq[0]); i++)
		if (*comm == *irq[i] && !strncmp(comm, irq[i], strlen(irq[i])))
			return VMMPROF_BY_IRQ;
	for (i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (*comm == *other[i] &&
		    !strncmp(comm, other[i], strlen(other[i])))
			return VMMPROF_BY_KTHREAD;
	return VMMPROF_BY_PROCESS;
}

const char *vmmprof_culprit_key(unsigned int kind)
{
	static const char *const key[VMMPROF_NR_BY] = {
		"unknown", "vcpu",    "process", "kernel-thread",
		"irq",	   "wake-up", "quota",	 "nobody",
	};

	return kind < VMMPROF_NR_BY ? key[kind] : "?";
}
