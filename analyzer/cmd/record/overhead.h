/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --max-overhead: the share of a CPU's time that sampling takes, and by how much
 * less of it has to be done.
 */
#ifndef CMD_RECORD_OVERHEAD_H
#define CMD_RECORD_OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>

#define OVERHEAD_MILLION  1000000u

/*
 * What a sample takes beside the module's callback, which is measured: the VM exit,
 * the interrupt, perf, the VM entry.  Nobody can measure that from within.  On
 * the emulated host it is 2,060 instructions (tests/testbed/run cost); of a
 * module that did less in its callback 9,036 cycles a sample in all were published
 * for a CPU of 2.93 GHz (Yamamoto et al., 2015): 3 us.
 */
#define OVERHEAD_ENTRY_NS 3000

/* Of one CPU, of its sums since the start. */
struct overhead_cpu {
	uint64_t spent;	  /* ticks of the TSC */
	uint64_t samples; /* lost ones, too */
};

/*
 * What a CPU spent, in parts per million of its time: @now and @before are
 * @ticks ticks apart.
 */
uint32_t overhead_share(const struct overhead_cpu *now,
			const struct overhead_cpu *before, uint64_t ticks,
			uint32_t tsc_khz);

/*
 * How many times as far apart samples have to be, so that @share becomes at most
 * @limit; 1: they may stay.  Never so far that of @rate samples a second fewer
 * than ten are left.
 */
uint32_t overhead_factor(uint32_t share, uint32_t limit, uint64_t rate);

#endif /* CMD_RECORD_OVERHEAD_H */
