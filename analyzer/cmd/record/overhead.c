// SPDX-License-Identifier: GPL-2.0-only
/* What sampling takes of a CPU's time, and how much rarer samples have to be. */

#include "cmd/record/overhead.h"

#define LEAST_RATE 10 /* samples a second that are left */

uint32_t overhead_share(const struct overhead_cpu *now,
			const struct overhead_cpu *before, uint64_t ticks,
			uint32_t tsc_khz)
{
	double entry = (double)OVERHEAD_ENTRY_NS * tsc_khz / 1e6;
	double spent = (double)(now->spent - before->spent) +
		       entry * (double)(now->samples - before->samples);

	if (!ticks || spent >= ticks)
		return ticks ? OVERHEAD_MILLION : 0;
	return spent * OVERHEAD_MILLION / ticks;
}

uint32_t overhead_factor(uint32_t share, uint32_t limit, uint64_t rate)
{
	uint64_t factor, most = rate / LEAST_RATE;

	if (!limit || share <= limit)
		return 1;
	factor = (share + limit - 1) / limit;
	if (factor > most)
		factor = most;
	return factor < 2 ? 1 : factor;
}
