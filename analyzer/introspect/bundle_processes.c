// SPDX-License-Identifier: GPL-2.0-only
/* The processes' items of a bundle that is read from memory. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <vmmprof/maps.h>
#include <vmmprof/record.h>

#include "introspect/bundle_files.h"
#include "introspect/elf_note.h"
#include "introspect/vmas.h"

#define CMDLINE_ROOM 1024
#define GROUP_ROOM   4096

struct writing {
	const struct guest_kernel *k;
	struct item_writer *w;
	struct guest_bundle_stat *stat;
	struct bundle_files files;
	struct path_text path;
};

static int put_task(struct writing *o, const struct guest_task *t)
{
	struct vmmprof_maps_task item = {
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

static int put_proc(struct writing *o, const struct guest_task *t)
{
	struct vmmprof_maps_proc item = {
		.op = VMMPROF_OP_SNAP,
		.pid = t->tgid,
		.ppid = t->ppid,
		.flags = t->kthread ? VMMPROF_PROC_F_KTHREAD : 0,
	};
	char cmdline[CMDLINE_ROOM];

	o->stat->processes++;
	memcpy(item.comm, t->comm, sizeof(item.comm));
	guest_task_cmdline(o->k, t, cmdline, sizeof(cmdline));
	return item_put(o->w, VMMPROF_MAPS_PROC, &item, sizeof(item), cmdline,
			strlen(cmdline) + 1);
}

/* As os/cgroups: a process without an item is in no container. */
static int put_group(struct writing *o, const struct guest_task *t)
{
	const struct vmmprof_maps_cgroup item = { .pid = t->tgid };
	char path[GROUP_ROOM];
	int len = t->kthread ? 0 :
			       guest_task_cgroup(o->k, t, path, sizeof(path));

	if (len <= 1)
		return 0;
	return item_put(o->w, VMMPROF_MAPS_CGROUP, &item, sizeof(item), path,
			len + 1);
}

/* What begins with the file's first byte has the ELF header. */
static int file_build_id(struct writing *o, const struct guest_task *t,
			 const struct guest_vma *v,
			 const struct guest_vmas *all)
{
	struct guest_space space = guest_task_space(o->k, t);
	__u8 id[20];
	size_t i;
	int size = 0;

	for (i = 0; v->file && i < all->nr && size <= 0; i++)
		if (all->vma[i].file == v->file && !all->vma[i].pgoff)
			size = elf_note_read(&space, all->vma[i].start, id);
	if (size > 0)
		bundle_files_build_id(&o->files, id, size);
	return size == -EDQUOT ? size : 0;
}

/* The id of the file of @v, which is written when all processes are. */
static int put_file(struct writing *o, const struct guest_task *t,
		    const struct guest_vma *v, const struct guest_vmas *all,
		    const struct guest_file *file, __u32 *id)
{
	const struct bundle_file_seen seen = {
		.file = *file,
		.addr = v->file,
		.start = v->start,
		.path = o->path.buf + o->path.at,
	};
	bool first;
	int err = bundle_files_id(&o->files, o->k, &seen, id, &first);

	return err || !first ? err : file_build_id(o, t, v, all);
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

static int put_map(struct writing *o, const struct guest_task *t,
		   const struct guest_vma *v, const struct guest_vmas *all)
{
	struct vmmprof_maps_map item = {
		.start = v->start,
		.end = v->end,
		.pgoff = v->file ? v->pgoff : 0,
		.pid = t->tgid,
		.file = VMMPROF_NONE,
	};
	struct guest_file file;
	int err;

	if (!(v->flags & GUEST_VM_EXEC))
		return 0;
	err = find_path(o, t, v, &file);
	if (!err)
		err = put_file(o, t, v, all, &file, &item.file);
	if (err && err != -ENOENT)
		return err;
	o->stat->mappings++;
	return item_put(o->w, VMMPROF_MAPS_MAP, &item, sizeof(item), NULL, 0);
}

static int put_maps(struct writing *o, const struct guest_task *t)
{
	struct guest_vmas v;
	size_t i;
	int err = guest_vmas_read(o->k, t->mm, &v);

	if (err == -EOPNOTSUPP)
		o->stat->unread++;
	if (err)
		return err == -EOPNOTSUPP ? 0 : err;
	o->stat->torn += v.torn;
	for (i = 0; !err && i < v.nr; i++)
		err = put_map(o, t, &v.vma[i], &v);
	guest_vmas_deinit(&v);
	return err;
}

/* @t: nr threads of one process, its leader first if that is known. */
static int put_process(struct writing *o, const struct guest_task *t, size_t nr)
{
	const struct guest_task *with_mm = t;
	int err = 0;
	size_t i;

	/* A leader that has ended has none, but its other threads. */
	for (i = 0; i < nr && !err; i++) {
		err = put_task(o, &t[i]);
		if (!with_mm->mm && t[i].mm)
			with_mm = &t[i];
	}
	err = err ?: put_proc(o, t);
	err = err ?: put_group(o, with_mm);
	if (err || !with_mm->mm)
		return err;
	/* Its tables are not those that were read for the one before. */
	guest_memory_forget(o->k->space.mem);
	return put_mm(o, with_mm) ?: put_maps(o, with_mm);
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

int guest_bundle_processes(const struct guest_kernel *k, struct item_writer *w,
			   struct guest_bundle_stat *stat)
{
	struct writing *o = calloc(1, sizeof(*o));
	struct guest_tasks tasks;
	int err, after;

	if (!o)
		return -ENOMEM;
	*o = (struct writing){ .k = k, .w = w, .stat = stat };
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
	bundle_files_deinit(&o->files);
	free(o);
	return err;
}
