// SPDX-License-Identifier: GPL-2.0-only
/* The times in which each page table was used, and the search for a CR3. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "model/address_space.h"
#include "model/clock.h"
#include "base/vec.h"
#include "base/sort.h"

/* Bits 51:12 of a CR3: without PCID, no-flush and LAM bits. */
#define CR3_PHYS     0x000ffffffffff000ull
/* User half of a page table pair under page table isolation. */
#define CR3_PTI_USER 0x1000ull

/* A snapshot takes no longer than this. */
#define SNAPSHOT_NS  200000000ull

/* Open a new interval of item's key.  *open is the index of the open one. */
static int space_open(struct address_space *as, struct hash *open,
		      const struct vmmprof_maps_mm *mm, __u64 birth)
{
	struct space *s;
	int ret;

	ret = vec_grow(&as->spaces, &as->cap, as->nr, sizeof(*s));
	if (ret)
		return ret;
	s = &as->spaces[as->nr];
	memset(s, 0, sizeof(*s));
	s->key = mm->key;
	s->birth = birth;
	s->end = TIME_UNKNOWN;
	s->snap = mm->op == VMMPROF_OP_SNAP ? mm->ns : 0;
	s->pid = mm->pid;
	s->proc = VMMPROF_NONE;
	s->kernel = mm->op == VMMPROF_OP_INIT;
	memcpy(s->comm, mm->comm, sizeof(s->comm));
	return hash_set(open, mm->key, as->nr++);
}

static bool comm_empty(const struct vmmprof_maps_mm *mm)
{
	return !mm->comm[0];
}

/*
 * Without events, two snapshots may find different owners: between them the
 * owner is unknown.
 */
static bool new_owner(const struct address_space *as,
		      const struct vmmprof_maps_mm *mm, struct space *cur)
{
	if (!as->snapshot_only || cur->kernel)
		return false;
	if (cur->pid == mm->pid) {
		cur->snap = mm->ns;
		return false;
	}
	/* In one snapshot: threads and vfork children share a page table. */
	if (mm->ns - cur->snap < SNAPSHOT_NS)
		return false;
	cur->end = cur->snap + 1;
	return true;
}

/*
 * One event, cur being the key's newest interval or NULL.  Who shares a page
 * table with its owner (threads, a vfork child until its exec) changes
 * nothing and sends no FORK; FORK and EXEC by somebody else are a new page
 * table, the end of the one before was missed.
 */
static int space_event(struct address_space *as, struct hash *open,
		       const struct vmmprof_maps_mm *mm, struct space *cur)
{
	bool live = cur && cur->end == TIME_UNKNOWN;
	int ret;

	switch (mm->op) {
	case VMMPROF_OP_SNAP:
	case VMMPROF_OP_INIT:
		if (live && !new_owner(as, mm, cur))
			return 0;
		/*
		 * It existed before this event, but began after the end of the
		 * one before.
		 */
		return space_open(as, open, mm,
				  live ? mm->ns :
				  cur  ? cur->end :
					 0);
	case VMMPROF_OP_FORK:
	case VMMPROF_OP_EXEC:
		if (live && cur->pid != mm->pid && !cur->kernel) {
			cur->end = mm->ns;
			live = false;
		}
		if (!live)
			return space_open(as, open, mm, mm->ns);
		memcpy(cur->comm, mm->comm, sizeof(cur->comm));
		return 0;
	case VMMPROF_OP_RENAME:
		if (!live)
			return space_open(as, open, mm, mm->ns);
		/* Only the process's main thread names the process. */
		if (cur->pid == mm->pid && mm->tid == mm->pid &&
		    !comm_empty(mm))
			memcpy(cur->comm, mm->comm, sizeof(cur->comm));
		return 0;
	case VMMPROF_OP_DROP:
		if (live && !cur->kernel) {
			cur->end = mm->ns;
			return 0;
		}
		if (cur || !mm->pid)
			return 0;
		/* Seen only when it ended. */
		ret = space_open(as, open, mm, 0);
		if (!ret)
			as->spaces[as->nr - 1].end = mm->ns;
		return ret;
	}
	return 0;
}

static int cmp_space(const void *a, const void *b)
{
	const struct space *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->birth != y->birth)
		return x->birth < y->birth ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static int index_keys(struct address_space *as)
{
	size_t i;
	int ret;

	if (as->nr)
		sort_array(as->spaces, as->nr, sizeof(*as->spaces), cmp_space);
	for (i = 0; i < as->nr; i++) {
		if (i && as->spaces[i].key == as->spaces[i - 1].key)
			continue;
		ret = hash_set(&as->keys, as->spaces[i].key, i);
		if (ret)
			return ret;
	}
	return 0;
}

int address_space_init(struct address_space *as,
		       const struct vmmprof_maps_mm *const *mms, size_t nr,
		       __u64 phys_mask, bool watched)
{
	struct hash open = { 0 };
	int ret = 0;
	__u32 cur;
	size_t i;

	memset(as, 0, sizeof(*as));
	as->mask = phys_mask ? phys_mask : CR3_PHYS;
	as->exact_first = !phys_mask;
	as->snapshot_only = !watched;
	as->watched_until = TIME_UNKNOWN;
	for (i = 0; i < nr && !ret; i++) {
		cur = hash_get(&open, mms[i]->key);
		ret = space_event(as, &open, mms[i],
				  cur == VMMPROF_NONE ? NULL :
							&as->spaces[cur]);
	}
	hash_deinit(&open);
	return ret ? ret : index_keys(as);
}

void address_space_deinit(struct address_space *as)
{
	free(as->spaces);
	hash_deinit(&as->keys);
	memset(as, 0, sizeof(*as));
}

static enum owner_how found(const struct address_space *as, struct space *s,
			    __u64 ns, struct holds *h, struct space **ret)
{
	*ret = s;
	if (s->kernel)
		return OWNER_KERNEL;
	if (ns == TIME_UNKNOWN)
		return OWNER_UNIQUE;
	if (as->snapshot_only || !holds_above(h, ns, s->snap) ||
	    (s->end == TIME_UNKNOWN && as->watched_until != TIME_UNKNOWN &&
	     holds_above(h, ns, as->watched_until + 1)))
		return OWNER_SNAPSHOT;
	return OWNER_INTERVAL;
}

/* Without a time: the owner, if there is only one. */
static enum owner_how find_unique(const struct address_space *as, size_t i,
				  struct holds *h, struct space **ret)
{
	struct space *s = &as->spaces[i];

	for (i++; i < as->nr && as->spaces[i].key == s->key; i++)
		if (as->spaces[i].pid != s->pid)
			return OWNER_SEVERAL;
	return found(as, &as->spaces[i - 1], TIME_UNKNOWN, h, ret);
}

static enum owner_how find_key(const struct address_space *as, __u64 key,
			       __u64 ns, struct holds *h, struct space **ret)
{
	__u32 first = hash_get(&as->keys, key);
	size_t lo = first, hi, step, mid;
	struct space *s;

	if (first == VMMPROF_NONE)
		return OWNER_UNKNOWN;
	if (ns == TIME_UNKNOWN)
		return find_unique(as, first, h, ret);
	/* lo becomes the first interval of key that is born after ns */
	for (hi = first, step = 1; hi < as->nr; hi += step, step *= 2) {
		s = &as->spaces[hi];
		if (s->key != key || s->birth > ns)
			break;
		lo = hi + 1;
	}
	if (hi > as->nr)
		hi = as->nr;
	BISECT(lo, hi, mid,
	       as->spaces[mid].key == key && as->spaces[mid].birth <= ns);
	s = &as->spaces[lo];
	if (lo < as->nr && s->key == key)
		holds_above(h, ns, s->birth);
	if (lo > first && holds_within(h, ns, as->spaces[lo - 1].birth,
				       as->spaces[lo - 1].end))
		return found(as, &as->spaces[lo - 1], ns, h, ret);
	if (lo < as->nr && s->key == key &&
	    holds_above(h, ns,
			s->birth > EXEC_WINDOW_NS ? s->birth - EXEC_WINDOW_NS :
						    0)) {
		*ret = s;
		return OWNER_EXEC;
	}
	return OWNER_NOT_THEN;
}

enum owner_how address_space_find(const struct address_space *as, __u64 cr3,
				  __u64 ns, struct space **ret)
{
	struct holds any;

	holds_all(&any);
	return address_space_find_held(as, cr3, ns, &any, ret);
}

enum owner_how address_space_find_held(const struct address_space *as,
				       __u64 cr3, __u64 ns, struct holds *h,
				       struct space **ret)
{
	enum owner_how how;
	__u64 key = cr3 & as->mask;

	*ret = NULL;
	how = find_key(as, key, ns, h, ret);
	if (*ret || !as->exact_first || !(key & CR3_PTI_USER))
		return how;
	if (how == OWNER_UNKNOWN)
		return find_key(as, key & ~CR3_PTI_USER, ns, h, ret);
	return how;
}
