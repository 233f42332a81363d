// SPDX-License-Identifier: GPL-2.0-only
/* Ranges of time as text and as JSON. */

#include "base/saturate.h"
#include "view/time_text.h"

#define RANGES_SHOWN 4 /* in a line */

void time_text_line(const struct analysis *a, FILE *out)
{
	time_text_ranges(a->time, session_tsc_khz(&a->session), out);
}

void time_text_ranges(const struct time_ranges *r, __u64 khz, FILE *out)
{
	double per_s = khz * 1000.0;
	const char *unit = per_s ? "s" : "ticks";
	size_t i;

	if (!r)
		return;
	if (!per_s)
		per_s = 1;
	fprintf(out, "Of it %.3f %s:",
		time_ranges_ticks(r, r->begin, r->end) / per_s, unit);
	for (i = 0; i < r->nr && i < RANGES_SHOWN; i++)
		fprintf(out, "%s %.3f to %.3f", i ? "," : "",
			(r->at[i].from - r->begin) / per_s,
			(r->at[i].to - r->begin) / per_s);
	if (r->nr > i)
		fprintf(out, " and %zu more", r->nr - i);
	fputc('\n', out);
}

void time_text_json(const struct analysis *a, struct json_out *j)
{
	time_text_json_ranges(a->time, session_tsc_khz(&a->session), j);
}

void time_text_json_ranges(const struct time_ranges *r, __u64 khz,
			   struct json_out *j)
{
	size_t i;

	if (!r || !khz)
		return;
	json_out_array(j, "time_ranges");
	for (i = 0; i < r->nr; i++) {
		json_out_array(j, NULL);
		json_out_u64(j, NULL,
			     sat_scale(r->at[i].from - r->begin, 1000000, khz));
		json_out_u64(j, NULL,
			     sat_scale(r->at[i].to - r->begin, 1000000, khz));
		json_out_array_end(j);
	}
	json_out_array_end(j);
}
