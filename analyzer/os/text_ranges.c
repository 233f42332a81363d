// SPDX-License-Identifier: GPL-2.0-only
/* /proc/kallsyms and /proc/modules, for addresses of code. */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "os/text_ranges.h"
#include "base/vec.h"

#define PAGE	    4096ull
#define SYMBOL_NAME 512 /* and the NUL */
#define MODULE_NAME 64	/* and the NUL: more than the kernel's own */

struct module {
	char name[MODULE_NAME];
	__u64 base, end;   /* of what it was loaded to first, its code */
	__u64 first, last; /* functions; first 0: none */
};

struct modules {
	struct module *m;
	size_t nr, cap, at;
};

/* "NAME SIZE REFS USERS STATE 0xADDR": the live ones. */
static int read_modules(FILE *f, struct modules *ms)
{
	char *line = NULL, state[16];
	struct module m = { 0 };
	__u64 size;
	size_t cap = 0;
	int ret = 0;

	rewind(f);
	while (!ret && getline(&line, &cap, f) > 0) {
		if (sscanf(line, "%63s %llu %*s %*s %15s %llx", m.name, &size,
			   state, &m.base) != 4 ||
		    strcmp(state, "Live") || !m.base || m.base + size < m.base)
			continue;
		m.end = m.base + size;
		ret = vec_grow(&ms->m, &ms->cap, ms->nr, sizeof(m));
		if (!ret)
			ms->m[ms->nr++] = m;
	}
	free(line);
	return ret;
}

/* The symbols of a module follow each other. */
static struct module *find_module(struct modules *ms, const char *name)
{
	size_t i;

	for (i = 0; i < ms->nr; i++, ms->at = (ms->at + 1) % ms->nr)
		if (!strcmp(ms->m[ms->at].name, name))
			return &ms->m[ms->at];
	return NULL;
}

static void add_function(struct module *m, __u64 addr)
{
	if (addr < m->base || addr >= m->end)
		return;
	if (!m->first || addr < m->first)
		m->first = addr;
	if (addr > m->last)
		m->last = addr;
}

/* "ADDR TYPE NAME" of the kernel, or "ADDR TYPE NAME\t[MODULE]". */
static int read_symbols(FILE *f, struct modules *ms, struct text_range *kernel)
{
	char *line = NULL, name[SYMBOL_NAME], module[MODULE_NAME], type;
	struct module *m;
	__u64 addr;
	size_t cap = 0;
	int n;

	rewind(f);
	while (getline(&line, &cap, f) > 0) {
		n = sscanf(line, "%llx %c %511s [%63[^]]", &addr, &type, name,
			   module);
		if (n < 3 || (type != 't' && type != 'T'))
			continue;
		if (n == 3 && !strcmp(name, "_stext"))
			kernel->start = addr;
		else if (n == 3 && !strcmp(name, "_etext"))
			kernel->end = addr;
		m = n == 4 ? find_module(ms, module) : NULL;
		if (m)
			add_function(m, addr);
	}
	free(line);
	return kernel->start && kernel->end > kernel->start ? 0 : -EPERM;
}

static int add_range(struct text_ranges *t, __u64 start, __u64 end)
{
	int ret = vec_grow(&t->range, &t->cap, t->nr, sizeof(*t->range));

	if (!ret)
		t->range[t->nr++] = (struct text_range){ start, end };
	return ret;
}

int text_ranges_read(struct text_ranges *t, FILE *kallsyms, FILE *modules)
{
	struct text_range kernel = { 0 };
	struct modules ms = { 0 };
	size_t i;
	int ret;

	t->nr = 0;
	ret = modules ? read_modules(modules, &ms) : 0;
	if (!ret)
		ret = read_symbols(kallsyms, &ms, &kernel);
	if (!ret)
		ret = add_range(t, kernel.start, kernel.end);
	for (i = 0; i < ms.nr && !ret; i++)
		if (ms.m[i].first)
			ret = add_range(t, ms.m[i].first & ~(PAGE - 1),
					(ms.m[i].last | (PAGE - 1)) + 1);
	free(ms.m);
	return ret;
}

size_t text_ranges_hold(const struct text_ranges *t, __u64 start, size_t size)
{
	const struct text_range *r;
	size_t i;

	for (i = 0; i < t->nr; i++) {
		r = &t->range[i];
		if (start >= r->start && start < r->end)
			return size < r->end - start ? size : r->end - start;
	}
	return 0;
}
