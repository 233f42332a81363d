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

/*
 * The time that a bundle covers: from its first clock reading to its last item.
 */
static void set_watched(struct machine *m)
{
	const struct bundle *b = &m->bundle;
	__u64 from = TIME_UNKNOWN, until = 0, ns;
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

static int init_kallsyms(struct machine *m, struct machine *old)
{
	const struct bundle *b = &m->bundle;

	if (old &&
	    kallsyms_take(&m->kallsyms,
			  &(struct kallsyms_text){ &b->kallsyms, &b->modules },
			  &old->kallsyms,
			  &(struct kallsyms_text){ &old->bundle.kallsyms,
						   &old->bundle.modules }))
		return 0;
	return kallsyms_init(&m->kallsyms, &b->kallsyms, &b->modules);
}

static bool same_file(const struct bundle_file *a, const struct bundle_file *b)
{
	return a->item->flags == b->item->flags &&
	       a->item->build_id_size == b->item->build_id_size &&
	       !memcmp(a->item->build_id, b->item->build_id,
		       a->item->build_id_size) &&
	       !strcmp(a->item->path, b->item->path);
}

/* Symbol tables that were read from files here: again they would be the same. */
static void take_files(struct machine *m, struct machine *old)
{
	const struct bundle_file *bf;
	struct machine_file *f;
	size_t i;

	for (i = 0; i < m->bundle.nr_files; i++) {
		bf = bundle_find_file(&old->bundle,
				      m->bundle.files[i].item->id);
		if (!bf || bf->symtab || m->bundle.files[i].symtab ||
		    !same_file(bf, &m->bundle.files[i]))
			continue;
		f = &old->files[bf - old->bundle.files];
		/* a file that could not be read may exist now */
		if (!f->ready || f->cause)
			continue;
		m->files[i] = *f;
		memset(f, 0, sizeof(*f));
	}
}

int machine_init(struct machine *m, struct bundle *b, bool host, __u64 tsc_khz,
		 struct machine *old)
{
	char from[16], method[16];
	bool watched;
	int ret;

	memset(m, 0, sizeof(*m));
	m->host = host;
	m->bundle = *b;
	memset(b, 0, sizeof(*b));
	b = &m->bundle;
	text_get(&b->text, "from", from, sizeof(from));
	text_get(&b->text, "method", method, sizeof(method));
	m->by_table = !host && !strcmp(from, "memory");
	m->pti = text_number(&b->text, "pti", 10, 0);
	/*
	 * A guest that reads its kernel memory takes snapshots, also while it
	 * watches.
	 */
	watched = !strcmp(from, "watch") && strcmp(method, "kcore");
	m->files = calloc(b->nr_files + 1, sizeof(*m->files));
	ret = m->files ? 0 : -ENOMEM;
	if (!ret && !host)
		ret = address_space_init(
			&m->spaces, b->mms, b->nr_mms,
			text_number(&b->text, "phys_mask", 16, 0), watched);
	if (!ret && !host)
		ret = tasks_init(&m->tasks, b, watched);
	if (!ret)
		ret = procs_init(&m->procs, b);
	if (!ret && !host)
		ret = vforks_init(&m->vforks, b, &m->procs);
	if (!ret)
		ret = jit_init(&m->jit, b, &m->procs);
	if (!ret)
		ret = containers_init(&m->containers, b, &m->procs);
	if (!ret)
		ret = init_kallsyms(m, old);
	if (!ret)
		ret = ksyms_init(&m->ksyms, b);
	if (!ret)
		ret = unwind_tables_init(&m->unwind, b);
	if (ret)
		machine_deinit(m);
	else
		clock_init(&m->clock, b->clocks, b->nr_clocks, tsc_khz);
	if (!ret && host && old)
		take_files(m, old);
	if (!ret && !host)
		set_watched(m);
	return ret;
}

void machine_deinit(struct machine *m)
{
	size_t i;

	for (i = 0; m->files && i < m->bundle.nr_files; i++) {
		if (m->files[i].ready)
			symbols_deinit(&m->files[i].symbols);
		debuginfo_close(m->files[i].lines);
	}
	free(m->files);
	address_space_deinit(&m->spaces);
	containers_deinit(&m->containers);
	jit_deinit(&m->jit);
	tasks_deinit(&m->tasks);
	vforks_deinit(&m->vforks);
	hash_deinit(&m->names);
	procs_deinit(&m->procs);
	kallsyms_deinit(&m->kallsyms);
	ksyms_deinit(&m->ksyms);
	kernel_lines_deinit(&m->kernel_lines);
	unwind_tables_deinit(&m->unwind);
	bundle_deinit(&m->bundle);
	memset(m, 0, sizeof(*m));
}

void symbol_ref_init(struct symbol_ref *p, __u64 addr, enum cause cause)
{
	memset(p, 0, sizeof(*p));
	p->link = addr;
	p->end = TIME_UNKNOWN;
	p->func = VMMPROF_NONE;
	p->module = VMMPROF_NONE;
	p->file = VMMPROF_NONE;
	p->cause = cause;
}

static int add_name(struct strings *strings, const char *s, __u32 *ret)
{
	return strings_add(strings, s, strlen(s), ret);
}

/*
 * The same for names that live as long as the machine, with a cache: each
 * address of a symbol asks for its name.
 */
static int add_symbol(struct machine *m, struct strings *strings, const char *s,
		      size_t max, __u32 *ret)
{
	__u64 key = (uintptr_t)s;
	int err;

	*ret = hash_get(&m->names, key);
	if (*ret != VMMPROF_NONE)
		return 0;
	err = strings_add(strings, s, max, ret);
	return err ? err : hash_set(&m->names, key, *ret);
}

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
	err = add_name(strings, hit->name, &p->func);
	return err ? err : add_name(strings, "bpf", &p->module);
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
		return add_name(strings, vmlinux, &ret->module);
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
	err = add_symbol(m, strings, s->name, s->name_len, &ret->func);
	if (!err && s->module)
		err = add_symbol(m, strings, s->module, s->module_len,
				 &ret->module);
	else if (!err)
		err = add_symbol(m, strings, vmlinux, strlen(vmlinux),
				 &ret->module);
	if (err)
		return err;
	name = strings_get(strings, ret->func);
	ret->pc |= pc_of_symbol(name);
	ret->idle = idle_function(name);
	return 0;
}

/*
 * Last part of a path, without the kernel's " (deleted)"; with the slash kept
 * before a bracket, so that no file can be called "[vdso]" or the like.
 */
static int file_name(struct strings *strings, const char *path, __u32 *ret)
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
	return strings_add(strings, path, len, ret);
}

/* Why a file has no symbol table, as far as its item says. */
static enum cause file_cause(const struct vmmprof_maps_file *item)
{
	if (item->flags & VMMPROF_FILE_F_UNREAD)
		return CAUSE_UNREADABLE;
	if (item->flags & VMMPROF_FILE_F_NO_SYMS)
		return CAUSE_NO_SYMBOLS;
	if (item->flags & VMMPROF_FILE_F_NOT_RESIDENT)
		return CAUSE_NOT_RESIDENT;
	if (item->flags & VMMPROF_FILE_F_CACHED)
		return CAUSE_CACHE_LOST;
	return CAUSE_NOT_COLLECTED;
}

/*
 * A file of the host is opened by its absolute path, as the recorder writes
 * it.  Files of a guest are never opened.
 */
static bool may_open(const struct machine *m, const struct bundle_file *bf)
{
	return m->host && !m->no_files && *bf->item->path == '/';
}

/* A file whose symbols are not in the bundle may be here. */
static int find_whole(struct machine *m, size_t i)
{
	struct machine_file *f = &m->files[i];
	int err;

	err = m->debug ? debug_names_get(m->debug, m->bundle.files[i].item,
					 !m->host, DEBUG_WHOLE, NULL,
					 &f->symbols) :
			 -ENOENT;
	if (!err)
		f->cause = CAUSE_NONE;
	return err == -ENOMEM ? err : 0;
}

/*
 * Symbols of a file, at its first use.  Only the host's own files may be read
 * from this machine, and only if they are still the same by build-id.
 */
static int file_ready(struct machine *m, size_t i, struct strings *strings)
{
	const struct bundle_file *bf = &m->bundle.files[i];
	struct machine_file *f = &m->files[i];
	int ret;

	if (f->ready)
		return 0;
	ret = file_name(strings, bf->item->path, &f->module);
	if (ret)
		return ret;
	f->cause = file_cause(bf->item);
	f->gap = f->cause == CAUSE_NOT_RESIDENT ? f->cause : CAUSE_GAP;
	if (bf->symtab) {
		ret = symbols_init(&f->symbols, bf->symtab);
		if (ret)
			return ret;
		f->cause = f->symbols.nr_symbols ? CAUSE_NONE :
			   f->gap == CAUSE_GAP	 ? CAUSE_NO_SYMBOLS :
						   f->gap;
	} else if (may_open(m, bf) && f->cause == CAUSE_NOT_COLLECTED) {
		ret = symbols_init_elf(&f->symbols, bf->item->path,
				       bf->item->build_id,
				       bf->item->build_id_size);
		if (!ret)
			f->cause = f->symbols.nr_symbols ? CAUSE_NONE :
							   CAUSE_NO_SYMBOLS;
		else if (ret == -EACCES)
			f->cause = CAUSE_UNREADABLE;
	}
	f->ready = true;
	return bf->symtab || !f->cause ? 0 : find_whole(m, i);
}

static __u64 min_u64(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

/* The symbols of a debug file, at their first use. */
static const struct symbols *debug_symbols(struct machine *m, size_t i)
{
	struct machine_file *f = &m->files[i];

	if (!f->names_tried && m->debug)
		debug_names_get(m->debug, m->bundle.files[i].item, !m->host,
				DEBUG_NAMES, &f->symbols, &f->names);
	f->names_tried = true;
	return &f->names;
}

/*
 * *same is narrowed to addresses of the same function.
 */
static const struct symbols *symbols_at(struct machine *m, size_t i, __u64 link,
					struct symbols_range *same)
{
	const struct symbols *own = &m->files[i].symbols, *debug;
	const char *name = symbols_find_range(own, link, same);
	__u64 start = link, end;

	if (name && *name)
		return own;
	*same = (struct symbols_range){ link, link + 1 };
	debug = debug_symbols(m, i);
	symbols_extent(own, link, &start, &end);
	return symbols_names(debug, link, start) ? debug : own;
}

const struct symbols *machine_symbols(struct machine *m, size_t i, __u64 link)
{
	struct symbols_range any = { 0, ~0ull };

	return symbols_at(m, i, link, &any);
}

/* A function of which only the bounds are known is called by where it begins. */
static int add_bounds(const struct machine_file *f, struct strings *strings,
		      __u64 link, __u32 *ret)
{
	char *name;
	int err;

	name = symbols_name(&f->symbols, strings_get(strings, f->module), link);
	err = name ? add_name(strings, name, ret) : -ENOMEM;
	free(name);
	return err;
}

/* *same: of the offset; what is not known of others is left out. */
static int find_in_file(struct machine *m, struct strings *strings, size_t i,
			__u64 offset, struct symbol_ref *p,
			struct symbols_range *same)
{
	struct symbols_range offsets = { 0, ~0ull }, links = { 0, ~0ull };
	struct machine_file *f = &m->files[i];
	const char *name;
	int err;

	err = file_ready(m, i, strings);
	if (err)
		return err;
	p->module = f->module;
	p->cause = f->cause ?: f->gap;
	p->link = offset;
	if (!symbols_link_range(&f->symbols, offset, &p->link, &offsets))
		return 0;
	name = symbols_find(symbols_at(m, i, p->link, &links), p->link);
	if (!name)
		return 0;
	p->cause = CAUSE_NONE;
	/* of both, as far below and above */
	same->from -= min_u64(offset - offsets.from, p->link - links.from);
	same->to += min_u64(offsets.to - offset, links.to - p->link) - 1;
	return *name ? add_symbol(m, strings, name, SIZE_MAX, &p->func) :
		       add_bounds(f, strings, p->link, &p->func);
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
	err = add_name(strings, item->name, &p->func);
	if (!err)
		err = add_name(strings, "[jit]", &p->module);
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
		err = add_name(strings, "[vsyscall]", &ret->module);
		return err ? err : add_name(strings, "[vsyscall]", &ret->func);
	}
	map = procs_find_map(&m->procs, image, ns, addr, &ret->from, &ret->end);
	file = !map || map->file == VMMPROF_NONE ?
		       NULL :
		       bundle_find_file(&m->bundle, map->file);
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
		return file_name(strings, file->item->path, &ret->module);
	}
	if (!file) {
		ret->cause = CAUSE_ANONYMOUS;
		return add_name(strings, "[anon]", &ret->module);
	}
	ret->file = map->file;
	err = find_in_file(m, strings, file - m->bundle.files,
			   addr - map->start + map->pgoff, ret, same);
	if (!same_mapping(m, same, addr) || may_be_jit(file))
		*same = (struct symbols_range){ addr, addr + 1 };
	return err;
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
				      may_open(m, bf) ? bf->item->path : NULL);
	f->lines_tried = true;
	return f->lines;
}

bool machine_line(struct machine *m, __u32 file, __u64 link, char *buf,
		  size_t size)
{
	const struct bundle_file *bf = bundle_find_file(&m->bundle, file);
	struct debuginfo *d = bf && may_open(m, bf) ? lines_of(m, bf) : NULL;

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
