// SPDX-License-Identifier: GPL-2.0-only
/* Forks that share a page table, from TASK, MM and PROC items. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "model/clock.h"
#include "model/vfork.h"
#include "base/sort.h"

/* An MM item: pid gets a page table of its own. */
struct own {
	__u32 pid;
	__u64 ns;
};

struct owns {
	struct own *owns; /* sorted by pid, ns */
	size_t nr;
};

static int cmp_own(const void *a, const void *b)
{
	const struct own *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

static int cmp_vfork(const void *a, const void *b)
{
	const struct vfork_pair *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static int owns_init(struct owns *o, const struct bundle *b)
{
	size_t i;

	o->nr = 0;
	o->owns = malloc((b->nr_mms + 1) * sizeof(*o->owns));
	if (!o->owns)
		return -ENOMEM;
	for (i = 0; i < b->nr_mms; i++) {
		const struct vmmprof_maps_mm *mm = b->mms[i];

		if (mm->op != VMMPROF_OP_FORK && mm->op != VMMPROF_OP_EXEC &&
		    mm->op != VMMPROF_OP_RENAME)
			continue;
		o->owns[o->nr].pid = mm->pid;
		o->owns[o->nr++].ns = mm->ns;
	}
	sort_array(o->owns, o->nr, sizeof(*o->owns), cmp_own);
	return 0;
}

/* The first page table of pid that begins at ns or later, or NULL. */
static const struct own *owns_find(const struct owns *o, __u32 pid, __u64 ns)
{
	size_t lo = 0, hi = o->nr, mid;

	BISECT(lo, hi, mid,
	       o->owns[mid].pid < pid ||
		       (o->owns[mid].pid == pid && o->owns[mid].ns < ns));
	return lo < o->nr && o->owns[lo].pid == pid ? &o->owns[lo] : NULL;
}

/* One TASK item; false: no fork that shares, or its end is unknown. */
static bool shares(const struct vmmprof_maps_task *t, const struct owns *o,
		   const struct procs *ps, struct vfork_pair *v)
{
	const struct image *im;
	const struct own *own;

	if (t->op != VMMPROF_OP_FORK || t->pid != t->tid ||
	    t->flags & VMMPROF_PROC_F_KTHREAD)
		return false;
	im = procs_find(ps, t->pid, t->ns);
	if (!im || im->parent == VMMPROF_NONE)
		return false;
	v->pid = ps->images[im->parent].pid;
	v->from = t->ns;
	v->end = im->end;
	/* The items of one fork have one time: an empty interval. */
	own = owns_find(o, t->pid, t->ns);
	if (own && own->ns < v->end)
		v->end = own->ns;
	return v->end != TIME_UNKNOWN && v->end > v->from;
}

int vforks_init(struct vforks *vs, const struct bundle *b,
		const struct procs *ps)
{
	struct vfork_pair *v;
	struct owns o;
	size_t i;

	memset(vs, 0, sizeof(*vs));
	if (!b->nr_tasks)
		return 0;
	vs->forks = malloc(b->nr_tasks * sizeof(*vs->forks));
	if (!vs->forks || owns_init(&o, b)) {
		vforks_deinit(vs);
		return -ENOMEM;
	}
	for (i = 0; i < b->nr_tasks; i++)
		if (shares(b->tasks[i], &o, ps, &vs->forks[vs->nr]))
			vs->nr++;
	free(o.owns);
	sort_array(vs->forks, vs->nr, sizeof(*vs->forks), cmp_vfork);
	for (i = 0; i < vs->nr; i++) {
		v = &vs->forks[i];
		v->max_end = v->end;
		if (i && v[-1].pid == v->pid && v[-1].max_end > v->max_end)
			v->max_end = v[-1].max_end;
	}
	return 0;
}

void vforks_deinit(struct vforks *vs)
{
	free(vs->forks);
	memset(vs, 0, sizeof(*vs));
}

bool vforks_shared(const struct vforks *vs, __u32 pid, __u64 ns,
		   struct holds *h)
{
	size_t lo = 0, hi = vs->nr, mid;

	if (ns == TIME_UNKNOWN)
		return false;
	/* lo becomes the first after (pid, ns) */
	BISECT(lo, hi, mid,
	       vs->forks[mid].pid < pid || (vs->forks[mid].pid == pid &&
					    vs->forks[mid].from <= ns));
	if (lo < vs->nr && vs->forks[lo].pid == pid)
		holds_above(h, ns, vs->forks[lo].from);
	if (!lo || vs->forks[lo - 1].pid != pid)
		return false;
	return holds_within(h, ns, vs->forks[lo - 1].from,
			    vs->forks[lo - 1].max_end);
}
