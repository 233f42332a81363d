/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `vmmprof report --html`: a session as one page that needs nothing else.  The
 * page is the files of analyzer/view/html, which are in the program, and the
 * entries and the timeline as JSON in between; scripts in it do the rest.
 */
#ifndef VMMPROF_VIEW_HTML_H
#define VMMPROF_VIEW_HTML_H

#include "view/export.h"
#include "view/json.h"
#include "view/timeline.h"

/* A file of analyzer/view/html; its bytes are in the program. */
struct vmmprof_html_file {
	const char *begin, *end;
};

extern const struct vmmprof_html_file vmmprof_html_page;
extern const struct vmmprof_html_file vmmprof_html_style;
extern const struct vmmprof_html_file vmmprof_html_scripts[];
extern const unsigned int vmmprof_html_nr_scripts;

/* Slots of each row of the timeline, for so many vCPUs. */
unsigned int vmmprof_html_width(size_t vcpus);

/*
 * Write the page.  @slots: with thieves; NULL: there is no timeline, because of
 * @why (a sentence).  0 or -ENOMEM; other errors of out are the caller's to
 * look for.
 */
int vmmprof_html_write(const struct vmmprof_export *x,
		       const struct vmmprof_slots *slots, const char *why,
		       FILE *out);

/* The timeline, as a member of that name (html_timeline.c).  0 or -ENOMEM. */
int vmmprof_html_timeline(const struct vmmprof_slots *slots,
			  struct vmmprof_json *j, const char *key);

#endif /* VMMPROF_VIEW_HTML_H */
