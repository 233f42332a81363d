// SPDX-License-Identifier: GPL-2.0-only
/* Reads files of kind MAPS; the one place that trusts nothing in them. */

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <vmmprof/record.h>

#include "format/bundle.h"
#include "base/vec.h"
#include "base/sort.h"

/* Arrays of these are searched one element after another. */
#define MAX_CODES (4 * VMMPROF_CODE_RANGES)

/* Append a pointer to one of the arrays of b; -ENOMEM. */
#define BUNDLE_ADD(b, what, pointer)                                     \
	({                                                               \
		int ret_ = vec_grow(&(b)->what, &(b)->cap_##what,        \
				    (b)->nr_##what, sizeof(*(b)->what)); \
		if (!ret_)                                               \
			(b)->what[(b)->nr_##what++] = (pointer);         \
		ret_;                                                    \
	})

/* Sizes, strings and name offsets; the symbols' order is not checked here. */
static bool symtab_ok(const struct vmmprof_maps_symtab *t)
{
	const struct vmmprof_symbol *sym;
	__u64 size = sizeof(*t);
	const char *strings;
	__u32 i;

	if (t->hdr.size < sizeof(*t))
		return false;
	size += (__u64)t->nr_segments * sizeof(struct vmmprof_segment);
	size += (__u64)t->nr_symbols * sizeof(struct vmmprof_symbol);
	size += t->strings_size;
	if (size > t->hdr.size)
		return false;
	if (!t->nr_symbols)
		return true;
	strings = symtab_strings(t);
	if (!t->strings_size || strings[t->strings_size - 1])
		return false;
	sym = symtab_symbols(t);
	for (i = 0; i < t->nr_symbols; i++)
		if (!symtab_name_ok(strings, t->strings_size, sym[i].name))
			return false;
	return true;
}

static bool map_ok(const struct vmmprof_maps_map *m)
{
	return m->hdr.size >= sizeof(*m) && m->start < m->end;
}

static bool file_ok(const struct vmmprof_maps_file *f)
{
	return f->hdr.size > sizeof(*f) && f->build_id_size <= 20 &&
	       item_string(&f->hdr, sizeof(*f));
}

static bool proc_ok(const struct vmmprof_maps_proc *p)
{
	return p->hdr.size > sizeof(*p) && item_string(&p->hdr, sizeof(*p));
}

static bool jit_ok(const struct vmmprof_maps_jit *j)
{
	return j->hdr.size > sizeof(*j) && item_string(&j->hdr, sizeof(*j)) &&
	       j->size && j->addr + j->size > j->addr;
}

static bool cgroup_ok(const struct vmmprof_maps_cgroup *c)
{
	return c->hdr.size > sizeof(*c) && item_string(&c->hdr, sizeof(*c));
}

static bool ksym_ok(const struct vmmprof_maps_ksym *k)
{
	return k->hdr.size > sizeof(*k) && item_string(&k->hdr, sizeof(*k)) &&
	       k->addr + k->len >= k->addr;
}

static size_t code_size(const struct vmmprof_maps_code *c)
{
	return c->hdr.size - sizeof(*c);
}

static bool code_ok(const struct vmmprof_maps_code *c)
{
	return c->hdr.size > sizeof(*c) && code_size(c) <= VMMPROF_CODE_RANGE &&
	       c->addr + code_size(c) > c->addr;
}

static void set_blob(struct blob *blob, const struct vmmprof_item_hdr *item)
{
	blob->p = (const char *)(item + 1);
	blob->len = item->size - sizeof(*item);
}

static int add_file(struct bundle *b, const struct vmmprof_maps_file *item)
{
	struct bundle_file file = { .item = item };

	return BUNDLE_ADD(b, files, file);
}

/* Is an item as large as its type, and are its strings and ranges sound? */
static bool item_ok(const struct vmmprof_item_hdr *item)
{
	switch (item->type) {
	case VMMPROF_ITEM_NOTE:
		return item_string(item, sizeof(*item));
	case VMMPROF_ITEM_CLOCK:
		return item->size >= sizeof(struct vmmprof_item_clock);
	case VMMPROF_MAPS_MM:
		return item->size >= sizeof(struct vmmprof_maps_mm);
	case VMMPROF_MAPS_PROC:
		return proc_ok((const void *)item);
	case VMMPROF_MAPS_MAP:
		return map_ok((const void *)item);
	case VMMPROF_MAPS_FILE:
		return file_ok((const void *)item);
	case VMMPROF_MAPS_SYMTAB:
		return symtab_ok((const void *)item);
	case VMMPROF_MAPS_TASK:
		return item->size >= sizeof(struct vmmprof_maps_task);
	case VMMPROF_MAPS_JIT:
		return jit_ok((const void *)item);
	case VMMPROF_MAPS_CGROUP:
		return cgroup_ok((const void *)item);
	case VMMPROF_MAPS_KSYM:
		return ksym_ok((const void *)item);
	case VMMPROF_MAPS_CPUTIME:
		return item->size >= sizeof(struct vmmprof_maps_cputime);
	case VMMPROF_MAPS_CODE:
		return code_ok((const void *)item);
	case VMMPROF_MAPS_UNWIND:
		return item->size >= sizeof(struct vmmprof_maps_unwind);
	case VMMPROF_MAPS_LOST:
		return item->size >= sizeof(struct vmmprof_maps_lost);
	case VMMPROF_MAPS_IMAGE:
		return item->size >= sizeof(struct vmmprof_maps_image);
	}
	return true;
}

/* Returns 0, -ENOMEM, or -EBADMSG for a damaged item. */
static int bundle_item(struct bundle *b, const struct vmmprof_item_hdr *item)
{
	if (!item_ok(item))
		return -EBADMSG;
	switch (item->type) {
	case VMMPROF_ITEM_TEXT:
		text_add(&b->text, item);
		return 0;
	case VMMPROF_ITEM_NOTE:
		return BUNDLE_ADD(b, notes, (const char *)(item + 1));
	case VMMPROF_ITEM_CLOCK:
		return BUNDLE_ADD(b, clocks, (const void *)item);
	case VMMPROF_MAPS_KALLSYMS:
		set_blob(&b->kallsyms, item);
		return 0;
	case VMMPROF_MAPS_MODULES:
		set_blob(&b->modules, item);
		return 0;
	case VMMPROF_MAPS_MM:
		return BUNDLE_ADD(b, mms, (const void *)item);
	case VMMPROF_MAPS_PROC:
		return BUNDLE_ADD(b, procs, (const void *)item);
	case VMMPROF_MAPS_MAP:
		return BUNDLE_ADD(b, maps, (const void *)item);
	case VMMPROF_MAPS_FILE:
		return add_file(b, (const void *)item);
	case VMMPROF_MAPS_SYMTAB:
		return BUNDLE_ADD(b, symtabs, (const void *)item);
	case VMMPROF_MAPS_TASK:
		return BUNDLE_ADD(b, tasks, (const void *)item);
	case VMMPROF_MAPS_JIT:
		return BUNDLE_ADD(b, jits, (const void *)item);
	case VMMPROF_MAPS_CGROUP:
		return BUNDLE_ADD(b, cgroups, (const void *)item);
	case VMMPROF_MAPS_KSYM:
		return BUNDLE_ADD(b, ksyms, (const void *)item);
	case VMMPROF_MAPS_CPUTIME:
		return BUNDLE_ADD(b, cputimes, (const void *)item);
	case VMMPROF_MAPS_CODE:
		return b->nr_codes == MAX_CODES ?
			       -EBADMSG :
			       BUNDLE_ADD(b, codes, (const void *)item);
	case VMMPROF_MAPS_UNWIND:
		return BUNDLE_ADD(b, unwinds, (const void *)item);
	case VMMPROF_MAPS_IMAGE:
		return BUNDLE_ADD(b, images, (const void *)item);
	case VMMPROF_MAPS_LOST:
		b->lost += ((const struct vmmprof_maps_lost *)item)->count;
		return 0;
	}
	return 0;
}

static int order(__u64 a, __u64 b, const void *x, const void *y)
{
	if (a != b)
		return a < b ? -1 : 1;
	/* Same time: as they stand in the file. */
	return x < y ? -1 : x > y;
}

/* What every item with a time begins with. */
struct timed {
	struct vmmprof_item_hdr hdr;
	__u64 ns;
};

_Static_assert(offsetof(struct vmmprof_maps_mm, ns) == 8, "timed");
_Static_assert(offsetof(struct vmmprof_maps_proc, ns) == 8, "timed");
_Static_assert(offsetof(struct vmmprof_maps_map, ns) == 8, "timed");
_Static_assert(offsetof(struct vmmprof_maps_task, ns) == 8, "timed");
_Static_assert(offsetof(struct vmmprof_maps_jit, ns) == 8, "timed");
_Static_assert(offsetof(struct vmmprof_maps_cgroup, ns) == 8, "timed");
_Static_assert(offsetof(struct vmmprof_maps_ksym, ns) == 8, "timed");
_Static_assert(offsetof(struct vmmprof_maps_cputime, ns) == 8, "timed");
_Static_assert(offsetof(struct vmmprof_maps_image, ns) == 8, "timed");

static int cmp_timed(const void *a, const void *b)
{
	const struct timed *x = *(void **)a, *y = *(void **)b;

	return order(x->ns, y->ns, x, y);
}

static int cmp_file(const void *a, const void *b)
{
	const struct bundle_file *x = a, *y = b;

	return order(x->item->id, y->item->id, x->item, y->item);
}

static int cmp_code(const void *a, const void *b)
{
	const struct vmmprof_maps_code *x = *(void **)a, *y = *(void **)b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return order(x->addr, y->addr, x, y);
}

static int cmp_unwind(const void *a, const void *b)
{
	const struct vmmprof_maps_unwind *x = *(void **)a, *y = *(void **)b;

	return order(x->unwind.start, y->unwind.start, x, y);
}

/* Tables to their files; those of the kernel stay. */
static void join_unwinds(struct bundle *b)
{
	struct bundle_file *f;
	size_t i, n = 0;

	for (i = 0; i < b->nr_unwinds; i++) {
		const struct vmmprof_maps_unwind *u = b->unwinds[i];

		if (u->file == VMMPROF_NONE) {
			b->unwinds[n++] = u;
			continue;
		}
		f = (void *)bundle_find_file(b, u->file);
		if (!f || f->unwind)
			b->bad++;
		else
			f->unwind = u;
	}
	b->nr_unwinds = n;
	sort_array(b->unwinds, n, sizeof(*b->unwinds), cmp_unwind);
}

/* Sort everything, drop files with an id used before, join symbol tables. */
static void bundle_join(struct bundle *b)
{
	struct bundle_file *f;
	size_t i, n = 0;

	sort_array(b->mms, b->nr_mms, sizeof(*b->mms), cmp_timed);
	sort_array(b->procs, b->nr_procs, sizeof(*b->procs), cmp_timed);
	sort_array(b->maps, b->nr_maps, sizeof(*b->maps), cmp_timed);
	sort_array(b->tasks, b->nr_tasks, sizeof(*b->tasks), cmp_timed);
	sort_array(b->jits, b->nr_jits, sizeof(*b->jits), cmp_timed);
	sort_array(b->cgroups, b->nr_cgroups, sizeof(*b->cgroups), cmp_timed);
	sort_array(b->ksyms, b->nr_ksyms, sizeof(*b->ksyms), cmp_timed);
	sort_array(b->cputimes, b->nr_cputimes, sizeof(*b->cputimes),
		   cmp_timed);
	sort_array(b->images, b->nr_images, sizeof(*b->images), cmp_timed);
	sort_array(b->codes, b->nr_codes, sizeof(*b->codes), cmp_code);
	sort_array(b->files, b->nr_files, sizeof(*b->files), cmp_file);
	for (i = 0; i < b->nr_files; i++) {
		if (n && b->files[n - 1].item->id == b->files[i].item->id)
			b->bad++;
		else
			b->files[n++] = b->files[i];
	}
	b->nr_files = n;
	for (i = 0; i < b->nr_symtabs; i++) {
		f = (void *)bundle_find_file(b, b->symtabs[i]->file);
		if (!f || f->symtab)
			b->bad++;
		else
			f->symtab = b->symtabs[i];
	}
	join_unwinds(b);
}

static int bundle_read(struct bundle *b, const char *name,
		       struct problems *problems)
{
	const struct vmmprof_item_hdr *item;
	int ret;

	while (items_next(&b->items, &item)) {
		ret = bundle_item(b, item);
		if (ret == -EBADMSG) {
			b->bad++;
		} else if (ret) {
			bundle_deinit(b);
			return ret;
		}
	}
	b->complete = b->items.ended;
	bundle_join(b);
	if (b->bad)
		problem(problems, "%s: %llu damaged items skipped", name,
			b->bad);
	if (b->items.cut)
		problem(problems,
			"%s: cut off or damaged at byte %zu: everything before it is used",
			name, b->items.pos);
	else if (!b->complete)
		problem(problems,
			"%s: its writer did not finish: everything up to where it stopped is used",
			name);
	if (b->lost)
		problem(problems,
			"%s: its writer lost %llu events: processes of that time may be missing",
			name, b->lost);
	return 0;
}

int bundle_init(struct bundle *b, int fd, const char *name,
		struct problems *problems)
{
	int ret;

	memset(b, 0, sizeof(*b));
	ret = items_init(&b->items, fd, VMMPROF_FILE_MAPS);
	return ret ? ret : bundle_read(b, name, problems);
}

int bundle_init_mem(struct bundle *b, const void *data, size_t size,
		    const char *name, struct problems *problems)
{
	int ret;

	memset(b, 0, sizeof(*b));
	ret = items_init_mem(&b->items, data, size, VMMPROF_FILE_MAPS);
	return ret ? ret : bundle_read(b, name, problems);
}

void bundle_deinit(struct bundle *b)
{
	free(b->mms);
	free(b->procs);
	free(b->maps);
	free(b->tasks);
	free(b->jits);
	free(b->cgroups);
	free(b->ksyms);
	free(b->cputimes);
	free(b->images);
	free(b->codes);
	free(b->clocks);
	free(b->notes);
	free(b->files);
	free(b->symtabs);
	free(b->unwinds);
	items_deinit(&b->items);
	memset(b, 0, sizeof(*b));
}

const struct bundle_file *bundle_find_file(const struct bundle *b, __u32 id)
{
	size_t lo = 0, hi = b->nr_files, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (b->files[mid].item->id == id)
			return &b->files[mid];
		if (b->files[mid].item->id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

const __u8 *bundle_code(const struct bundle *b, __u32 file, __u64 addr,
			size_t *size, bool *ia32)
{
	const struct vmmprof_maps_code *c, *best = NULL;
	size_t i, left;

	*size = 0;
	for (i = 0; i < b->nr_codes; i++) {
		c = b->codes[i];
		if (c->file != file || c->addr > addr ||
		    addr - c->addr >= code_size(c))
			continue;
		left = code_size(c) - (addr - c->addr);
		if (left <= *size)
			continue;
		*size = left;
		best = c;
	}
	if (!best)
		return NULL;
	*ia32 = best->flags & VMMPROF_CODE_F_IA32;
	return best->code + (addr - best->addr);
}
