// SPDX-License-Identifier: GPL-2.0-only
/* Entries of thieves and the ticks they took. */

#include <stdlib.h>
#include <string.h>

#include "model/thief.h"
#include "base/saturate.h"
#include "base/vec.h"

void thieves_deinit(struct thieves *cs)
{
	free(cs->thieves);
	free(cs->stolen);
	groups_deinit(&cs->by_track);
	hash_deinit(&cs->by_key);
	hash_deinit(&cs->pairs);
	strings_deinit(&cs->names);
	owners_deinit(&cs->owners);
	memset(cs, 0, sizeof(*cs));
}

static int thief_get(struct thieves *cs, const struct thief *want, __u32 *ret)
{
	__u64 key = (__u64)want->kind << 56 | (__u64)want->owner << 32 |
		    want->id;
	int err;

	*ret = hash_get(&cs->by_key, key);
	if (*ret != VMMPROF_NONE) {
		if (cs->thieves[*ret].pid != want->pid)
			cs->thieves[*ret].several = true;
		return 0;
	}
	err = vec_grow(&cs->thieves, &cs->cap, cs->nr, sizeof(*want));
	if (!err)
		err = hash_set(&cs->by_key, key, cs->nr);
	if (err)
		return err;
	*ret = cs->nr++;
	cs->thieves[*ret] = *want;
	return 0;
}

int thief_plain(struct thieves *cs, unsigned int kind, __u32 *ret)
{
	struct thief want = { .kind = kind };
	unsigned int owner = kind == BY_UNKNOWN ? OF_UNKNOWN :
			     kind == BY_QUOTA	? OF_QUOTA :
						  OF_NOBODY;
	int err = owner_get(&cs->owners, owner, 0, &want.owner);

	return err ? err : thief_get(cs, &want, ret);
}

int thief_vcpu(struct thieves *cs, __u32 pid, __u32 guest, __u32 track,
	       __u32 *ret)
{
	struct thief want = { .kind = BY_VCPU, .pid = pid, .id = track };
	int err = owner_get(&cs->owners, OF_VM, guest, &want.owner);

	return err ? err : thief_get(cs, &want, ret);
}

int thief_named(struct thieves *cs, unsigned int kind, __u32 owner, __u32 pid,
		const char *comm, __u32 *ret)
{
	static const char more[16] = "(other programs";
	struct thief want = { .kind = kind, .pid = pid, .owner = owner };
	int err;

	/* Names are a process's to choose, so their number is bounded. */
	if (cs->nr >= THIEVES_MAX)
		comm = more;
	err = strings_add(&cs->names, comm, 16, &want.id);
	return err ? err : thief_get(cs, &want, ret);
}

int thief_irq(struct thieves *cs, bool soft, __u32 *ret)
{
	static const char names[2][16] = { "hardirq", "softirq" };
	__u32 owner;
	int err = owner_get(&cs->owners, OF_IRQ, 0, &owner);

	return err ? err : thief_named(cs, BY_IRQ, owner, 0, names[soft], ret);
}

int thieves_stolen(struct thieves *cs, __u32 track, __u32 thief, __u32 *ret)
{
	__u64 key = stolen_key(track, thief);
	int err;

	*ret = hash_get(&cs->pairs, key);
	/* Too many to tell apart: the first entry, BY_UNKNOWN, takes the rest. */
	if (*ret == VMMPROF_NONE && cs->nr_stolen >= STOLEN_TIMES_MAX) {
		thief = 0;
		key = stolen_key(track, thief);
		*ret = hash_get(&cs->pairs, key);
	}
	if (*ret != VMMPROF_NONE)
		return 0;
	err = vec_grow(&cs->stolen, &cs->cap_stolen, cs->nr_stolen,
		       sizeof(*cs->stolen));
	if (!err)
		err = hash_set(&cs->pairs, key, cs->nr_stolen);
	if (err)
		return err;
	*ret = cs->nr_stolen++;
	cs->stolen[*ret] = (struct stolen_time){ .track = track,
						 .pair = STEAL_PAIR_UNSET,
						 .thief = thief };
	return 0;
}

int thieves_add(struct thieves *cs, __u32 track, __u32 thief, bool woken,
		__u64 ticks)
{
	__u32 i = hash_get(&cs->pairs, stolen_key(track, thief));
	int err = 0;

	/* mostly there is one, asked for without a call */
	if (i == VMMPROF_NONE)
		err = thieves_stolen(cs, track, thief, &i);
	if (!err)
		stolen_add(&cs->stolen[i], woken, ticks);
	return err;
}

static __u32 track_of(const void *arg, size_t i)
{
	const struct thieves *cs = arg;

	return cs->stolen[i].track;
}

int thieves_group(struct thieves *cs, size_t nr_tracks)
{
	groups_deinit(&cs->by_track);
	return groups_init(&cs->by_track, nr_tracks, cs->nr_stolen, track_of,
			   cs);
}

unsigned int thief_kthread_kind(const char *comm)
{
	static const char *const irq[] = { "ksoftirqd/", "irq/", "ktimers/" };
	static const char *const other[] = { "kworker/", "migration/", "rcu_",
					     "rcuc/",	 "rcuop/",     "rcuog/",
					     "cpuhp/",	 "kthreadd",   "kswapd",
					     "jbd2/",	 "watchdog/",  "kvm-",
					     "vhost-" };
	size_t i;

	/* Asked of every sample of the host: most differ in the first byte. */
	for (i = 0; i < sizeof(irq) / sizeof(irq[0]); i++)
		if (*comm == *irq[i] && !strncmp(comm, irq[i], strlen(irq[i])))
			return BY_IRQ;
	for (i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (*comm == *other[i] &&
		    !strncmp(comm, other[i], strlen(other[i])))
			return BY_KTHREAD;
	return BY_PROCESS;
}

const char *thief_key(unsigned int kind)
{
	static const char *const key[NR_BY] = {
		"unknown", "vcpu",    "process", "kernel-thread",
		"irq",	   "wake-up", "quota",	 "nobody",
	};

	return kind < NR_BY ? key[kind] : "?";
}
