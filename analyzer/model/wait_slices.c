// SPDX-License-Identifier: GPL-2.0-only
/* Counts of time in which vCPUs did not run, by slices. */

#include <stdint.h>
#include <string.h>

#include "base/saturate.h"
#include "model/wait_slices.h"

void wait_slices_init(struct wait_slices *w, struct chain_waits *waits,
		      const struct slices *s)
{
	memset(w, 0, sizeof(*w));
	w->waits = waits;
	chain_slices_init(&w->counts, s, SIZE_MAX);
	waits->slices = &w->counts;
}

void wait_slices_deinit(struct wait_slices *w)
{
	chain_slices_deinit(&w->counts);
	memset(w, 0, sizeof(*w));
}

void wait_slices_apply(const struct wait_slices *w, const struct slices *s,
		       size_t first, size_t last)
{
	const struct chain_slice *c;
	__u32 at;
	size_t i;

	for (i = 0; i < w->waits->nr; i++)
		w->waits->waits[i].ticks = 0;
	for (i = 0; i < w->counts.nr; i++) {
		c = &w->counts.counts[i];
		at = chain_slices_at(&w->counts, s, c);
		if (at >= first && at <= last)
			sat_sum(&w->waits->waits[c->leaf].ticks, c->n);
	}
}
