/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of CPUs as text: "0-3,8". */
#ifndef OS_CPU_LIST_H
#define OS_CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPUS_MAX 8192

struct cpus {
	uint8_t bits[CPUS_MAX / 8]; /* CPU n: bit n % 8 of byte n / 8 */
};

/* Parses "0-3,8".  -EINVAL: no such list, -ERANGE: a CPU >= CPUS_MAX. */
int cpus_parse(const char *text, struct cpus *cpus);

/* Writes the set in the same form; cut at size. */
void cpus_format(const struct cpus *cpus, char *buf, size_t size);

/* The set in a file like /sys/devices/system/cpu/online.  0 or -errno. */
int cpus_read(const char *path, struct cpus *cpus);

/* @cpu is below CPUS_MAX. */
void cpus_add(struct cpus *cpus, unsigned int cpu);
bool cpus_has(const struct cpus *cpus, unsigned int cpu);
unsigned int cpus_count(const struct cpus *cpus);

/* The first CPU of a that is not in b, or -1. */
int cpus_first_outside(const struct cpus *a, const struct cpus *b);

#endif /* OS_CPU_LIST_H */
