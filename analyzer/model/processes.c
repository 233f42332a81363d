// SPDX-License-Identifier: GPL-2.0-only
/* Images of processes from PROC items, their mappings from MAP items. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "model/clock.h"
#include "model/processes.h"
#include "base/vec.h"
#include "base/sort.h"

/* Searches over hostile input end after this many steps. */
#define MAX_FORKS    64
#define MAX_OVERLAPS 1024
#define MAX_IMAGES   1024 /* of a process, by their mm_struct */

struct build {
	struct procs *ps;
	struct hash current; /* pid -> its newest image */
};

static struct image *current_image(struct build *b, __u32 pid)
{
	__u32 i = hash_get(&b->current, pid);

	return i == VMMPROF_NONE ? NULL : &b->ps->images[i];
}

static int image_open(struct build *b, __u32 pid, __u64 from, __u32 parent,
		      const char *comm, bool kthread)
{
	struct procs *ps = b->ps;
	struct image *im;
	char name[16];
	int ret;

	/* comm may lie in the array that is about to move */
	memcpy(name, comm, sizeof(name));
	ret = vec_grow(&ps->images, &ps->cap, ps->nr, sizeof(*im));
	if (ret)
		return ret;
	im = &ps->images[ps->nr];
	memset(im, 0, sizeof(*im));
	im->pid = pid;
	im->parent = parent;
	im->from = from;
	im->end = TIME_UNKNOWN;
	im->proc = VMMPROF_NONE;
	im->kthread = kthread;
	memcpy(im->comm, name, sizeof(im->comm));
	return hash_set(&b->current, pid, ps->nr++);
}

static int proc_fork(struct build *b, const struct vmmprof_maps_proc *p,
		     bool kthread)
{
	__u32 parent = hash_get(&b->current, p->ppid);
	const char *comm = p->comm;

	if (p->pid == p->ppid)
		return 0;
	if (!comm[0] && parent != VMMPROF_NONE)
		comm = b->ps->images[parent].comm;
	return image_open(b, p->pid, p->ns, parent, comm, kthread);
}

static int proc_event(struct build *b, const struct vmmprof_maps_proc *p)
{
	bool kthread = p->flags & VMMPROF_PROC_F_KTHREAD;
	struct image *cur = current_image(b, p->pid);
	bool live = cur && cur->end == TIME_UNKNOWN;

	switch (p->op) {
	case VMMPROF_OP_SNAP:
		if (!live)
			return image_open(b, p->pid, cur ? p->ns : 0,
					  VMMPROF_NONE, p->comm, kthread);
		if (p->comm[0])
			memcpy(cur->comm, p->comm, sizeof(cur->comm));
		cur->kthread |= kthread;
		return 0;
	case VMMPROF_OP_FORK:
		if (live)
			cur->end = p->ns;
		return proc_fork(b, p, kthread);
	case VMMPROF_OP_EXEC:
		if (live)
			cur->end = p->ns;
		return image_open(b, p->pid, p->ns, VMMPROF_NONE, p->comm,
				  false);
	case VMMPROF_OP_RENAME:
		if (live && p->comm[0])
			memcpy(cur->comm, p->comm, sizeof(cur->comm));
		return 0;
	case VMMPROF_OP_DROP:
		if (live)
			cur->end = p->ns;
		return 0;
	}
	return 0;
}

static int cmp_image(const void *a, const void *b)
{
	const struct image *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static int cmp_map(const void *a, const void *b)
{
	const struct image_map *x = a, *y = b;

	if (x->image != y->image)
		return x->image < y->image ? -1 : 1;
	if (x->item->start != y->item->start)
		return x->item->start < y->item->start ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

/* Sort images by pid; parents are indices, so they move along. */
static int sort_images(struct procs *ps)
{
	__u32 *moved;
	size_t i;
	int ret = 0;

	if (!ps->nr)
		return 0;
	moved = malloc(ps->nr * sizeof(*moved));
	if (!moved)
		return -ENOMEM;
	/* proc carries the old index through the sort */
	for (i = 0; i < ps->nr; i++)
		ps->images[i].proc = i;
	sort_array(ps->images, ps->nr, sizeof(*ps->images), cmp_image);
	for (i = 0; i < ps->nr; i++)
		moved[ps->images[i].proc] = i;
	for (i = 0; i < ps->nr; i++) {
		ps->images[i].proc = VMMPROF_NONE;
		if (ps->images[i].parent != VMMPROF_NONE)
			ps->images[i].parent = moved[ps->images[i].parent];
		if (i && ps->images[i].pid == ps->images[i - 1].pid)
			continue;
		ret = hash_set(&ps->pids, ps->images[i].pid, i);
		if (ret)
			goto out;
	}
out:
	free(moved);
	return ret;
}

/* A process with mappings but without a PROC item exists from the beginning. */
static int open_mapped(struct build *b, const struct bundle *bundle)
{
	static const char no_name[16];
	size_t i;
	int ret;

	for (i = 0; i < bundle->nr_maps; i++) {
		__u32 pid = bundle->maps[i]->pid;

		if (hash_get(&b->current, pid) != VMMPROF_NONE)
			continue;
		ret = image_open(b, pid, 0, VMMPROF_NONE, no_name, false);
		if (ret)
			return ret;
	}
	return 0;
}

static int attach_maps(struct procs *ps, const struct bundle *b)
{
	struct image_map *m;
	struct image *im;
	size_t i;

	if (!b->nr_maps)
		return 0;
	ps->maps = malloc(b->nr_maps * sizeof(*ps->maps));
	if (!ps->maps)
		return -ENOMEM;
	for (i = 0; i < b->nr_maps; i++) {
		im = procs_find(ps, b->maps[i]->pid, b->maps[i]->ns);
		if (!im)
			continue;
		m = &ps->maps[ps->nr_maps++];
		m->item = b->maps[i];
		if ((m->item->start | m->item->end) % MAP_UNIT)
			ps->odd_maps = true;
		if ((m->item->start | m->item->end) % MAP_PAGE)
			ps->odd_pages = true;
		m->image = im - ps->images;
	}
	if (ps->nr_maps)
		sort_array(ps->maps, ps->nr_maps, sizeof(*ps->maps), cmp_map);
	for (i = 0; i < ps->nr_maps; i++) {
		m = &ps->maps[i];
		im = &ps->images[m->image];
		m->max_end = m->item->end;
		if (!im->nr_maps)
			im->map = i;
		else if (m[-1].max_end > m->max_end)
			m->max_end = m[-1].max_end;
		im->nr_maps++;
	}
	return 0;
}

/* Which mm_struct each of them has. */
static void take_mms(struct procs *ps, const struct bundle *b)
{
	struct image *im;
	size_t i;

	ps->by_mm = b->nr_images;
	for (i = 0; i < b->nr_images; i++) {
		im = procs_find(ps, b->images[i]->pid, b->images[i]->ns);
		if (!im)
			continue;
		im->mm = b->images[i]->mm;
		im->start = b->images[i]->start_ns;
	}
}

int procs_init(struct procs *ps, const struct bundle *bundle)
{
	struct build b = { .ps = ps };
	int ret = 0;
	size_t i;

	memset(ps, 0, sizeof(*ps));
	for (i = 0; i < bundle->nr_procs && !ret; i++)
		ret = proc_event(&b, bundle->procs[i]);
	if (!ret)
		ret = open_mapped(&b, bundle);
	if (!ret)
		ret = sort_images(ps);
	if (!ret)
		ret = attach_maps(ps, bundle);
	hash_deinit(&b.current);
	if (ret)
		procs_deinit(ps);
	else
		take_mms(ps, bundle);
	return ret;
}

void procs_deinit(struct procs *ps)
{
	free(ps->images);
	free(ps->maps);
	hash_deinit(&ps->pids);
	memset(ps, 0, sizeof(*ps));
}

struct image *procs_find(const struct procs *ps, __u32 pid, __u64 ns)
{
	struct holds any;

	holds_all(&any);
	return procs_find_held(ps, pid, ns, &any);
}

struct image *procs_find_held(const struct procs *ps, __u32 pid, __u64 ns,
			      struct holds *h)
{
	__u32 first = hash_get(&ps->pids, pid);
	size_t lo = first, hi, step, mid;

	if (first == VMMPROF_NONE)
		return NULL;
	/* Most pids have one image, or few. */
	for (hi = first, step = 1; hi < ps->nr; hi += step, step *= 2) {
		if (ps->images[hi].pid != pid || ps->images[hi].from > ns)
			break;
		lo = hi + 1;
	}
	if (hi > ps->nr)
		hi = ps->nr;
	BISECT(lo, hi, mid,
	       ps->images[mid].pid == pid && ps->images[mid].from <= ns);
	if (lo > first)
		holds_above(h, ns, ps->images[lo - 1].from);
	if (lo < ps->nr && ps->images[lo].pid == pid)
		holds_above(h, ns, ps->images[lo].from);
	/* Before its first image: that image is the best guess. */
	return &ps->images[lo > first ? lo - 1 : first];
}

struct image *procs_find_mm(const struct procs *ps, __u32 pid, __u64 mm,
			    __u64 start, __u64 ns, struct holds *h)
{
	__u32 i = hash_get(&ps->pids, pid);
	struct image *im, *ret = NULL;
	int steps;

	if (!mm)
		return NULL;
	for (steps = 0; i < ps->nr && steps < MAX_IMAGES; i++, steps++) {
		im = &ps->images[i];
		if (im->pid != pid)
			break;
		if (im->mm != mm || (start && im->start && im->start != start))
			continue;
		/* before the first one: that one is the best guess */
		if (ret && !holds_above(h, ns, im->from))
			break;
		ret = im;
	}
	return ret;
}

static bool is_gone(const struct vmmprof_maps_map *m)
{
	return m->file == VMMPROF_MAP_GONE;
}

/* Is it newer?  What is gone was replaced by what came at the same time. */
static bool newer(const struct vmmprof_maps_map *m,
		  const struct vmmprof_maps_map *than)
{
	return !than || m->ns > than->ns ||
	       (m->ns == than->ns && is_gone(than) && !is_gone(m));
}

/* Times of the two mappings around ns that hold addr. */
struct around {
	const struct vmmprof_maps_map *before, *after;
};

static struct around find_around(const struct procs *ps, const struct image *im,
				 __u64 ns, __u64 addr)
{
	const struct image_map *maps;
	struct around a = { NULL, NULL };
	size_t lo = 0, hi = im->nr_maps, mid;
	const struct vmmprof_maps_map *m;
	int steps = 0;

	if (!im->nr_maps)
		return a;
	maps = ps->maps + im->map;
	BISECT(lo, hi, mid, maps[mid].item->start <= addr);
	for (; lo > 0 && maps[lo - 1].max_end > addr; lo--) {
		m = maps[lo - 1].item;
		if (++steps > MAX_OVERLAPS)
			break;
		if (m->end <= addr)
			continue;
		if (m->ns <= ns && newer(m, a.before))
			a.before = m;
		if (m->ns > ns && (!a.after || m->ns < a.after->ns))
			a.after = m;
	}
	return a;
}

const struct vmmprof_maps_map *procs_find_map(const struct procs *ps,
					      const struct image *image,
					      __u64 ns, __u64 addr, __u64 *from,
					      __u64 *end)
{
	const struct vmmprof_maps_map *later = NULL;
	const struct image *im = image;
	struct around a;
	int i;

	*from = 0;
	*end = TIME_UNKNOWN;
	for (i = 0; i < MAX_FORKS; i++) {
		a = find_around(ps, im, ns, addr);
		if (a.after && !i) {
			later = is_gone(a.after) ? NULL : a.after;
			*end = a.after->ns;
		}
		if (a.before) {
			if (!i)
				*from = a.before->ns;
			return is_gone(a.before) ? later : a.before;
		}
		if (im->parent == VMMPROF_NONE)
			break;
		ns = im->from;
		im = &ps->images[im->parent];
	}
	return later;
}

/* Overlapping anonymous mappings: mmap() and mprotect() each make an event. */
#define MAX_REMAPS 16

static bool same_place(const struct vmmprof_maps_map *a,
		       const struct vmmprof_maps_map *b)
{
	return a->file == b->file && a->start - a->pgoff == b->start - b->pgoff;
}

const struct vmmprof_maps_map *
procs_find_text(const struct procs *ps, const struct image *image,
		const struct vmmprof_maps_map *anon, __u64 addr,
		bool *confirmed)
{
	const struct vmmprof_maps_map *text = anon, *later = anon;
	__u64 from, end;
	int i;

	*confirmed = false;
	for (i = 0; i < MAX_FORKS && image->pid != anon->pid; i++) {
		if (image->parent == VMMPROF_NONE)
			return NULL;
		image = &ps->images[image->parent];
	}
	for (i = 0; i < MAX_REMAPS && text->file == VMMPROF_NONE; i++) {
		const struct vmmprof_maps_map *m = text;

		if (!m->ns)
			return NULL;
		text = procs_find_map(ps, image, m->ns - 1, addr, &from, &end);
		if (!text || text->ns >= m->ns)
			return NULL;
	}
	if (text->file == VMMPROF_NONE || text->start > anon->start ||
	    text->end < anon->end)
		return NULL;
	for (i = 0; i < MAX_REMAPS && later; i++) {
		later = find_around(ps, image, later->ns, addr).after;
		if (!later || later->file != VMMPROF_NONE)
			break;
	}
	*confirmed = later && same_place(later, text) &&
		     later->start == anon->start && later->end == anon->end;
	return text;
}
