/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small JSON writer (RFC 8259).  Commas, indentation and string escapes are
 * its business; bytes that are no valid UTF-8 come out as the characters
 * \xNN that text output shows, so a reader always gets valid UTF-8.
 */
#ifndef VMMPROF_VIEW_JSON_H
#define VMMPROF_VIEW_JSON_H

#include <stdbool.h>
#include <stdio.h>

struct vmmprof_json {
	FILE *out;
	int depth;
	bool first; /* nothing yet in the innermost object or array */
	/*
	 * For an element script of HTML, which text cannot end then; without
	 * blanks.  To be set after init.
	 */
	bool in_html;
};

void vmmprof_json_init(struct vmmprof_json *j, FILE *out);

/* key is NULL for an element of an array and for the outermost value. */
void vmmprof_json_object(struct vmmprof_json *j, const char *key);
void vmmprof_json_object_end(struct vmmprof_json *j);
void vmmprof_json_array(struct vmmprof_json *j, const char *key);
void vmmprof_json_array_end(struct vmmprof_json *j);
void vmmprof_json_string(struct vmmprof_json *j, const char *key,
			 const char *value);
void vmmprof_json_u64(struct vmmprof_json *j, const char *key,
		      unsigned long long value);
/* A percentage with two digits, as the text output has it. */
void vmmprof_json_percent(struct vmmprof_json *j, const char *key,
			  unsigned long long part, unsigned long long whole);
/* A number with @digits behind the point; it must be finite. */
void vmmprof_json_fixed(struct vmmprof_json *j, const char *key, double value,
			int digits);
void vmmprof_json_bool(struct vmmprof_json *j, const char *key, bool value);
void vmmprof_json_null(struct vmmprof_json *j, const char *key);

#endif /* VMMPROF_VIEW_JSON_H */
