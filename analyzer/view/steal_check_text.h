/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks of the vCPUs' time, as reports print them: our numbers beside other
 * measurements, and a warning where they differ too much.
 */
#ifndef VIEW_STEAL_CHECK_TEXT_H
#define VIEW_STEAL_CHECK_TEXT_H

#include <stdio.h>

#include "view/json.h"
#include "model/steal_check.h"

/* All checks of a few vCPUs; of many those that fail. */
void steal_check_text_text(const struct steal_checks *c, FILE *out);

/* One line: all agree; or how many do not, and these below it. */
void steal_check_text_line(const struct steal_checks *c, FILE *out);

/* An object "checks" of a vCPU (track) or of a guest (index). */
void steal_check_text_json_vcpu(const struct steal_checks *c,
				struct json_out *j, __u32 track);
void steal_check_text_json_guest(const struct steal_checks *c,
				 struct json_out *j, __u32 guest);

/* An array of all guests, with their vCPUs. */
void steal_check_text_json(const struct steal_checks *c, struct json_out *j,
			   const char *key);

#endif /* VIEW_STEAL_CHECK_TEXT_H */
