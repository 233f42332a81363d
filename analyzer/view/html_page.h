/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages without references to other files: the files of analyzer/view/html, which
 * are in the program, with JSON in between.
 */
#ifndef VIEW_HTML_PAGE_H
#define VIEW_HTML_PAGE_H

#include "view/json.h"

/* A file of analyzer/view/html; its bytes are in the program. */
struct html_file {
	const char *begin, *end;
};

struct html_page {
	const char *title;
	const struct html_file *body;
	const struct html_file *scripts; /* in their order */
	unsigned int nr_scripts;
};

/* Of all pages: with lines @TITLE@, @STYLE@, @BODY@, @DATA@ and @SCRIPTS@. */
extern const struct html_file html_frame;
extern const struct html_file html_style;
extern const struct html_page html_report, html_diff;

/*
 * Write a page; @put writes the members of its object of data.  0 or what it
 * returned; other errors of out are the caller's.
 */
int html_page_write(const struct html_page *h,
		    int (*put)(const void *arg, struct json_out *j),
		    const void *arg, FILE *out);

#endif /* VIEW_HTML_PAGE_H */
