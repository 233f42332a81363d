/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small JSON writer (RFC 8259).  It writes commas, indentation and string
 * escapes.  Bytes that are no valid UTF-8 become the characters \xNN, as in
 * text output, so the result is always valid UTF-8.
 */
#ifndef VIEW_JSON_H
#define VIEW_JSON_H

#include <stdbool.h>
#include <stdio.h>

struct json_out {
	FILE *out;
	int depth;
	bool first; /* nothing yet in the innermost object or array */
	/*
	 * For an element script of HTML, which text cannot end then; without
	 * spaces.  To be set after init.
	 */
	bool in_html;
	bool one_line; /* the outermost object; to be set after init */
};

void json_out_init(struct json_out *j, FILE *out);

/*
 * Begin the outermost object of a verb's output: which schema it follows, and
 * of what kind it is, "vmmprof-VERB".  json_out_object_end() ends it.
 */
void json_out_begin(struct json_out *j, FILE *out, const char *kind,
		    unsigned int schema);

/* key is NULL for an element of an array and for the outermost value. */
void json_out_object(struct json_out *j, const char *key);
void json_out_object_end(struct json_out *j);
void json_out_array(struct json_out *j, const char *key);
void json_out_array_end(struct json_out *j);
void json_out_string(struct json_out *j, const char *key, const char *value);
void json_out_u64(struct json_out *j, const char *key,
		  unsigned long long value);
/* A whole number, which may be negative, as its digits. */
void json_out_digits(struct json_out *j, const char *key, const char *digits);
/* A percentage with two digits, as the text output has it. */
void json_out_percent(struct json_out *j, const char *key,
		      unsigned long long part, unsigned long long whole);
/* A number with @digits behind the point; it must be finite. */
void json_out_fixed(struct json_out *j, const char *key, double value,
		    int digits);
void json_out_bool(struct json_out *j, const char *key, bool value);
void json_out_null(struct json_out *j, const char *key);

#endif /* VIEW_JSON_H */
