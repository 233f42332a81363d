// SPDX-License-Identifier: GPL-2.0-only
/* Adds a reading of a guest to the bundle of those before. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <vmmprof/record.h>

#include "introspect/snapshots.h"

/* A mapping that the last reading has found. */
struct snapshot_map {
	const struct vmmprof_maps_map *item; /* NULL: it is gone */
	__u32 next; /* of the same image, VMMPROF_NONE: none */
	bool now;
};

static struct snapshot *newest(const struct guest_snapshots *s, __u32 pid)
{
	__u32 i = hash_get(&s->pids, pid);

	return i == VMMPROF_NONE ? NULL : &s->images[i];
}

static __u64 range_key(const struct guest_snapshots *s,
		       const struct snapshot *im, __u64 start, __u64 end)
{
	const __u64 key[4] = { im - s->images, start, end };

	return hash_words(key, 4);
}

/* What an earlier reading found in that range of @im; NULL: nothing. */
static struct snapshot_map *find_map(const struct guest_snapshots *s,
				     const struct snapshot *im, __u64 start,
				     __u64 end)
{
	__u32 i = hash_get(&s->ranges, range_key(s, im, start, end));
	struct snapshot_map *m = &s->maps[i];

	if (i == VMMPROF_NONE || !m->item || m->item->start != start ||
	    m->item->end != end || m->item->pid != im->image.pid)
		return NULL;
	return m;
}

static int index_processes(struct guest_snapshots *s)
{
	const struct bundle *b = &s->before;
	struct snapshot *im;
	size_t i;
	int err = 0;

	for (i = 0; i < b->nr_procs && !err; i++)
		err = hash_set(&s->procs, b->procs[i]->pid, i);
	for (i = 0; i < b->nr_images && !err; i++) {
		im = &s->images[s->nr];
		*im = (struct snapshot){ .image = *b->images[i],
					 .maps = VMMPROF_NONE };
		err = hash_set(&s->pids, im->image.pid, s->nr++);
	}
	for (i = 0; i < b->nr_cgroups; i++) {
		im = newest(s, b->cgroups[i]->pid);
		if (im && b->cgroups[i]->ns >= im->image.ns)
			im->group = b->cgroups[i]->path;
	}
	return err;
}

static int index_maps(struct guest_snapshots *s)
{
	const struct bundle *b = &s->before;
	struct snapshot_map *m;
	struct snapshot *im;
	size_t i;
	int err = 0;

	for (i = 0; i < b->nr_maps && !err; i++) {
		const struct vmmprof_maps_map *item = b->maps[i];

		im = newest(s, item->pid);
		if (!im || item->ns < im->image.ns)
			continue;
		m = find_map(s, im, item->start, item->end);
		if (m)
			m->item = NULL;
		if (item->file == VMMPROF_MAP_GONE)
			continue;
		m = &s->maps[s->nr_maps];
		*m = (struct snapshot_map){ .item = item, .next = im->maps };
		im->maps = s->nr_maps;
		err = hash_set(&s->ranges,
			       range_key(s, im, item->start, item->end),
			       s->nr_maps++);
	}
	return err;
}

/* Are its files numbered from 0 on, as new ones are? */
static bool is_ours(const struct bundle *b)
{
	char from[8];

	return b->complete && !b->bad &&
	       text_get(&b->text, "from", from, sizeof(from)) > 0 &&
	       !strcmp(from, "memory") &&
	       (!b->nr_files ||
		b->files[b->nr_files - 1].item->id == b->nr_files - 1);
}

int guest_snapshots_open(struct guest_snapshots *s, int fd)
{
	struct problems problems = { 0 };
	int err;

	memset(s, 0, sizeof(*s));
	if (fd < 0)
		return 0;
	err = bundle_init(&s->before, fd, "", &problems);
	problems_deinit(&problems);
	if (err)
		return err;
	s->images = calloc(s->before.nr_images + 1, sizeof(*s->images));
	s->maps = calloc(s->before.nr_maps + 1, sizeof(*s->maps));
	if (!s->images || !s->maps)
		err = -ENOMEM;
	else if (!is_ours(&s->before))
		err = -EBADMSG;
	err = err ?: index_processes(s);
	err = err ?: index_maps(s);
	if (err)
		guest_snapshots_close(s);
	return err;
}

void guest_snapshots_close(struct guest_snapshots *s)
{
	bundle_deinit(&s->before);
	hash_deinit(&s->procs);
	hash_deinit(&s->pids);
	hash_deinit(&s->ranges);
	free(s->images);
	free(s->maps);
	memset(s, 0, sizeof(*s));
}

static int put_proc(struct item_writer *w, const struct snapshot_process *p,
		    __u32 op, const char *cmdline)
{
	struct vmmprof_maps_proc item = {
		.ns = p->ns,
		.op = op,
		.pid = p->pid,
		.ppid = p->ppid,
		.flags = p->flags,
	};

	memcpy(item.comm, p->comm, sizeof(item.comm));
	return item_put(w, VMMPROF_MAPS_PROC, &item, sizeof(item), cmdline,
			strlen(cmdline) + 1);
}

static bool same_memory(const struct snapshot *im,
			const struct snapshot_process *p)
{
	return im->image.mm == p->mm && (!im->image.start_ns || !p->start_ns ||
					 im->image.start_ns == p->start_ns);
}

static int put_image(struct item_writer *w, const struct snapshot_process *p)
{
	const struct vmmprof_maps_image item = {
		.ns = p->ns,
		.until = p->ns,
		.mm = p->mm,
		.start_ns = p->start_ns,
		.pid = p->pid,
	};

	return item_put(w, VMMPROF_MAPS_IMAGE, &item, sizeof(item), NULL, 0);
}

int guest_snapshots_process(struct guest_snapshots *s, struct item_writer *w,
			    const struct snapshot_process *p,
			    const char *(*cmdline)(void *arg), void *arg,
			    struct snapshot **known)
{
	struct snapshot *im = newest(s, p->pid);
	__u32 i = hash_get(&s->procs, p->pid);
	const struct vmmprof_maps_proc *proc = i == VMMPROF_NONE ?
						       NULL :
						       s->before.procs[i];
	const __u32 kthread = p->flags & VMMPROF_PROC_F_KTHREAD;
	/* One that ends has no memory any more, and is who it was. */
	const bool ends = !p->mm && !kthread;
	const bool same = proc && proc->flags & kthread ? true :
			  im ? ends || same_memory(im, p) :
			       proc && !p->mm;
	int err;

	*known = NULL;
	if (same && im && p->mm) {
		im->now = true;
		if (im->image.until < p->ns)
			im->image.until = p->ns;
		*known = im;
	}
	if (same && proc && !memcmp(proc->comm, p->comm, sizeof(p->comm)))
		return 0;
	if (same && proc)
		return put_proc(w, p, VMMPROF_OP_RENAME, "");
	err = put_proc(w, p, proc ? VMMPROF_OP_EXEC : VMMPROF_OP_SNAP,
		       cmdline(arg));
	return err || !p->mm ? err : put_image(w, p);
}

int guest_snapshots_map(struct guest_snapshots *s, struct item_writer *w,
			const struct snapshot *known,
			const struct vmmprof_maps_map *item)
{
	struct vmmprof_maps_map copy = *item;
	struct snapshot_map *m = known ? find_map(s, known, item->start,
						  item->end) :
					 NULL;

	if (m)
		m->now = true;
	if (m && m->item->file == item->file && m->item->pgoff == item->pgoff)
		return 0;
	return item_put(w, VMMPROF_MAPS_MAP, &copy, sizeof(copy), NULL, 0);
}

int guest_snapshots_gone(struct guest_snapshots *s, struct item_writer *w,
			 const struct snapshot *known, __u64 ns)
{
	__u32 i;
	int err = 0;

	for (i = known->maps; i != VMMPROF_NONE && !err; i = s->maps[i].next) {
		const struct snapshot_map *m = &s->maps[i];
		struct vmmprof_maps_map item;

		if (m->now || !m->item)
			continue;
		item = *m->item;
		item.ns = ns;
		item.file = VMMPROF_MAP_GONE;
		err = item_put(w, VMMPROF_MAPS_MAP, &item, sizeof(item), NULL,
			       0);
	}
	return err;
}

static int copy(struct item_writer *w, const struct vmmprof_item_hdr *item)
{
	return item_put(w, item->type, item, item->size, NULL, 0);
}

int guest_snapshots_write(const struct guest_snapshots *s,
			  struct item_writer *w)
{
	const struct bundle *b = &s->before;
	size_t i;
	int err = 0;

	for (i = 0; i < b->nr_clocks && !err; i++)
		err = copy(w, &b->clocks[i]->hdr);
	for (i = 0; i < b->nr_procs && !err; i++)
		err = copy(w, &b->procs[i]->hdr);
	for (i = 0; i < s->nr && !err; i++)
		err = item_put(w, VMMPROF_MAPS_IMAGE, &s->images[i].image,
			       sizeof(s->images[i].image), NULL, 0);
	for (i = 0; i < b->nr_maps && !err; i++)
		err = copy(w, &b->maps[i]->hdr);
	for (i = 0; i < b->nr_cgroups && !err; i++)
		err = copy(w, &b->cgroups[i]->hdr);
	return err;
}
