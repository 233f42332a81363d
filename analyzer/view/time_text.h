/* SPDX-License-Identifier: GPL-2.0-only */
/* Which time of a session is counted, as views say it. */
#ifndef VIEW_TIME_TEXT_H
#define VIEW_TIME_TEXT_H

#include <stdio.h>

#include "model/analysis.h"
#include "view/json.h"

/*
 * One line: the ranges in seconds from the beginning; nothing if all of the
 * time is counted.
 */
void time_text_line(const struct analysis *a, FILE *out);

/* "time_ranges": [[from, to], ...] in ns from the beginning; or nothing. */
void time_text_json(const struct analysis *a, struct json_out *j);

/* The same of ranges, NULL or not; @khz: of their ticks, 0: not known. */
void time_text_ranges(const struct time_ranges *r, __u64 khz, FILE *out);
void time_text_json_ranges(const struct time_ranges *r, __u64 khz,
			   struct json_out *j);

#endif /* VIEW_TIME_TEXT_H */
