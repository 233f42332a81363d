// SPDX-License-Identifier: GPL-2.0-only
/* From an address on a machine to file, symbol table and function. */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/exit_check.h"
#include "model/machine.h"

/* The legacy page every x86-64 process may have, no mapping of a file. */
#define VSYSCALL_PAGE 0xffffffffff600000ull

/* From the first clock reading to the last thing that was written down. */
static void set_watched(struct vmmprof_machine *m)
{
	const struct vmmprof_bundle *b = &m->bundle;
	__u64 from = VMMPROF_TIME_UNKNOWN, until = 0, ns;
	size_t i;

	for (i = 0; i < b->nr_clocks; i++) {
		ns = b->clocks[i]->mono_ns;
		from = ns < from ? ns : from;
		until = ns > until ? ns : until;
	}
	if (!until || m->spaces.snapshot_only)
		return;
	/* Sorted by time; a bundle that is cut lacks its last clock. */
	if (b->nr_mms && b->mms[b->nr_mms - 1]->ns > until)
		until = b->mms[b->nr_mms - 1]->ns;
	if (b->nr_procs && b->procs[b->nr_procs - 1]->ns > until)
		until = b->procs[b->nr_procs - 1]->ns;
	m->spaces.watched_from = from;
	m->spaces.watched_until = until;
}

static int init_kallsyms(struct vmmprof_machine *m, struct vmmprof_machine *old)
{
	const struct vmmprof_bundle *b = &m->bundle;

	if (old && vmmprof_kallsyms_take(&m->kallsyms,
					 &(struct vmmprof_kallsyms_text){
						 &b->kallsyms, &b->modules },
					 &old->kallsyms,
					 &(struct vmmprof_kallsyms_text){
						 &old->bundle.kallsyms,
						 &old->bundle.modules }))
		return 0;
	return vmmprof_kallsyms_init(&m->kallsyms, &b->kallsyms, &b->modules);
}

static bool same_file(const struct vmmprof_bundle_file *a,
		      const struct vmmprof_bundle_file *b)
{
	return a->item->flags == b->item->flags &&
	       a->item->build_id_size == b->item->build_id_size &&
	       !memcmp(a->item->build_id, b->item->build_id,
		       a->item->build_id_size) &&
	       !strcmp(a->item->path, b->item->path);
}

/* Symbol tables that were read from files here: again they would be the same. */
static void take_files(struct vmmprof_machine *m, struct vmmprof_machine *old)
{
	const struct vmmprof_bundle_file *bf;
	struct vmmprof_machine_file *f;
	size_t i;

	for (i = 0; i < m->bundle.nr_files; i++) {
		bf = vmmprof_bundle_find_file(&old->bundle,
					      m->bundle.files[i].item->id);
		if (!bf || bf->symtab || m->bundle.files[i].symtab ||
		    !same_file(bf, &m->bundle.files[i]))
			continue;
		f = &old->files[bf - old->bundle.files];
		/* what could not be read may be there now */
		if (!f->ready || f->cause)
			continue;
		m->files[i] = *f;
		memset(f, 0, sizeof(*f));
	}
}

int vmmprof_machine_init(struct vmmprof_machine *m, struct vmmprof_bundle *b,
			 bool host, __u64 tsc_khz, struct vmmprof_machine *old)
{
	char from[16], method[16];
	bool watched;
	int ret;

	memset(m, 0, sizeof(*m));
	m->host = host;
	m->bundle = *b;
	memset(b, 0, sizeof(*b));
	b = &m->bundle;
	vmmprof_text_get(&b->text, "from", from, sizeof(from));
	vmmprof_text_get(&b->text, "method", method, sizeof(method));
	m->pti = vmmprof_text_number(&b->text, "pti", 10, 0);
	/* A walk through kcore takes snapshots, also while watching. */
	watched = !strcmp(from, "watch") && strcmp(method, "kcore");
	m->files = calloc(b->nr_files + 1, sizeof(*m->files));
	ret = m->files ? 0 : -ENOMEM;
	if (!ret && !host)
		ret = vmmprof_addrspace_init(
			&m->spaces, b->mms, b->nr_mms,
			vmmprof_text_number(&b->text, "phys_mask", 16, 0),
			watched);
	if (!ret && !host)
		ret = vmmprof_tasks_init(&m->tasks, b, watched);
	if (!ret)
		ret = vmmprof_procs_init(&m->procs, b);
	if (!ret && !host)
		ret = vmmprof_vforks_init(&m->vforks, b, &m->procs);
	if (!ret)
		ret = vmmprof_jit_init(&m->jit, b, &m->procs);
	if (!ret)
		ret = vmmprof_containers_init(&m->containers, b, &m->procs);
	if (!ret)
		ret = init_kallsyms(m, old);
	if (!ret)
		ret = vmmprof_ksyms_init(&m->ksyms, b);
	if (ret)
		vmmprof_machine_deinit(m);
	else
		vmmprof_clock_init(&m->clock, b->clocks, b->nr_clocks, tsc_khz);
	if (!ret && host && old)
		take_files(m, old);
	if (!ret && !host)
		set_watched(m);
	return ret;
}

void vmmprof_machine_deinit(struct vmmprof_machine *m)
{
	size_t i;

	for (i = 0; m->files && i < m->bundle.nr_files; i++) {
		if (m->files[i].ready)
			vmmprof_symbols_deinit(&m->files[i].symbols);
		vmmprof_dwarf_close(m->files[i].lines);
	}
	free(m->files);
	vmmprof_addrspace_deinit(&m->spaces);
	vmmprof_containers_deinit(&m->containers);
	vmmprof_jit_deinit(&m->jit);
	vmmprof_tasks_deinit(&m->tasks);
	vmmprof_vforks_deinit(&m->vforks);
	vmmprof_hash_deinit(&m->names);
	vmmprof_procs_deinit(&m->procs);
	vmmprof_kallsyms_deinit(&m->kallsyms);
	vmmprof_ksyms_deinit(&m->ksyms);
	vmmprof_bundle_deinit(&m->bundle);
	memset(m, 0, sizeof(*m));
}

static void place_init(struct vmmprof_place *p, __u64 addr,
		       enum vmmprof_cause cause)
{
	memset(p, 0, sizeof(*p));
	p->link = addr;
	p->end = VMMPROF_TIME_UNKNOWN;
	p->func = VMMPROF_NONE;
	p->module = VMMPROF_NONE;
	p->file = VMMPROF_NONE;
	p->cause = cause;
}

static int add_name(struct vmmprof_strings *strings, const char *s, __u32 *ret)
{
	return vmmprof_strings_add(strings, s, strlen(s), ret);
}

/*
 * The same of what lives as long as the machine: a symbol's name is asked for
 * with each of its addresses.
 */
static int add_symbol(struct vmmprof_machine *m,
		      struct vmmprof_strings *strings, const char *s,
		      size_t max, __u32 *ret)
{
	__u64 key = (uintptr_t)s;
	int err;

	*ret = vmmprof_hash_get(&m->names, key);
	if (*ret != VMMPROF_NONE)
		return 0;
	err = vmmprof_strings_add(strings, s, max, ret);
	return err ? err : vmmprof_hash_set(&m->names, key, *ret);
}

/* Code that came or went while watched, by its time. */
static int take_ksym(const struct vmmprof_ksym_hit *hit,
		     struct vmmprof_strings *strings, struct vmmprof_place *p)
{
	int err;

	p->from = hit->from;
	p->end = hit->end;
	p->cause = VMMPROF_CAUSE_KERNEL_GAP;
	if (!hit->name)
		return 0;
	p->cause = VMMPROF_CAUSE_NONE;
	err = add_name(strings, hit->name, &p->func);
	return err ? err : add_name(strings, "bpf", &p->module);
}

/*
 * May kallsyms, which was read at one moment, have this of code that came
 * later?  The kernel's and its modules' text it is not.
 */
static bool comes_and_goes(const struct vmmprof_ksym *s)
{
	static const char builtin[] = "__builtin__"; /* ftrace, kprobes */

	return s->module &&
	       ((s->module_len == 3 && !memcmp(s->module, "bpf", 3)) ||
		(s->module_len > strlen(builtin) &&
		 !memcmp(s->module, builtin, strlen(builtin))));
}

int vmmprof_machine_kernel(struct vmmprof_machine *m,
			   struct vmmprof_strings *strings, __u64 ns,
			   __u64 addr, struct vmmprof_place *ret)
{
	struct vmmprof_ksym_hit hit;
	static const char vmlinux[] = "vmlinux";
	const struct vmmprof_ksym *s;
	const char *name;
	int err;

	place_init(ret, addr, VMMPROF_CAUSE_NO_KALLSYMS);
	if (!m->kallsyms.nr)
		return add_name(strings, vmlinux, &ret->module);
	ret->pc = VMMPROF_PC_KNOWN;
	s = vmmprof_kallsyms_find(&m->kallsyms, addr);
	if ((!s || comes_and_goes(s)) &&
	    vmmprof_ksyms_find(&m->ksyms, addr, ns, &hit))
		return take_ksym(&hit, strings, ret);
	ret->cause = VMMPROF_CAUSE_KERNEL_GAP;
	if (!s)
		return 0;
	ret->cause = VMMPROF_CAUSE_NONE;
	err = add_symbol(m, strings, s->name, s->name_len, &ret->func);
	if (!err && s->module)
		err = add_symbol(m, strings, s->module, s->module_len,
				 &ret->module);
	else if (!err)
		err = add_symbol(m, strings, vmlinux, strlen(vmlinux),
				 &ret->module);
	if (err)
		return err;
	name = vmmprof_strings_get(strings, ret->func);
	ret->pc |= vmmprof_pc_of_symbol(name);
	ret->idle = vmmprof_idle_function(name);
	return 0;
}

/*
 * Last part of a path, without the kernel's " (deleted)"; with the slash before
 * a bracket, so that no file is "[vdso]" or another name of what is none.
 */
static int file_name(struct vmmprof_strings *strings, const char *path,
		     __u32 *ret)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(path), tail = sizeof(deleted) - 1;
	const char *slash;

	if (len > tail && !strcmp(path + len - tail, deleted))
		len -= tail;
	slash = memrchr(path, '/', len);
	if (slash && slash + 1 < path + len) {
		slash += slash[1] != '[';
		len -= slash - path;
		path = slash;
	}
	return vmmprof_strings_add(strings, path, len, ret);
}

/* Why a file has no symbol table, as far as its item says. */
static enum vmmprof_cause file_cause(const struct vmmprof_maps_file *item)
{
	if (item->flags & VMMPROF_FILE_F_UNREAD)
		return VMMPROF_CAUSE_UNREADABLE;
	if (item->flags & VMMPROF_FILE_F_NO_SYMS)
		return VMMPROF_CAUSE_NO_SYMBOLS;
	if (item->flags & VMMPROF_FILE_F_CACHED)
		return VMMPROF_CAUSE_CACHE_LOST;
	return VMMPROF_CAUSE_NOT_COLLECTED;
}

/*
 * A host's file is where its path says, from the root on; a recorder writes no
 * other path.  A guest's is on no path here.
 */
static bool may_open(const struct vmmprof_machine *m,
		     const struct vmmprof_bundle_file *bf)
{
	return m->host && !m->no_files && *bf->item->path == '/';
}

/*
 * Symbols of a file, at its first use.  Only the host's own files may be read
 * from this machine, and only if they are still the same by build-id.
 */
static int file_ready(struct vmmprof_machine *m, size_t i,
		      struct vmmprof_strings *strings)
{
	const struct vmmprof_bundle_file *bf = &m->bundle.files[i];
	struct vmmprof_machine_file *f = &m->files[i];
	int ret;

	if (f->ready)
		return 0;
	ret = file_name(strings, bf->item->path, &f->module);
	if (ret)
		return ret;
	f->cause = file_cause(bf->item);
	if (bf->symtab) {
		ret = vmmprof_symbols_init(&f->symbols, bf->symtab);
		if (ret)
			return ret;
		f->cause = f->symbols.nr_symbols ? VMMPROF_CAUSE_NONE :
						   VMMPROF_CAUSE_NO_SYMBOLS;
	} else if (may_open(m, bf) && f->cause == VMMPROF_CAUSE_NOT_COLLECTED) {
		ret = vmmprof_symbols_init_elf(&f->symbols, bf->item->path,
					       bf->item->build_id,
					       bf->item->build_id_size);
		if (!ret)
			f->cause = f->symbols.nr_symbols ?
					   VMMPROF_CAUSE_NONE :
					   VMMPROF_CAUSE_NO_SYMBOLS;
		else if (ret == -EACCES)
			f->cause = VMMPROF_CAUSE_UNREADABLE;
	}
	f->ready = true;
	return 0;
}

static int find_in_file(struct vmmprof_machine *m,
			struct vmmprof_strings *strings, size_t i, __u64 offset,
			struct vmmprof_place *p)
{
	struct vmmprof_machine_file *f = &m->files[i];
	const char *name;
	int err;

	err = file_ready(m, i, strings);
	if (err)
		return err;
	p->module = f->module;
	p->cause = f->cause;
	p->link = offset;
	if (p->cause)
		return 0;
	p->cause = VMMPROF_CAUSE_GAP;
	if (!vmmprof_symbols_link_addr(&f->symbols, offset, &p->link))
		return 0;
	name = vmmprof_symbols_find(&f->symbols, p->link);
	if (!name)
		return 0;
	p->cause = VMMPROF_CAUSE_NONE;
	return add_symbol(m, strings, name, SIZE_MAX, &p->func);
}

/* Memory in which a process may have made code: no file's. */
static bool may_be_jit(const struct vmmprof_bundle_file *file)
{
	const char *path = file ? file->item->path : "", *name;

	name = strrchr(path, '/');
	return !file || !strncmp(path, "/memfd:", 7) ||
	       (name && !strncmp(name, "/jit-", 5));
}

/* Narrow the times of *p to those for which both answers hold. */
static int find_jit(struct vmmprof_machine *m, struct vmmprof_strings *strings,
		    const struct vmmprof_image *image, __u64 ns, __u64 addr,
		    struct vmmprof_place *p)
{
	const struct vmmprof_maps_jit *item;
	__u64 from, end;
	int err;

	item = vmmprof_jit_find(&m->jit, &m->procs, image, ns, addr, &from,
				&end);
	p->from = from > p->from ? from : p->from;
	p->end = end < p->end ? end : p->end;
	if (!item)
		return 0;
	err = add_name(strings, item->name, &p->func);
	if (!err)
		err = add_name(strings, "[jit]", &p->module);
	p->cause = VMMPROF_CAUSE_NONE;
	return err;
}

int vmmprof_machine_user(struct vmmprof_machine *m,
			 struct vmmprof_strings *strings,
			 const struct vmmprof_image *image, __u64 ns,
			 __u64 addr, struct vmmprof_place *ret)
{
	const struct vmmprof_bundle_file *file;
	const struct vmmprof_maps_map *map, *text;
	bool confirmed;
	int err;

	place_init(ret, addr, VMMPROF_CAUSE_NOT_MAPPED);
	if ((addr & ~0xfffull) == VSYSCALL_PAGE) {
		ret->cause = VMMPROF_CAUSE_NONE;
		err = add_name(strings, "[vsyscall]", &ret->module);
		return err ? err : add_name(strings, "[vsyscall]", &ret->func);
	}
	map = vmmprof_procs_find_map(&m->procs, image, ns, addr, &ret->from,
				     &ret->end);
	file = !map || map->file == VMMPROF_NONE ?
		       NULL :
		       vmmprof_bundle_find_file(&m->bundle, map->file);
	if (may_be_jit(file)) {
		err = find_jit(m, strings, image, ns, addr, ret);
		if (err || !ret->cause || !map)
			return err;
	}
	if (map && map->file == VMMPROF_NONE) {
		text = vmmprof_procs_find_text(&m->procs, image, map, addr,
					       &confirmed);
		if (text)
			file = vmmprof_bundle_find_file(&m->bundle, text->file);
		if (file && confirmed)
			map = text;
	}
	if (file && map->file == VMMPROF_NONE) {
		ret->cause = VMMPROF_CAUSE_REMAPPED;
		return file_name(strings, file->item->path, &ret->module);
	}
	if (!file) {
		ret->cause = VMMPROF_CAUSE_ANONYMOUS;
		return add_name(strings, "[anon]", &ret->module);
	}
	ret->file = map->file;
	return find_in_file(m, strings, file - m->bundle.files,
			    addr - map->start + map->pgoff, ret);
}

bool vmmprof_machine_line(struct vmmprof_machine *m, __u32 file, __u64 link,
			  char *buf, size_t size)
{
	const struct vmmprof_bundle_file *bf;
	struct vmmprof_machine_file *f;

	bf = vmmprof_bundle_find_file(&m->bundle, file);
	if (!bf || !may_open(m, bf))
		return false;
	f = &m->files[bf - m->bundle.files];
	if (!f->lines_tried)
		f->lines = vmmprof_dwarf_open(bf->item->path,
					      bf->item->build_id,
					      bf->item->build_id_size);
	f->lines_tried = true;
	return f->lines && vmmprof_dwarf_line(f->lines, link, buf, size);
}
