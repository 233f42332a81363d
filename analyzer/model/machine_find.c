// SPDX-License-Identifier: GPL-2.0-only
/* From an address on a machine to file, symbol table and function. */

#include <string.h>

#include "model/exit_check.h"
#include "model/machine_file.h"

/* The legacy page every x86-64 process may have, no mapping of a file. */
#define VSYSCALL_PAGE 0xffffffffff600000ull

/* Code that came or went while watched, by its time. */
static int take_ksym(const struct ksym_hit *hit, struct strings *strings,
		     struct symbol_ref *p)
{
	int err;

	p->from = hit->from;
	p->end = hit->end;
	p->cause = CAUSE_KERNEL_GAP;
	if (!hit->name)
		return 0;
	p->cause = CAUSE_NONE;
	err = machine_add_name(strings, hit->name, &p->func);
	return err ? err : machine_add_name(strings, "bpf", &p->module);
}

/*
 * May this symbol of kallsyms be of code that comes and goes?  Text of the
 * kernel and its modules does not.
 */
static bool comes_and_goes(const struct ksym *s)
{
	static const char builtin[] = "__builtin__"; /* ftrace, kprobes */

	return s->module &&
	       ((s->module_len == 3 && !memcmp(s->module, "bpf", 3)) ||
		(s->module_len > strlen(builtin) &&
		 !memcmp(s->module, builtin, strlen(builtin))));
}

int machine_kernel(struct machine *m, struct strings *strings, __u64 ns,
		   __u64 addr, struct symbol_ref *ret,
		   struct symbols_range *same)
{
	struct ksym_hit hit;
	static const char vmlinux[] = "vmlinux";
	const struct ksym *s;
	const char *name;
	int err;

	*same = (struct symbols_range){ addr, addr + 1 };
	symbol_ref_init(ret, addr, CAUSE_NO_KALLSYMS);
	if (!m->kallsyms.nr)
		return machine_add_name(strings, vmlinux, &ret->module);
	ret->pc = PC_KNOWN;
	s = kallsyms_find(&m->kallsyms, addr);
	if ((!s || comes_and_goes(s)) && ksyms_find(&m->ksyms, addr, ns, &hit))
		return take_ksym(&hit, strings, ret);
	ret->cause = CAUSE_KERNEL_GAP;
	if (!s)
		return 0;
	if (!comes_and_goes(s))
		*same = (struct symbols_range){ s->addr, s->end };
	ret->cause = CAUSE_NONE;
	err = machine_add_symbol(m, strings, s->name, s->name_len, &ret->func);
	if (!err && s->module)
		err = machine_add_symbol(m, strings, s->module, s->module_len,
					 &ret->module);
	else if (!err)
		err = machine_add_symbol(m, strings, vmlinux, strlen(vmlinux),
					 &ret->module);
	if (err)
		return err;
	name = strings_get(strings, ret->func);
	ret->pc |= pc_of_symbol(name);
	ret->idle = idle_function(name);
	return 0;
}

/* NULL: it is mapped from none. */
static const struct bundle_file *file_of(const struct machine *m,
					 const struct vmmprof_maps_map *map)
{
	return !map || map->file == VMMPROF_NONE ?
		       NULL :
		       bundle_find_file(&m->bundle, map->file);
}

/* Memory without a file, in which a process may have made code. */
static bool may_be_jit(const struct bundle_file *file)
{
	const char *path = file ? file->item->path : "", *name;

	name = strrchr(path, '/');
	return !file || !strncmp(path, "/memfd:", 7) ||
	       (name && !strncmp(name, "/jit-", 5));
}

/* Narrow the times of *p to those for which both answers hold. */
static int find_jit(struct machine *m, struct strings *strings,
		    const struct image *image, __u64 ns, __u64 addr,
		    struct symbol_ref *p)
{
	const struct vmmprof_maps_jit *item;
	__u64 from, end;
	int err;

	item = jit_find(&m->jit, &m->procs, image, ns, addr, &from, &end);
	p->from = from > p->from ? from : p->from;
	p->end = end < p->end ? end : p->end;
	if (!item)
		return 0;
	err = machine_add_name(strings, item->name, &p->func);
	if (!err)
		err = machine_add_name(strings, "[jit]", &p->module);
	p->cause = CAUSE_NONE;
	return err;
}

/*
 * Cut *same so far that the same mappings are there: they begin and end at
 * multiples of MAP_UNIT.  False: not all do.
 */
static bool same_mapping(const struct machine *m, struct symbols_range *same,
			 __u64 addr)
{
	const __u64 from = addr & ~(MAP_UNIT - 1ull), to = from + MAP_UNIT;

	if (m->procs.odd_maps)
		return false;
	/* where numbers end, nothing is compared */
	if (same->from > addr || same->from < from)
		same->from = from;
	if (same->to <= addr || same->to > to)
		same->to = to;
	return to > from;
}

int machine_user(struct machine *m, struct strings *strings,
		 const struct image *image, __u64 ns, __u64 addr,
		 struct symbol_ref *ret, struct symbols_range *same)
{
	const struct bundle_file *file;
	const struct vmmprof_maps_map *map, *text;
	bool confirmed;
	int err;

	*same = (struct symbols_range){ addr, addr + 1 };
	symbol_ref_init(ret, addr, CAUSE_NOT_MAPPED);
	if ((addr & ~0xfffull) == VSYSCALL_PAGE) {
		ret->cause = CAUSE_NONE;
		err = machine_add_name(strings, "[vsyscall]", &ret->module);
		return err ? err :
			     machine_add_name(strings, "[vsyscall]",
					      &ret->func);
	}
	map = procs_find_map(&m->procs, image, ns, addr, &ret->from, &ret->end);
	file = file_of(m, map);
	if (may_be_jit(file)) {
		err = find_jit(m, strings, image, ns, addr, ret);
		if (err || !ret->cause || !map)
			return err;
	}
	if (map && map->file == VMMPROF_NONE) {
		text = procs_find_text(&m->procs, image, map, addr, &confirmed);
		if (text)
			file = bundle_find_file(&m->bundle, text->file);
		if (file && confirmed)
			map = text;
	}
	if (file && map->file == VMMPROF_NONE) {
		ret->cause = CAUSE_REMAPPED;
		return machine_file_name(strings, file->item->path,
					 &ret->module);
	}
	if (!file) {
		ret->cause = CAUSE_ANONYMOUS;
		return machine_add_name(strings, "[anon]", &ret->module);
	}
	ret->file = map->file;
	err = machine_find_in_file(m, strings, file - m->bundle.files,
				   addr - map->start + map->pgoff, ret, same);
	if (!same_mapping(m, same, addr) || may_be_jit(file))
		*same = (struct symbols_range){ addr, addr + 1 };
	return err;
}

static void narrow(struct symbols_range *same, __u64 from, __u64 to)
{
	if (from > same->from)
		same->from = from;
	if (to < same->to)
		same->to = to;
}

bool machine_kernel_page(const struct machine *m, __u64 addr,
			 struct symbols_range *same)
{
	const struct ksym *s = kallsyms_find(&m->kallsyms, addr);

	/* pages have numbers of 32 bits: all of a kernel's code does */
	if (!s || comes_and_goes(s) || addr >> 44 != 0xfffff ||
	    same->to <= addr)
		return false;
	narrow(same, s->addr, s->end);
	return true;
}

bool machine_user_page(struct machine *m, const struct image *image, __u64 ns,
		       __u64 addr, __u32 *file, __u64 *offset,
		       struct symbols_range *same)
{
	const struct vmmprof_maps_map *map;
	const struct bundle_file *bf;
	__u64 from, end;

	if (m->procs.odd_pages || (addr & ~0xfffull) == VSYSCALL_PAGE)
		return false;
	map = procs_find_map(&m->procs, image, ns, addr, &from, &end);
	bf = file_of(m, map);
	if (!bf || may_be_jit(bf) || from || end != TIME_UNKNOWN)
		return false;
	*file = map->file;
	*offset = addr - map->start + map->pgoff;
	if (*offset >> 44 || (*offset ^ addr) & (MAP_PAGE - 1) ||
	    same->to <= addr)
		return false;
	machine_function_in_file(m, bf - m->bundle.files, *offset, &from, &end);
	narrow(same, addr - from, addr + end);
	return true;
}

const struct vmmprof_unwind_rule *machine_unwind(struct machine *m, __u32 file,
						 __u64 link)
{
	return unwind_tables_find(&m->unwind, &m->bundle, file, link);
}

static struct debuginfo *open_lines(struct machine *m,
				    const struct vmmprof_maps_file *item,
				    const char *path)
{
	struct debuginfo *d;
	int flags = 0;

	d = debuginfo_open(path, 0, item->build_id, item->build_id_size);
	if (d)
		return d;
	path = debug_names_path(m->debug, item, !m->host, &flags);
	return path ? debuginfo_open(path, flags, item->build_id,
				     item->build_id_size) :
		      NULL;
}

/* The debugging information of a file; NULL: there is none here. */
static struct debuginfo *lines_of(struct machine *m,
				  const struct bundle_file *bf)
{
	struct machine_file *f = &m->files[bf - m->bundle.files];

	if (!f->lines_tried && !m->no_files)
		f->lines = open_lines(m, bf->item,
				      machine_may_open(m, bf) ? bf->item->path :
								NULL);
	f->lines_tried = true;
	return f->lines;
}

bool machine_line(struct machine *m, __u32 file, __u64 link, char *buf,
		  size_t size)
{
	const struct bundle_file *bf = bundle_find_file(&m->bundle, file);
	struct debuginfo *d = bf && machine_may_open(m, bf) ? lines_of(m, bf) :
							      NULL;

	return d && debuginfo_line(d, link, buf, size);
}

size_t machine_inlines(struct machine *m, __u32 file, __u64 link,
		       struct debuginfo_inline *ret, size_t max)
{
	const struct bundle_file *bf = bundle_find_file(&m->bundle, file);
	struct debuginfo *d = bf ? lines_of(m, bf) : NULL;

	if (file == VMMPROF_NONE && !m->no_files)
		return kernel_lines_inlines(&m->kernel_lines, &m->bundle,
					    &m->kallsyms, m->host, link, ret,
					    max);
	return d ? debuginfo_inlines(d, link, ret, max) : 0;
}
