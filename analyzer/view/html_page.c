// SPDX-License-Identifier: GPL-2.0-only
/*
 * Puts a page together.  What guests wrote is in one place of it, the JSON, where
 * no text can end the element; scripts show it as text.
 */

#include <string.h>

#include "view/html_page.h"

static void put_file(const struct html_file *f, FILE *out)
{
	fwrite(f->begin, 1, f->end - f->begin, out);
}

/* What stands for a line of the frame. */
static int put_line(const struct html_page *h, const char *p, size_t len,
		    int (*put)(const void *arg, struct json_out *j),
		    const void *arg, FILE *out)
{
	struct json_out j;
	unsigned int i;
	int err = 0;

	if (len == 8 && !memcmp(p, "@TITLE@\n", len)) {
		fprintf(out, "<title>%s</title>\n", h->title);
	} else if (len == 8 && !memcmp(p, "@STYLE@\n", len)) {
		put_file(&html_style, out);
	} else if (len == 7 && !memcmp(p, "@BODY@\n", len)) {
		put_file(h->body, out);
	} else if (len == 7 && !memcmp(p, "@DATA@\n", len)) {
		json_out_init(&j, out);
		j.in_html = true;
		json_out_object(&j, NULL);
		err = put(arg, &j);
		json_out_object_end(&j);
	} else if (len == 10 && !memcmp(p, "@SCRIPTS@\n", len)) {
		for (i = 0; i < h->nr_scripts; i++)
			put_file(&h->scripts[i], out);
	} else {
		fwrite(p, 1, len, out);
	}
	return err;
}

int html_page_write(const struct html_page *h,
		    int (*put)(const void *arg, struct json_out *j),
		    const void *arg, FILE *out)
{
	const char *p = html_frame.begin, *end = html_frame.end, *line_end;
	int err = 0;

	for (; p < end && !err; p = line_end) {
		line_end = memchr(p, '\n', end - p);
		line_end = line_end ? line_end + 1 : end;
		err = put_line(h, p, line_end - p, put, arg, out);
	}
	return err;
}
