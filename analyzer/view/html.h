/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `vmmprof report --html`: a session as one page without references to other
 * files.  The page is the files of analyzer/view/html, which are in the
 * program, and the entries and the timeline as JSON in between; scripts in it
 * do the rest.
 */
#ifndef VIEW_HTML_H
#define VIEW_HTML_H

#include "view/export.h"
#include "view/json.h"
#include "view/timeline.h"

/* A file of analyzer/view/html; its bytes are in the program. */
struct html_file {
	const char *begin, *end;
};

extern const struct html_file html_page;
extern const struct html_file html_style;
extern const struct html_file html_scripts[];
extern const unsigned int html_nr_scripts;

/* Slots of each row of the timeline, for so many vCPUs. */
unsigned int html_width(size_t vcpus);

/*
 * Write the page.  @slots: with thieves; NULL: there is no timeline, because of
 * @why (a sentence).  0 or -ENOMEM; other errors of out are the caller's to
 * look for.
 */
int html_write(const struct export_data *x, const struct slots *slots,
	       const char *why, FILE *out);

/* The timeline, as a member of that name (html_timeline.c).  0 or -ENOMEM. */
int html_timeline(const struct slots *slots, struct json_out *j,
		  const char *key);

#endif /* VIEW_HTML_H */
