/* SPDX-License-Identifier: GPL-2.0-only */
/* vmmprof report --html: the pass, and the page of what it counted. */
#ifndef CMD_REPORT_HTML_H
#define CMD_REPORT_HTML_H

#include "cmd/out_file.h"
#include "view/html.h"

struct report_html {
	struct out_file file; /* .name NULL: no page is asked for */
	struct slices slices;
	bool chained; /* the session has call chains */
	struct chain_pass chains;
	struct chain_slices chain_slices, wait_slices;
	struct time_grid grid;
	__u64 end;	     /* of what was measured */
	stretch_fn *stretch; /* the slices' */
};

/* The pass, over a timeline just made; @inlines: frames.  0 or -errno. */
int report_html_run(struct report_html *h, struct timeline *tl,
		    unsigned int keep, bool inlines);

/*
 * Writes the page after the pass; @r has names and account, @files are where
 * code may be.  0 or -errno.
 */
int report_html_write(struct report_html *h, struct report *r,
		      const struct code_files *files);

/* Closes the file, if it is open. */
void report_html_deinit(struct report_html *h);

#endif /* CMD_REPORT_HTML_H */
