/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One record as one line of KEY=VALUE words, for grep and for tests.  Blanks
 * and everything unprintable in a value are \xNN, so a line splits at blanks.
 */
#ifndef VMMPROF_VIEW_RECORD_TEXT_H
#define VMMPROF_VIEW_RECORD_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "view/table.h"

#define VMMPROF_MAX_FIELDS 32

struct vmmprof_record_view {
	FILE *out;
	__u64 first_tsc; /* of the first record: t=0 */
	__u64 tsc_khz;	 /* 0: not known, no times */
	bool started;
	bool check; /* only contradictions */
	__u64 contradictions;
	int fields[VMMPROF_MAX_FIELDS]; /* in the order asked for */
	size_t nr_fields;		/* 0: all */
};

/* Number of the field with that name, -1; and the name of a number, NULL. */
int vmmprof_record_field(const char *name, size_t len);
const char *vmmprof_record_field_name(int field);

/* Print one record (vmmprof_record_fn; arg: struct vmmprof_record_view). */
int vmmprof_record_put(struct vmmprof_analysis *a, void *arg,
		       const union vmmprof_rec *rec,
		       const struct vmmprof_where *where);

#endif /* VMMPROF_VIEW_RECORD_TEXT_H */
