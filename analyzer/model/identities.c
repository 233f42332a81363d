// SPDX-License-Identifier: GPL-2.0-only
/* IDENTITY records by CPU and number. */

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/identities.h"

void identities_deinit(struct identities *ids)
{
	free(ids->all);
	hash_deinit(&ids->ids);
	hash_deinit(&ids->leaders);
	memset(ids, 0, sizeof(*ids));
}

/* @mm: of a process before or behind an exec; 0: whichever was seen last. */
static __u64 process_key(__u32 vmm, __u32 tgid, __u64 mm)
{
	const __u64 key[2] = { (__u64)vmm << 32 | tgid, mm };

	return hash_words(key, 2);
}

static int set_leader(struct identities *ids, const struct identity *i,
		      __u32 at)
{
	int err = hash_set(&ids->leaders, process_key(i->vmm, i->tgid, 0), at);

	if (err || !i->mm)
		return err;
	return hash_set(&ids->leaders, process_key(i->vmm, i->tgid, i->mm), at);
}

int identities_add(struct identities *ids, __u32 cpu,
		   const struct vmmprof_rec_identity *rec)
{
	__u32 at = ids->nr;
	struct identity *i;
	int err;

	/* that of one sample only: merge has given its number to the sample */
	if (rec->hdr.flags & VMMPROF_I_SAMPLE || rec->id < VMMPROF_WHO_FIRST)
		return 0;
	if (ids->nr == IDENTITIES_MAX) {
		ids->left_out++;
		return hash_set(&ids->ids, (__u64)cpu << 32 | rec->id, at);
	}
	err = vec_grow(&ids->all, &ids->cap, ids->nr, sizeof(*ids->all));
	if (err)
		return err;
	i = &ids->all[ids->nr++];
	*i = (struct identity){
		.mm = rec->mm,
		.start_ns = rec->hdr.flags & VMMPROF_I_START ? rec->start_ns :
							       0,
		.vmm = rec->pid,
		.tgid = rec->tgid,
		.tid = rec->tid,
		.kthread = rec->hdr.flags & VMMPROF_I_KTHREAD,
	};
	memcpy(i->comm, rec->comm, sizeof(i->comm));
	if (rec->tid == rec->tgid) {
		err = set_leader(ids, i, at);
		if (err)
			return err;
	}
	i->leader = hash_get(&ids->leaders,
			     process_key(i->vmm, i->tgid, i->mm));
	return hash_set(&ids->ids, (__u64)cpu << 32 | rec->id, at);
}

__u32 identities_index(const struct identities *ids,
		       const struct vmmprof_rec_sample *s)
{
	__u32 at;

	if (s->identity < VMMPROF_WHO_FIRST)
		return VMMPROF_NONE;
	at = hash_get(&ids->ids, (__u64)s->cpu << 32 | s->identity);
	return at < ids->nr && ids->all[at].vmm == s->pid ? at : VMMPROF_NONE;
}

const struct identity *identities_find(const struct identities *ids,
				       const struct vmmprof_rec_sample *s)
{
	__u32 at = identities_index(ids, s);

	return at == VMMPROF_NONE ? NULL : &ids->all[at];
}

const struct identity *identities_leader(const struct identities *ids,
					 const struct identity *i)
{
	if (i->tid == i->tgid || i->leader >= ids->nr)
		return i;
	return &ids->all[i->leader];
}
