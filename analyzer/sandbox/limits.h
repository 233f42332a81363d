/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits on what a process that reads foreign bytes may use of the machine.
 */
#ifndef SANDBOX_LIMITS_H
#define SANDBOX_LIMITS_H

#include <stdint.h>

/*
 * Bytes of memory that a process reading a whole session may have: half of the
 * machine's, at least 2 GiB.  10 million samples need a tenth of that.
 */
uint64_t limits_memory(void);

/*
 * For the rest of this process's life, and of those that it starts: at most
 * @memory bytes of address space (RLIMIT_AS; 0: unlimited) and @cpu_s seconds
 * of CPU time (SIGXCPU; 0: unlimited), no core dump.  If the machine has no
 * memory left, the kernel kills this process before any other, and no VM.
 * Lower limits that exist already stay.  To be called right after fork(), while
 * the process has its rights.  With AddressSanitizer, which maps terabytes,
 * there is no limit on memory.  0 or -errno.
 */
int limits_set(uint64_t memory, unsigned int cpu_s);

/*
 * The same for the size of every file that it writes.  To write more is then the
 * error EFBIG and ends nobody.  0 or -errno.
 */
int limits_file(uint64_t size);

/* The bound on CPU time alone, when it is known later.  0: none. */
int limits_cpu(unsigned int seconds);

#endif /* SANDBOX_LIMITS_H */
