// SPDX-License-Identifier: GPL-2.0-only
/* Text in comma-separated values. */

#include <stdbool.h>
#include <string.h>

#include "view/csv.h"

/*
 * Does the text begin a formula, also in full-width characters?  "-" alone does
 * not.
 */
static bool is_formula(const char *text)
{
	static const char *const begins[] = { "=",	"+",	  "-",
					      "@",	"\t",	  "\r",
					      "\uff1d", "\uff0b", "\uff0d",
					      "\uff20" };
	size_t i;

	if (!strcmp(text, "-"))
		return false;
	for (i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(text, begins[i], strlen(begins[i])))
			return true;
	return false;
}

void csv_text(FILE *out, const char *text, const char *end)
{
	fputc('"', out);
	if (*text == '\'' || is_formula(text))
		fputc('\'', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fprintf(out, "\"%s", end);
}
