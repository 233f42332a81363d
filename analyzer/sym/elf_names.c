// SPDX-License-Identifier: GPL-2.0-only
/* Sorts the symbols of an ELF file, and keeps one name of each address. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "sym/elf.h"
#include "sym/elf_internal.h"

#define STRINGS_MAX (256U << 20)

int raws_add(struct raws *raws, const struct raw *r)
{
	if (raws->n == raws->max) {
		size_t max = raws->max ? 2 * raws->max : 1024;
		void *v = reallocarray(raws->v, max, sizeof(*raws->v));

		if (!v)
			return -ENOMEM;
		raws->v = v;
		raws->max = max;
	}
	raws->v[raws->n++] = *r;
	return 0;
}

bool raws_name(const Elf_Data *strings, size_t offset, struct raw *r)
{
	const char *name, *end, *at;

	if (offset >= strings->d_size)
		return false;
	name = (char *)strings->d_buf + offset;
	/* All symbols may have the same name, as large as its section. */
	end = elffile_name_end(name, strings->d_size - offset);
	if (!end || end == name)
		return false;
	at = memchr(name + 1, '@', end - name - 1 ? end - name - 1 : 0);
	if (at)
		end = at;
	r->name = name;
	r->len = end - name;
	r->underscores = 0;
	while (r->underscores < 255 && r->underscores < r->len &&
	       name[r->underscores] == '_')
		r->underscores++;
	return true;
}

static int is_local(const struct raw *r)
{
	return r->bind == STB_LOCAL;
}

static int is_weak(const struct raw *r)
{
	return r->bind == STB_WEAK;
}

/*
 * Order by address; at one address the best name comes first: one with a size,
 * global, without leading underscores, not weak, short (free, not cfree).
 */
static int compare(const void *pa, const void *pb)
{
	const struct raw *a = pa, *b = pb;
	__u32 len = a->len < b->len ? a->len : b->len;
	int order;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank - b->rank;
	if (!a->size != !b->size)
		return !a->size - !b->size;
	order = is_local(a) - is_local(b);
	if (order)
		return order;
	if (a->underscores != b->underscores)
		return a->underscores - b->underscores;
	order = is_weak(a) - is_weak(b);
	if (order)
		return order;
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return len ? memcmp(a->name, b->name, len) : 0;
}

void raws_sort(struct raws *raws)
{
	if (raws->n)
		sort_array(raws->v, raws->n, sizeof(*raws->v), compare);
}

static size_t name_size(const struct raw *r)
{
	return r->len +
	       (r->len && r->rank == RAW_STUB ? strlen(ELFFILE_STUB) : 0) + 1;
}

static void put_name(const struct raw *r, char *to)
{
	size_t size = name_size(r);

	if (r->len)
		memcpy(to, r->name, r->len);
	if (size > r->len + 1)
		memcpy(to + r->len, ELFFILE_STUB, strlen(ELFFILE_STUB));
	to[size - 1] = '\0';
}

static int copy_best(const struct raws *raws, size_t n, size_t strings,
		     struct elffile *ret)
{
	char *pos;
	size_t i;

	ret->symbols = calloc(n, sizeof(*ret->symbols));
	ret->strings = malloc(strings);
	if (!ret->symbols || !ret->strings)
		return -ENOMEM;
	pos = ret->strings;
	ret->nr_symbols = n;
	ret->strings_size = strings;
	for (i = 0; i < n; i++) {
		const struct raw *r = &raws->v[i];

		ret->symbols[i].addr = r->addr;
		ret->symbols[i].size = r->size < UINT32_MAX ? r->size :
							      UINT32_MAX;
		ret->symbols[i].name = pos - ret->strings;
		put_name(r, pos);
		pos += name_size(r);
	}
	return 0;
}

int raws_keep_best(struct raws *raws, struct elffile *ret)
{
	size_t i, n = 0, strings = 0;

	if (!raws->n)
		return 0;
	raws_sort(raws);
	for (i = 0; i < raws->n; i++) {
		if (n && raws->v[n - 1].addr == raws->v[i].addr)
			continue;
		raws->v[n++] = raws->v[i];
		strings += name_size(&raws->v[i]);
		if (strings > STRINGS_MAX)
			return -EFBIG;
	}
	return copy_best(raws, n, strings, ret);
}
