/* SPDX-License-Identifier: GPL-2.0-only */
/* vmmprof report --html: the data of the page beside the report's numbers. */
#ifndef CMD_REPORT_HTML_H
#define CMD_REPORT_HTML_H

#include "cmd/out_file.h"
#include "view/html.h"

struct report_html {
	struct out_file file; /* .name NULL: no page is asked for */
	struct slots slots;   /* .width 0: there is no timeline */
	const struct timeline *tl;
};

/*
 * To be called before the pass: has it fill the slots, if there are switch
 * records and the end of the session is known.  @tl must not be moved
 * afterwards.
 */
void report_html_begin(struct report_html *h, struct timeline *tl, bool timed);

/* Writes the page after the pass; @r has names and account.  0 or -errno. */
int report_html_write(struct report_html *h, const struct report *r);

/* Closes the file, if it is open. */
void report_html_deinit(struct report_html *h);

#endif /* CMD_REPORT_HTML_H */
