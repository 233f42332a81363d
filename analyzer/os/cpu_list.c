// SPDX-License-Identifier: GPL-2.0-only
/* Sets of CPUs as text: "0-3,8". */

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/cpu_list.h"
#include "os/proc_file.h"

/* One number; -EINVAL if there is none, -ERANGE if it is too large. */
static int parse_cpu(const char **text, unsigned long *cpu)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	*cpu = strtoul(*text, &end, 10);
	*text = end;
	return *cpu < CPUS_MAX ? 0 : -ERANGE;
}

int cpus_parse(const char *text, struct cpus *cpus)
{
	memset(cpus, 0, sizeof(*cpus));
	for (;;) {
		unsigned long first, last;
		int ret = parse_cpu(&text, &first);

		last = first;
		if (!ret && *text == '-') {
			text++;
			ret = parse_cpu(&text, &last);
		}
		if (ret)
			return ret;
		if (last < first)
			return -EINVAL;
		for (; first <= last; first++)
			cpus_add(cpus, first);
		if (!*text)
			return 0;
		if (*text++ != ',')
			return -EINVAL;
	}
}

void cpus_format(const struct cpus *cpus, char *buf, size_t size)
{
	unsigned int cpu, last;
	size_t used = 0;

	buf[0] = '\0';
	for (cpu = 0; cpu < CPUS_MAX; cpu = last + 1) {
		last = cpu;
		if (!cpus_has(cpus, cpu))
			continue;
		while (cpus_has(cpus, last + 1))
			last++;
		used += snprintf(buf + used, size - used, "%s%u",
				 used ? "," : "", cpu);
		if (used < size && last > cpu)
			used += snprintf(buf + used, size - used, "-%u", last);
		if (used >= size)
			return;
	}
}

int cpus_read(const char *path, struct cpus *cpus)
{
	char text[4096];
	ssize_t n = proc_file_line(path, text, sizeof(text));

	return n < 0 ? (int)n : cpus_parse(text, cpus);
}

void cpus_add(struct cpus *cpus, unsigned int cpu)
{
	cpus->bits[cpu / 8] |= 1u << (cpu % 8);
}

bool cpus_has(const struct cpus *cpus, unsigned int cpu)
{
	return cpu < CPUS_MAX && cpus->bits[cpu / 8] >> (cpu % 8) & 1;
}

unsigned int cpus_count(const struct cpus *cpus)
{
	unsigned int i, nr = 0;

	for (i = 0; i < sizeof(cpus->bits); i++)
		nr += __builtin_popcount(cpus->bits[i]);
	return nr;
}

int cpus_first_outside(const struct cpus *a, const struct cpus *b)
{
	unsigned int cpu;

	for (cpu = 0; cpu < CPUS_MAX; cpu++)
		if (cpus_has(a, cpu) && !cpus_has(b, cpu))
			return cpu;
	return -1;
}
