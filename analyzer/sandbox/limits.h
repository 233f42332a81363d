/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a process that reads foreign bytes may use of the machine, whatever
 * these bytes make it do.
 */
#ifndef SANDBOX_LIMITS_H
#define SANDBOX_LIMITS_H

#include <stdint.h>

/*
 * Bytes of memory that a process may have which reads a whole session: half of
 * the machine's, at least 2 GiB.  10 million samples need a tenth of that.
 */
uint64_t limits_memory(void);

/*
 * For the rest of this process's life, and of those that it starts: at most
 * @memory bytes of address space (RLIMIT_AS; 0: unlimited) and @cpu_s seconds
 * of CPU time (SIGXCPU; 0: unlimited), no core dump; and if the machine has no
 * memory left the kernel ends this process before any other: on a host of VMs
 * it must not be one of them.  Lower limits that are there already stay.  To be
 * called while the process has its rights, as soon as it is alone.  With
 * AddressSanitizer, which maps terabytes, there is no limit on memory.  0 or
 * -errno.
 */
int limits_set(uint64_t memory, unsigned int cpu_s);

#endif /* SANDBOX_LIMITS_H */
