// SPDX-License-Identifier: GPL-2.0-only
/* The processes' items of a bundle that is read from memory. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <vmmprof/maps.h>
#include <vmmprof/record.h>

#include "base/clock.h"
#include "introspect/bundle_files.h"
#include "introspect/elf_note.h"
#include "introspect/snapshots.h"
#include "introspect/vmas.h"

#define CMDLINE_ROOM 1024
#define GROUP_ROOM   4096

/* Of one process's mappings: a quarter of all, so that it takes not the others'. */
#define MAPS_READS   (GUEST_READS / 4)
#define MAPS_BYTES   (GUEST_READ_BYTES / 4)

struct writing {
	const struct guest_kernel *k;
	struct item_writer *w;
	struct guest_bundle_stat *stat;
	struct guest_snapshots *before; /* what earlier readings found */
	struct bundle_files files;
	struct path_text path;
	__u64 ns; /* CLOCK_MONOTONIC, right before a process is read */
};

/* Mappings of a process. */
struct mappings {
	const struct guest_task *task;
	const struct snapshot *known; /* NULL: its memory is met first now */
	struct guest_vmas all;
};

static int put_task(struct writing *o, const struct guest_task *t)
{
	struct vmmprof_maps_task item = {
		.ns = o->ns,
		.stack = t->stack,
		.op = VMMPROF_OP_SNAP,
		.pid = t->tgid,
		.tid = t->pid,
		.flags = t->kthread ? VMMPROF_PROC_F_KTHREAD : 0,
	};

	o->stat->threads++;
	if (!t->stack)
		return 0;
	memcpy(item.comm, t->comm, sizeof(item.comm));
	return item_put(o->w, VMMPROF_MAPS_TASK, &item, sizeof(item), NULL, 0);
}

static int put_mm(struct writing *o, const struct guest_task *t)
{
	struct vmmprof_maps_mm item = {
		.ns = o->ns,
		.key = t->root & o->k->phys_mask,
		.op = VMMPROF_OP_SNAP,
		.pid = t->tgid,
		.tid = t->pid,
	};

	if (!t->root)
		return 0;
	memcpy(item.comm, t->comm, sizeof(item.comm));
	return item_put(o->w, VMMPROF_MAPS_MM, &item, sizeof(item), NULL, 0);
}

struct cmdline {
	const struct guest_kernel *k;
	const struct guest_task *task;
	char text[CMDLINE_ROOM];
};

static const char *cmdline_of(void *arg)
{
	struct cmdline *c = arg;

	guest_task_cmdline(c->k, c->task, c->text, sizeof(c->text));
	return c->text;
}

/* @t: its first thread; @mm: its memory, or 0. */
static int put_proc(struct writing *o, const struct guest_task *t, __u64 mm,
		    struct snapshot **known)
{
	struct cmdline cmdline = { .k = o->k, .task = t };
	struct snapshot_process p = {
		.ns = o->ns,
		.mm = mm,
		.pid = t->tgid,
		.ppid = t->ppid,
		.flags = t->kthread ? VMMPROF_PROC_F_KTHREAD : 0,
	};

	o->stat->processes++;
	memcpy(p.comm, t->comm, sizeof(p.comm));
	if (t->pid == t->tgid &&
	    guest_members_have(&o->k->members, GUEST_START))
		guest_get(o->k, t->addr, GUEST_TASK_START, &p.start_ns);
	return guest_snapshots_process(o->before, o->w, &p, cmdline_of,
				       &cmdline, known);
}

/* As os/cgroups: a process without an item is in no container. */
static int put_group(struct writing *o, const struct guest_task *t,
		     const struct snapshot *known)
{
	const struct vmmprof_maps_cgroup item = { .ns = o->ns, .pid = t->tgid };
	char path[GROUP_ROOM];
	int len = t->kthread ? 0 :
			       guest_task_cgroup(o->k, t, path, sizeof(path));

	if (len <= 1 || (known && known->group && !strcmp(known->group, path)))
		return 0;
	return item_put(o->w, VMMPROF_MAPS_CGROUP, &item, sizeof(item), path,
			len + 1);
}

/* What begins with the file's first byte has the ELF header. */
static int file_build_id(struct writing *o, const struct mappings *m,
			 const struct guest_vma *v,
			 const struct bundle_file_seen *seen, __u32 *id)
{
	struct guest_space space = guest_task_space(o->k, m->task);
	__u8 build_id[20];
	size_t i;
	int size = 0;

	for (i = 0; v->file && i < m->all.nr && size <= 0; i++)
		if (m->all.vma[i].file == v->file && !m->all.vma[i].pgoff)
			size = elf_note_read(&space, m->all.vma[i].start,
					     build_id);
	if (size == -EDQUOT)
		return size;
	return size > 0 ? bundle_files_build_id(&o->files, o->k, seen, id,
						build_id, size) :
			  0;
}

/* The id of the file of @v, which is written when all processes are. */
static int put_file(struct writing *o, const struct mappings *m,
		    const struct guest_vma *v, const struct guest_file *file,
		    __u32 *id)
{
	const struct bundle_file_seen seen = {
		.file = *file,
		.addr = v->file,
		.start = v->start,
		.path = o->path.buf + o->path.at,
	};
	bool first;
	int err = bundle_files_id(&o->files, o->k, &seen, id, &first);

	return err || !first ? err : file_build_id(o, m, v, &seen, id);
}

/* -ENOENT: it has no path that is known. */
static int find_path(struct writing *o, const struct guest_task *t,
		     const struct guest_vma *v, struct guest_file *file)
{
	char name[GUEST_VMA_TEXT];
	int len, err;

	memset(file, 0, sizeof(*file));
	if (v->file) {
		err = guest_file_read(o->k, v->file, file);
		err = err ?: guest_file_path(o->k, t, file, &o->path);
		if (err == -EDQUOT)
			return err;
		o->stat->no_path += err != 0;
		return err ? -ENOENT : 0;
	}
	len = guest_vma_name(o->k, v, name, sizeof(name));
	if (!len)
		return -ENOENT;
	path_text_init(&o->path);
	return path_text_put(&o->path, name, len);
}

static int put_map(struct writing *o, const struct mappings *m,
		   const struct guest_vma *v)
{
	struct vmmprof_maps_map item = {
		.ns = o->ns,
		.start = v->start,
		.end = v->end,
		.pgoff = v->file ? v->pgoff : 0,
		.pid = m->task->tgid,
		.file = VMMPROF_NONE,
	};
	struct guest_file file;
	int err;

	if (!(v->flags & GUEST_VM_EXEC))
		return 0;
	err = find_path(o, m->task, v, &file);
	if (!err)
		err = put_file(o, m, v, &file, &item.file);
	if (err && err != -ENOENT)
		return err;
	o->stat->mappings++;
	return guest_snapshots_map(o->before, o->w, m->known, &item);
}

static int put_maps(struct writing *o, const struct guest_task *t,
		    const struct snapshot *known)
{
	struct mappings m = { .task = t, .known = known };
	size_t i;
	int err = guest_vmas_read(o->k, t->mm, &m.all);

	if (err == -EOPNOTSUPP)
		o->stat->unread++;
	if (err)
		return err == -EOPNOTSUPP ? 0 : err;
	o->stat->torn += m.all.torn;
	for (i = 0; !err && i < m.all.nr; i++)
		err = put_map(o, &m, &m.all.vma[i]);
	if (!err && m.all.many)
		err = -EDQUOT;
	if (!err && known && !m.all.torn)
		err = guest_snapshots_gone(o->before, o->w, known, o->ns);
	guest_vmas_deinit(&m.all);
	return err;
}

/* With the process's own budget: what is beyond is left out. */
static int put_some_maps(struct writing *o, const struct guest_task *t,
			 const struct snapshot *known)
{
	struct guest_memory *mem = o->k->space.mem;
	struct guest_budget rest;
	int err;

	guest_memory_part(mem, MAPS_READS, MAPS_BYTES, &rest);
	err = put_maps(o, t, known);
	guest_memory_whole(mem, &rest);
	if (err != -EDQUOT || !rest.reads || !rest.bytes)
		return err;
	o->stat->many++;
	return 0;
}

/* @t: nr threads of one process, its leader first if that is known. */
static int put_process(struct writing *o, const struct guest_task *t, size_t nr)
{
	const struct guest_task *with_mm = t;
	struct snapshot *known;
	int err = 0;
	size_t i;

	o->ns = clock_now();
	/* A leader that has ended has none, but its other threads. */
	for (i = 0; i < nr && !err; i++) {
		err = put_task(o, &t[i]);
		if (!with_mm->mm && t[i].mm)
			with_mm = &t[i];
	}
	err = err ?: put_proc(o, t, with_mm->mm, &known);
	err = err ?: put_group(o, with_mm, known);
	if (err || !with_mm->mm)
		return err;
	/* Its tables are not those that were read for the one before. */
	guest_memory_forget(o->k->space.mem);
	return put_mm(o, with_mm) ?: put_some_maps(o, with_mm, known);
}

static int put_all(struct writing *o, const struct guest_tasks *tasks)
{
	size_t i, next;
	int err = 0;

	for (i = 0; !err && i < tasks->nr; i = next) {
		for (next = i + 1;
		     next < tasks->nr &&
		     tasks->task[next].tgid == tasks->task[i].tgid;
		     next++)
			;
		err = put_process(o, &tasks->task[i], next - i);
	}
	return err;
}

int guest_bundle_processes(const struct guest_kernel *k,
			   struct guest_snapshots *before,
			   struct item_writer *w,
			   struct guest_bundle_stat *stat)
{
	struct writing *o = calloc(1, sizeof(*o));
	struct guest_tasks tasks;
	int err, after;

	if (!o)
		return -ENOMEM;
	*o = (struct writing){ .k = k, .w = w, .stat = stat, .before = before };
	err = bundle_files_init(&o->files, &before->before);
	if (err)
		goto out;
	err = guest_tasks_read(k, &tasks);
	if (!err) {
		stat->tasks_torn = tasks.torn;
		err = put_all(o, &tasks);
		guest_tasks_deinit(&tasks);
	}
	/* MAP items name files: those that were met before a budget's end, too. */
	if (!err || err == -EDQUOT) {
		after = bundle_files_write(&o->files, k, w, stat);
		err = after ?: err;
	}
out:
	bundle_files_deinit(&o->files);
	free(o);
	return err;
}
