// SPDX-License-Identifier: GPL-2.0-only
/* Makes the page: slices and the grid are filled during the pass. */

#include <errno.h>
#include <string.h>

#include "cmd/report_html.h"
#include "cmd/slice_pass.h"

/* stretch_fn: arg is the slices, for all else that they are told of. */
static int stretch(void *arg, const struct track *t, enum vcpu_state state,
		   __u64 from, __u64 to, __u32 thief)
{
	struct report_html *h = (void *)((char *)arg -
					 offsetof(struct report_html, slices));

	time_grid_add(&h->grid, t, state, from, to);
	return h->stretch(arg, t, state, from, to, thief);
}

/*
 * More counts by slice make slices wider: 16 bytes each, some 50 while the page is
 * written.
 */
#define COUNTS_MAX 4000000

int report_html_run(struct report_html *h, struct timeline *tl,
		    unsigned int keep, bool inlines)
{
	int ret;

	ret = slice_pass_begin(tl->a, tl, &h->slices, &h->end);
	h->stretch = tl->stretch;
	if (!ret)
		tl->stretch = stretch;
	if (!ret && timeline_exact(tl))
		ret = time_grid_init(&h->grid, tl, h->slices.from, h->end,
				     tl->a->resolver.guests.nr);
	if (!ret)
		ret = chain_pass_look(tl->a, &h->chained);
	if (!ret && h->chained) {
		ret = chain_pass_init(&h->chains, tl->a, NULL, NULL);
		chain_slices_init(&h->chain_slices, &h->slices, COUNTS_MAX);
		h->chains.slices = &h->chain_slices;
		chain_slices_init(&h->wait_slices, &h->slices, COUNTS_MAX);
		chain_pass_time(&h->chains, tl);
		h->chains.waits.slices = &h->wait_slices;
		if (inlines)
			chain_pass_inlines(&h->chains);
	}
	if (!ret)
		ret = slice_pass_run(&h->slices, keep | KEEP_CODE, COUNTS_MAX,
				     h->end, h->chained ? &h->chains : NULL);
	return ret;
}

/* The reason why time is by samples alone. */
static const char *why_not(const struct report_html *h)
{
	if (timeline_exact(h->slices.tl))
		return NULL;
	return "The session has no switch records: it is not known who ran when, and who waited.";
}

static int write_page(struct report_html *h, const struct export_data *x,
		      struct annotate *an)
{
	const struct html_chains chains = {
		.tree = &h->chains.tree,
		.slices = &h->chain_slices,
		.waits = chain_pass_timed(&h->chains) ? &h->chains.waits : NULL,
		.wait_slices = &h->wait_slices,
		.time = &h->slices,
		.step = html_step(&h->slices),
		.report = x->r,
	};
	struct html_data d = {
		.chains = h->chained ? &chains : NULL,
		.x = x,
		.slices = &h->slices,
		.step = html_step(&h->slices),
		.end = h->end,
		.grid = &h->grid,
		.code = an,
		.why = why_not(h),
	};

	return html_write(&d, h->file.out);
}

int report_html_write(struct report_html *h, struct report *r,
		      const struct code_files *files)
{
	struct annotate an = { .report = r, .files = *files };
	struct entries entries;
	struct export_data x;
	int err;

	err = entries_init_maps(&entries, r);
	if (!err)
		err = hot_places_counted(&an.places, r->a, html_code_wants, r);
	if (!err)
		err = out_file_begin(&h->file);
	if (!err) {
		export_init(&x, r, &entries, h->slices.tl);
		err = write_page(h, &x, &an);
	}
	hot_places_deinit(&an.places);
	entries_deinit(&entries);
	return err;
}

void report_html_deinit(struct report_html *h)
{
	chain_pass_deinit(&h->chains);
	chain_slices_deinit(&h->chain_slices);
	chain_slices_deinit(&h->wait_slices);
	slices_deinit(&h->slices);
	time_grid_deinit(&h->grid);
	if (h->file.name && h->file.out)
		fclose(h->file.out);
}
