/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of CPUs as text: "0-3,8". */
#ifndef VMMPROF_OS_CPU_LIST_H
#define VMMPROF_OS_CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VMMPROF_CPUS_MAX 8192

struct vmmprof_cpus {
	uint8_t bits[VMMPROF_CPUS_MAX / 8]; /* CPU n: bit n % 8 of byte n / 8 */
};

/* Parses "0-3,8".  -EINVAL: no such list, -ERANGE: a CPU >= VMMPROF_CPUS_MAX. */
int vmmprof_cpus_parse(const char *text, struct vmmprof_cpus *cpus);

/* Writes the set in the same form; cut at size. */
void vmmprof_cpus_format(const struct vmmprof_cpus *cpus, char *buf,
			 size_t size);

/* The set in a file like /sys/devices/system/cpu/online.  0 or -errno. */
int vmmprof_cpus_read(const char *path, struct vmmprof_cpus *cpus);

bool vmmprof_cpus_has(const struct vmmprof_cpus *cpus, unsigned int cpu);
unsigned int vmmprof_cpus_count(const struct vmmprof_cpus *cpus);

/* The first CPU of a that is not in b, or -1. */
int vmmprof_cpus_first_outside(const struct vmmprof_cpus *a,
			       const struct vmmprof_cpus *b);

#endif /* VMMPROF_OS_CPU_LIST_H */
