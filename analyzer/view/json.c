// SPDX-License-Identifier: GPL-2.0-only
/* JSON text, one member a line. */

#include <math.h>
#include <string.h>

#include "view/json.h"
#include "view/percent.h"
#include "view/safe.h"

void json_out_init(struct json_out *j, FILE *out)
{
	j->out = out;
	j->depth = 0;
	j->first = true;
	j->in_html = false;
	j->one_line = false;
}

void json_out_begin(struct json_out *j, FILE *out, const char *kind,
		    unsigned int schema)
{
	json_out_init(j, out);
	json_out_object(j, NULL);
	json_out_u64(j, "schema", schema);
	json_out_string(j, "kind", kind);
}

static void put_string(struct json_out *j, const char *s)
{
	size_t left = strlen(s), len;
	unsigned int c;

	fputc('"', j->out);
	for (; left; s += len, left -= len) {
		len = utf8_decode(s, left, &c);
		if (!len) {
			fprintf(j->out, "\\\\x%02x", (unsigned char)*s);
			len = 1;
		} else if (c == '"' || c == '\\') {
			fprintf(j->out, "\\%c", c);
		} else if (j->in_html && (c == '<' || c == '>' || c == '&')) {
			fprintf(j->out, "\\u%04x", c);
		} else if (c < 0x20 || (c >= 0x7f && c < 0x10000)) {
			fprintf(j->out, "\\u%04x", c);
		} else if (c >= 0x10000) {
			fprintf(j->out, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10),
				0xdc00 + (c & 0x3ff));
		} else {
			fputc(c, j->out);
		}
	}
	fputc('"', j->out);
}

static void begin_value(struct json_out *j, const char *key)
{
	if (j->in_html || j->one_line) {
		if (!j->first)
			fputs(j->in_html ? "," : ", ", j->out);
	} else if (j->depth) {
		fputs(j->first ? "\n" : ",\n", j->out);
		fprintf(j->out, "%*s", j->depth * 2, "");
	}
	j->first = false;
	if (key) {
		put_string(j, key);
		fputs(j->in_html ? ":" : ": ", j->out);
	}
}

static void open_level(struct json_out *j, const char *key, char c)
{
	begin_value(j, key);
	fputc(c, j->out);
	j->depth++;
	j->first = true;
}

static void close_level(struct json_out *j, char c)
{
	j->depth--;
	if (!j->first && !j->in_html && !j->one_line)
		fprintf(j->out, "\n%*s", j->depth * 2, "");
	j->first = false;
	fputc(c, j->out);
	if (!j->depth)
		fputc('\n', j->out);
}

void json_out_object(struct json_out *j, const char *key)
{
	open_level(j, key, '{');
}

void json_out_object_end(struct json_out *j)
{
	close_level(j, '}');
}

void json_out_array(struct json_out *j, const char *key)
{
	open_level(j, key, '[');
}

void json_out_array_end(struct json_out *j)
{
	close_level(j, ']');
}

void json_out_string(struct json_out *j, const char *key, const char *value)
{
	begin_value(j, key);
	put_string(j, value);
}

void json_out_u64(struct json_out *j, const char *key, unsigned long long value)
{
	begin_value(j, key);
	fprintf(j->out, "%llu", value);
}

void json_out_digits(struct json_out *j, const char *key, const char *digits)
{
	begin_value(j, key);
	fputs(digits, j->out);
}

void json_out_percent(struct json_out *j, const char *key,
		      unsigned long long part, unsigned long long whole)
{
	begin_value(j, key);
	fprintf(j->out, "%.2f", percent_of(part, whole));
}

void json_out_fixed(struct json_out *j, const char *key, double value,
		    int digits)
{
	begin_value(j, key);
	/* JSON has no number for what is none. */
	if (isfinite(value))
		fprintf(j->out, "%.*f", digits, value);
	else
		fputs("null", j->out);
}

void json_out_bool(struct json_out *j, const char *key, bool value)
{
	begin_value(j, key);
	fputs(value ? "true" : "false", j->out);
}

void json_out_null(struct json_out *j, const char *key)
{
	begin_value(j, key);
	fputs("null", j->out);
}
