/* SPDX-License-Identifier: GPL-2.0-only */
/* vmmprof report --html: what the page needs beside the report's own numbers. */
#ifndef VMMPROF_CMD_REPORTHTML_H
#define VMMPROF_CMD_REPORTHTML_H

#include "cmd/out_file.h"
#include "view/html.h"

struct vmmprof_report_html {
	struct vmmprof_outfile file; /* .name NULL: no page is asked for */
	struct vmmprof_slots slots;  /* .width 0: there is no timeline */
	const struct vmmprof_timeline *tl;
};

/*
 * Before the pass: have it fill the slots, if it goes by switch records and it
 * is known when it ends.  @tl stays where it is.
 */
void vmmprof_report_html_begin(struct vmmprof_report_html *h,
			       struct vmmprof_timeline *tl, bool timed);

/* After it; @r has names and account.  0 or -errno. */
int vmmprof_report_html_write(struct vmmprof_report_html *h,
			      const struct vmmprof_report *r);

/* Closes the file, if it is open. */
void vmmprof_report_html_deinit(struct vmmprof_report_html *h);

#endif /* VMMPROF_CMD_REPORTHTML_H */
