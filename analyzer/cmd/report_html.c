// SPDX-License-Identifier: GPL-2.0-only
/* Makes the page: slots are filled during the pass, entries after it. */

#include <errno.h>
#include <string.h>

#include "cmd/report_html.h"

void report_html_begin(struct report_html *h, struct timeline *tl, bool timed)
{
	h->tl = tl;
	if (!timed || !tl->bounded || tl->end <= tl->begin)
		return;
	slots_init(&h->slots, tl, tl->begin, tl->end,
		   html_width(tl->a->session.nr_vcpus));
	h->slots.by_thief = true;
	tl->stretch = slots_stretch;
	tl->stretch_arg = &h->slots;
}

/* The reason why there is no timeline. */
static const char *why_not(const struct report *r)
{
	if (!r->tl)
		return "The session has no switch records: it is not known who ran when.";
	return "The recorder did not finish, so the end is not known.";
}

int report_html_write(struct report_html *h, const struct report *r)
{
	const struct slots *slots = h->slots.width ? &h->slots : NULL;
	struct entries entries;
	struct export_data x;
	int err;

	err = entries_init(&entries, r);
	if (!err)
		err = out_file_begin(&h->file);
	if (!err) {
		export_init(&x, r, &entries, h->tl);
		err = html_write(&x, slots, why_not(r), h->file.out);
	}
	entries_deinit(&entries);
	return err;
}

void report_html_deinit(struct report_html *h)
{
	slots_deinit(&h->slots);
	if (h->file.name && h->file.out)
		fclose(h->file.out);
}
