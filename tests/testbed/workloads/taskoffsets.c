// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskoffsets: "current_task stack tgid pid comm" of the running kernel in
 * hexadecimal, for the emulator (pmu/truth.cc): the first is the variable's
 * offset per CPU (kallsyms; 6.2 to 6.14: the first member of pcpu_hot), the
 * others are struct task_struct's (BTF).
 */
#include <stdio.h>
#include <string.h>

#include "os/btf.h"

int main(void)
{
	static const char *const member[] = { "stack", "tgid", "pid", "comm" };
	FILE *f = fopen("/proc/kallsyms", "r");
	unsigned long long address = 0, at;
	struct btf btf;
	char line[512], name[256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %*c %255s", &at, name) == 2 &&
		    (!strcmp(name, "current_task") ||
		     !strcmp(name, "pcpu_hot")))
			address = at;
	if (!address || btf_open_kernel(&btf))
		return 1;
	printf("%llx", address);
	for (int i = 0; i < 4; i++) {
		int offset = btf_offset(&btf, "task_struct", member[i]);

		if (offset < 0)
			return 1;
		printf(" %x", offset);
	}
	putchar('\n');
	return 0;
}
