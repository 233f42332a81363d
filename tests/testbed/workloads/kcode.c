// SPDX-License-Identifier: GPL-2.0-only
/*
 * kcode: the running kernel's code and its modules', as it is now: calls that the
 * kernel changed at boot and later are not those of its file.  Each range: its
 * address and size (u64), its bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kcore.h"

static int put(const struct kcore *k, unsigned long long at,
	       unsigned long long size)
{
	static char page[65536];
	unsigned long long head[2] = { at, size };
	size_t part;

	fwrite(head, sizeof(head), 1, stdout);
	for (; size; at += part, size -= part) {
		part = size < sizeof(page) ? size : sizeof(page);
		/* what of a module is freed, as .init.text */
		if (kcore_read(k, at, page, part))
			memset(page, 0, part);
		fwrite(page, part, 1, stdout);
	}
	return ferror(stdout);
}

int main(void)
{
	FILE *symbols = fopen("/proc/kallsyms", "r");
	FILE *modules = fopen("/proc/modules", "r");
	unsigned long long begin = 0, end = 0, at, size;
	char line[1024], name[256];
	struct kcore k;

	if (!symbols || !modules || kcore_open(&k))
		return 1;
	while (fgets(line, sizeof(line), symbols)) {
		if (sscanf(line, "%llx %*c %255s", &at, name) != 2)
			continue;
		if (!strcmp(name, "_text"))
			begin = at;
		if (!strcmp(name, "_etext"))
			end = at;
	}
	if (!begin || end <= begin || put(&k, begin, end - begin))
		return 1;
	while (fgets(line, sizeof(line), modules))
		if (sscanf(line, "%*s %llu %*s %*s %*s %llx", &size, &at) ==
			    2 &&
		    put(&k, at, size))
			return 1;
	return fflush(stdout) != 0;
}
