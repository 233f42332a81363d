// SPDX-License-Identifier: GPL-2.0-only
/* The page: slots during the pass, entries after it. */

#include <errno.h>
#include <string.h>

#include "cmd/report_html.h"

void vmmprof_report_html_begin(struct vmmprof_report_html *h,
			       struct vmmprof_timeline *tl, bool timed)
{
	h->tl = tl;
	if (!timed || !tl->bounded || tl->end <= tl->begin)
		return;
	vmmprof_slots_init(&h->slots, tl, tl->begin, tl->end,
			   vmmprof_html_width(tl->a->session.nr_vcpus));
	h->slots.by_thief = true;
	tl->stretch = vmmprof_slots_stretch;
	tl->stretch_arg = &h->slots;
}

/* Why there is no timeline. */
static const char *why_not(const struct vmmprof_report *r)
{
	if (!r->tl)
		return "The session has no switch records: it is not known who ran when.";
	return "The recorder did not finish, so the end is not known.";
}

int vmmprof_report_html_write(struct vmmprof_report_html *h,
			      const struct vmmprof_report *r)
{
	const struct vmmprof_slots *slots = h->slots.width ? &h->slots : NULL;
	struct vmmprof_entries entries;
	struct vmmprof_export x;
	int err;

	err = vmmprof_entries_init(&entries, r);
	if (!err)
		err = vmmprof_outfile_begin(&h->file);
	if (!err) {
		vmmprof_export_init(&x, r, &entries, h->tl);
		err = vmmprof_html_write(&x, slots, why_not(r), h->file.out);
	}
	vmmprof_entries_deinit(&entries);
	return err;
}

void vmmprof_report_html_deinit(struct vmmprof_report_html *h)
{
	vmmprof_slots_deinit(&h->slots);
	if (h->file.name && h->file.out)
		fclose(h->file.out);
}
