/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The account of the vCPUs' time, as reports print it: our numbers beside those
 * of others, labelled, and a warning where they differ too much.
 */
#ifndef VMMPROF_VIEW_CHECKS_H
#define VMMPROF_VIEW_CHECKS_H

#include <stdio.h>

#include "view/json.h"
#include "model/steal_check.h"

/* All checks of a few vCPUs; of many those that fail. */
void vmmprof_checks_text(const struct vmmprof_crosschecks *c, FILE *out);

/* An object "checks" of a vCPU (track) or of a guest (index). */
void vmmprof_checks_json_vcpu(const struct vmmprof_crosschecks *c,
			      struct vmmprof_json *j, __u32 track);
void vmmprof_checks_json_guest(const struct vmmprof_crosschecks *c,
			       struct vmmprof_json *j, __u32 guest);

/* An array of all guests, with their vCPUs. */
void vmmprof_checks_json(const struct vmmprof_crosschecks *c,
			 struct vmmprof_json *j, const char *key);

#endif /* VMMPROF_VIEW_CHECKS_H */
