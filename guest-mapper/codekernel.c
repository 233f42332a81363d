// SPDX-License-Identifier: GPL-2.0-only
/* Functions of the running kernel, by one pass over /proc/kallsyms. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "codekernel.h"
#include "base/hash.h"
#include "base/sort.h"

#define PAGE 4096ull

static int by_addr(const void *pa, const void *pb)
{
	const struct code_kernel_func *a = pa, *b = pb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/* The last function at or below an address; NULL: none. */
static struct code_kernel_func *find_func(const struct code_kernel *k,
					  __u64 addr)
{
	size_t lo = 0, hi = k->nr, mid;

	BISECT(lo, hi, mid, k->funcs[mid].addr <= addr);
	return lo ? (void *)&k->funcs[lo - 1] : NULL;
}

/* The next symbol ends a function, but not that of a padding (__pfx_, 6.4). */
void code_kernel_line(struct code_kernel *k, const char *line)
{
	struct code_kernel_func *f;
	const char *module = strchr(line, '\t');
	__u64 addr, number = 0;
	char *end;

	addr = strtoull(line, &end, 16);
	if (!strcmp(end, " T _stext\n"))
		k->stext = addr;
	if (!strcmp(end, " T _etext\n"))
		k->etext = addr;
	f = find_func(k, addr);
	if (!f || *end != ' ' || !end[1] || !strncmp(end + 2, " __pfx_", 7))
		return;
	if (module)
		number = hash_bytes(module, strlen(module));
	if (f->addr == addr && strchr("tTwW", end[1])) {
		f->text = true;
		f->module = number;
	}
	/* the function before ends here, too */
	if (f->addr == addr && f > k->funcs)
		f--;
	if (f->addr < addr && addr < f->next) {
		f->next = addr;
		f->next_module = number;
	}
}

/* A range at which no function begins ends none: the one before goes on. */
void code_kernel_last(struct code_kernel *k)
{
	size_t i;

	for (i = k->nr; i-- > 1;) {
		const struct code_kernel_func *f = &k->funcs[i];

		if (f->text || f->next >= f[-1].next)
			continue;
		k->funcs[i - 1].next = f->next;
		k->funcs[i - 1].next_module = f->next_module;
	}
}

static void read_symbols(struct code_kernel *k)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char *line = NULL;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0)
		code_kernel_line(k, line);
	free(line);
	if (f)
		fclose(f);
	code_kernel_last(k);
}

void code_kernel_open(struct code_kernel *k, const struct code_want *wants,
		      size_t nr)
{
	size_t i, n = 0;

	memset(k, 0, sizeof(*k));
	for (i = 0; i < nr; i++)
		if (wants[i].file == VMMPROF_NONE)
			k->funcs[k->nr++].addr = wants[i].addr;
	if (!k->nr)
		return;
	sort_array(k->funcs, k->nr, sizeof(*k->funcs), by_addr);
	for (i = 0; i < k->nr; i++) {
		if (n && k->funcs[n - 1].addr == k->funcs[i].addr)
			continue;
		k->funcs[n] = k->funcs[i];
		k->funcs[n++].next = ~0ull;
	}
	k->nr = n;
	k->open = !kcore_open(&k->kcore);
	if (k->open)
		read_symbols(k);
}

void code_kernel_close(struct code_kernel *k)
{
	if (k->open)
		kcore_close(&k->kcore);
	k->open = false;
}

int code_kernel_read(const struct code_kernel *k, const struct code_want *want,
		     void *buf)
{
	const struct code_kernel_func *f = find_func(k, want->addr);
	__u64 end, size = want->size;
	int err;

	if (!k->open || !f || f->addr != want->addr || !f->text ||
	    (!f->module && (f->addr < k->stext || f->addr >= k->etext)))
		return -ENOENT;
	/* the last one of a module: what follows it may be no code */
	end = f->next;
	if (end == ~0ull || f->module != f->next_module)
		end = (f->addr | (PAGE - 1)) + 1;
	if (end > f->next)
		end = f->next;
	if (size > end - f->addr)
		size = end - f->addr;
	err = kcore_read(&k->kcore, f->addr, buf, size);
	return err ? err : (int)size;
}
