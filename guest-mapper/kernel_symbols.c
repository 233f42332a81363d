// SPDX-License-Identifier: GPL-2.0-only
/* Reads /proc/kallsyms, once for all that is ever asked for. */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_symbols.h"

/* All names that the callers of kernel_symbols() have; others take longer. */
static struct kernel_symbol known[] = {
	{ "_text", 0 },
	{ "init_task", 0 },
	{ "init_top_pgt", 0 },
	{ "page_offset_base", 0 },
	{ "phys_base", 0 },
	{ "sme_me_mask", 0 },
	{ "current_task", 0 },
	{ "pcpu_hot", 0 },
	{ "__start_orc_unwind_ip", 0 },
	{ "__stop_orc_unwind_ip", 0 },
	{ "__start_orc_unwind", 0 },
	{ "__stop_orc_unwind", 0 },
	{ "modules", 0 },
};

#define NR_KNOWN (sizeof(known) / sizeof(known[0]))

static bool is_known; /* .addr of them is set */

/* A line is "ADDRESS TYPE NAME", of a module with "\t[MODULE]" behind it. */
static void take_line(char *line, struct kernel_symbol *syms, size_t n)
{
	char *name = strchr(line, ' ');
	size_t i;

	if (!name || !name[1] || name[2] != ' ' || strchr(name, '['))
		return;
	name += 3;
	name[strcspn(name, " \t\n")] = '\0';
	for (i = 0; i < n; i++)
		if (*syms[i].name == *name && !syms[i].addr &&
		    !strcmp(syms[i].name, name))
			syms[i].addr = strtoull(line, NULL, 16);
}

void kernel_symbols_find(FILE *f, struct kernel_symbol *syms, size_t n)
{
	char line[1024];
	bool begins = true, ends;
	size_t i;

	for (i = 0; i < n; i++)
		syms[i].addr = 0;
	while (fgets(line, sizeof(line), f)) {
		ends = strchr(line, '\n');
		if (begins)
			take_line(line, syms, n);
		begins = ends;
	}
}

static int read_kallsyms(struct kernel_symbol *syms, size_t n)
{
	FILE *f = fopen("/proc/kallsyms", "re");

	if (!f)
		return -errno;
	kernel_symbols_find(f, syms, n);
	fclose(f);
	return 0;
}

static struct kernel_symbol *find_known(const char *name)
{
	size_t i;

	for (i = 0; i < NR_KNOWN; i++)
		if (!strcmp(known[i].name, name))
			return &known[i];
	return NULL;
}

int kernel_symbols(struct kernel_symbol *syms, size_t n)
{
	const struct kernel_symbol *k;
	size_t i;
	int err = is_known ? 0 : read_kallsyms(known, NR_KNOWN);

	is_known = !err;
	for (i = 0; i < n && !err; i++) {
		k = find_known(syms[i].name);
		if (k)
			syms[i].addr = k->addr;
		else
			err = read_kallsyms(&syms[i], 1);
	}
	return err;
}
