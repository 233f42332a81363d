// SPDX-License-Identifier: GPL-2.0-only
/* Sorted function symbols of one file. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/search.h"
#include "sym/symbol.h"
#include "base/sort.h"

/* A page of the file may be mapped before and after a segment's bytes. */
#define PAGE_ROUND   4095ull

/* Real files have fewer executable segments. */
#define MAX_SEGMENTS 64

/* How many symbols before an address may still contain it. */
#define MAX_NESTED   16

static int cmp_symbol(const void *a, const void *b)
{
	const struct vmmprof_symbol *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static bool is_sorted(const struct vmmprof_symbol *sym, __u32 nr)
{
	__u32 i;

	for (i = 1; i < nr; i++)
		if (sym[i].addr < sym[i - 1].addr)
			return false;
	return true;
}

int symbols_init(struct symbols *s, const struct vmmprof_maps_symtab *tab)
{
	memset(s, 0, sizeof(*s));
	s->segments = symtab_segments(tab);
	s->symbols = symtab_symbols(tab);
	s->strings = symtab_strings(tab);
	s->nr_segments = tab->nr_segments < MAX_SEGMENTS ? tab->nr_segments :
							   MAX_SEGMENTS;
	s->nr_symbols = tab->nr_symbols;
	if (is_sorted(s->symbols, s->nr_symbols))
		return 0;
	s->sorted = malloc(s->nr_symbols * sizeof(*s->sorted));
	if (!s->sorted)
		return -ENOMEM;
	memcpy(s->sorted, s->symbols, s->nr_symbols * sizeof(*s->sorted));
	sort_array(s->sorted, s->nr_symbols, sizeof(*s->sorted), cmp_symbol);
	s->symbols = s->sorted;
	return 0;
}

static void use_elf(struct symbols *s, const struct elffile *elf)
{
	s->segments = elf->segments;
	s->symbols = elf->symbols;
	s->strings = elf->strings;
	s->nr_segments = elf->nr_segments;
	s->nr_symbols = elf->nr_symbols;
}

int symbols_init_elf(struct symbols *s, const char *path, const __u8 *build_id,
		     size_t build_id_size)
{
	int fd, ret;

	memset(s, 0, sizeof(*s));
	if (!build_id_size)
		return -ESTALE;
	fd = open_regular(AT_FDCWD, path, 0);
	if (fd < 0)
		return fd;
	ret = elffile_read(fd, &s->elf);
	close(fd);
	if (ret)
		return ret;
	if (s->elf.build_id_size != build_id_size ||
	    memcmp(s->elf.build_id, build_id, build_id_size)) {
		elffile_free(&s->elf);
		memset(s, 0, sizeof(*s));
		return -ESTALE;
	}
	use_elf(s, &s->elf);
	return 0;
}

void symbols_of_elf(struct symbols *s, const struct elffile *elf)
{
	memset(s, 0, sizeof(*s));
	use_elf(s, elf);
}

void symbols_deinit(struct symbols *s)
{
	free(s->sorted);
	elffile_free(&s->elf);
	memset(s, 0, sizeof(*s));
}

/* Narrow *same around @x by the range @from..@to, which has it or has not. */
static void narrow(struct symbols_range *same, __u64 x, __u64 from, __u64 to)
{
	__u64 edges[2] = { from, to };
	int i;

	for (i = 0; i < 2; i++) {
		if (edges[i] <= x && edges[i] > same->from)
			same->from = edges[i];
		if (edges[i] > x && edges[i] < same->to)
			same->to = edges[i];
	}
}

bool symbols_link_addr(const struct symbols *s, __u64 offset, __u64 *ret)
{
	struct symbols_range any = { 0, ~0ull };

	return symbols_link_range(s, offset, ret, &any);
}

bool symbols_link_range(const struct symbols *s, __u64 offset, __u64 *ret,
			struct symbols_range *same)
{
	const struct vmmprof_segment *seg;
	__u64 first, size;
	int round;
	__u32 i;

	/* Exact bytes first, then the pages around them. */
	for (round = 0; round < 2; round++) {
		for (i = 0; i < s->nr_segments; i++) {
			seg = &s->segments[i];
			first = seg->offset;
			size = seg->filesz;
			if (round) {
				first &= ~PAGE_ROUND;
				size += (seg->offset - first) + PAGE_ROUND;
				size &= ~PAGE_ROUND;
			}
			narrow(same, offset, first, first + size);
			if (offset < first || offset - first >= size)
				continue;
			*ret = offset - seg->offset + seg->vaddr;
			return true;
		}
	}
	return false;
}

bool symbols_offset(const struct symbols *s, __u64 link, __u64 *ret)
{
	const struct vmmprof_segment *seg;
	__u32 i;

	for (i = 0; i < s->nr_segments; i++) {
		seg = &s->segments[i];
		if (link < seg->vaddr || link - seg->vaddr >= seg->filesz)
			continue;
		*ret = link - seg->vaddr + seg->offset;
		return true;
	}
	return false;
}

/* A longer name may be anything. */
#define MAX_UNDERSCORES 255

static int underscores(const char *name)
{
	int n = 0;

	while (n < MAX_UNDERSCORES && name[n] == '_')
		n++;
	return n;
}

/*
 * *next: the first that begins after addr, NULL: none.  *same is narrowed to
 * addresses of the same answer.
 */
static const struct vmmprof_symbol *
find_range(const struct symbols *s, __u64 addr,
	   const struct vmmprof_symbol **next, struct symbols_range *same)
{
	const struct vmmprof_symbol *sym = s->symbols, *best = NULL;
	__u32 lo = 0, hi = s->nr_symbols, mid, i;

	BISECT(lo, hi, mid, sym[mid].addr <= addr);
	*next = lo < s->nr_symbols ? &sym[lo] : NULL;
	if (*next)
		narrow(same, addr, (*next)->addr, (*next)->addr);
	if (lo)
		narrow(same, addr, sym[lo - 1].addr, sym[lo - 1].addr);
	for (i = lo; i > 0 && lo - i < MAX_NESTED; i--) {
		const struct vmmprof_symbol *c = &sym[i - 1];

		if (best && c->addr != best->addr)
			break;
		narrow(same, addr, c->addr, c->addr + c->size);
		/* Size 0: up to the next one. */
		if (c->size ? addr - c->addr >= c->size : !*next)
			continue;
		if (!c->size && i < lo && sym[i].addr != c->addr)
			continue;
		if (!best || underscores(s->strings + c->name) <=
				     underscores(s->strings + best->name))
			best = c;
	}
	return best;
}

static const struct vmmprof_symbol *find(const struct symbols *s, __u64 addr,
					 const struct vmmprof_symbol **next)
{
	struct symbols_range any = { 0, ~0ull };

	return find_range(s, addr, next, &any);
}

const char *symbols_find(const struct symbols *s, __u64 addr)
{
	struct symbols_range any = { 0, ~0ull };

	return symbols_find_range(s, addr, &any);
}

const char *symbols_find_range(const struct symbols *s, __u64 addr,
			       struct symbols_range *same)
{
	const struct vmmprof_symbol *next;
	const struct vmmprof_symbol *best = find_range(s, addr, &next, same);

	return best ? s->strings + best->name : NULL;
}

char *symbols_name(const struct symbols *s, const char *file, __u64 addr)
{
	const struct vmmprof_symbol *next, *best = find(s, addr, &next);
	char *name;

	if (!best)
		return NULL;
	if (s->strings[best->name])
		return strdup(s->strings + best->name);
	if (asprintf(&name, "%s+%#llx", file, best->addr) < 0)
		return NULL;
	return name;
}

bool symbols_names(const struct symbols *s, __u64 addr, __u64 start)
{
	const struct vmmprof_symbol *next, *best = find(s, addr, &next);

	return best && s->strings[best->name] &&
	       (best->size || best->addr == start);
}

bool symbols_extent(const struct symbols *s, __u64 addr, __u64 *start,
		    __u64 *end)
{
	const struct vmmprof_symbol *next, *best = find(s, addr, &next);

	if (!best)
		return false;
	*start = best->addr;
	*end = best->size ? best->addr + best->size : next->addr;
	return *end > addr;
}
