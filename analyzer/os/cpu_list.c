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
	return *cpu < VMMPROF_CPUS_MAX ? 0 : -ERANGE;
}

int vmmprof_cpus_parse(const char *text, struct vmmprof_cpus *cpus)
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
			cpus->bits[first / 8] |= 1u << (first % 8);
		if (!*text)
			return 0;
		if (*text++ != ',')
			return -EINVAL;
	}
}

void vmmprof_cpus_format(const struct vmmprof_cpus *cpus, char *buf,
			 size_t size)
{
	unsigned int cpu, last;
	size_t used = 0;

	buf[0] = '\0';
	for (cpu = 0; cpu < VMMPROF_CPUS_MAX; cpu = last + 1) {
		last = cpu;
		if (!vmmprof_cpus_has(cpus, cpu))
			continue;
		while (vmmprof_cpus_has(cpus, last + 1))
			last++;
		used += snprintf(buf + used, size - used, "%s%u",
				 used ? "," : "", cpu);
		if (used < size && last > cpu)
			used += snprintf(buf + used, size - used, "-%u", last);
		if (used >= size)
			return;
	}
}

int vmmprof_cpus_read(const char *path, struct vmmprof_cpus *cpus)
{
	char text[4096];
	ssize_t n = vmmprof_procfile_line(path, text, sizeof(text));

	return n < 0 ? (int)n : vmmprof_cpus_parse(text, cpus);
}

bool vmmprof_cpus_has(const struct vmmprof_cpus *cpus, unsigned int cpu)
{
	return cpu < VMMPROF_CPUS_MAX && cpus->bits[cpu / 8] >> (cpu % 8) & 1;
}

unsigned int vmmprof_cpus_count(const struct vmmprof_cpus *cpus)
{
	unsigned int i, nr = 0;

	for (i = 0; i < sizeof(cpus->bits); i++)
		nr += __builtin_popcount(cpus->bits[i]);
	return nr;
}

int vmmprof_cpus_first_outside(const struct vmmprof_cpus *a,
			       const struct vmmprof_cpus *b)
{
	unsigned int cpu;

	for (cpu = 0; cpu < VMMPROF_CPUS_MAX; cpu++)
		if (vmmprof_cpus_has(a, cpu) && !vmmprof_cpus_has(b, cpu))
			return cpu;
	return -1;
}
