/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One record as one line of KEY=VALUE words, for grep and for tests.  Spaces
 * and everything unprintable in a value are \xNN, so a line splits at spaces.
 */
#ifndef VIEW_RECORD_TEXT_H
#define VIEW_RECORD_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "view/table.h"

struct record_view {
	FILE *out;
	/* t=0: the beginning of the measurement, or the first record */
	__u64 first_tsc;
	__u64 tsc_khz; /* 0: not known, no times */
	bool started;
	bool check; /* only contradictions */
	__u64 contradictions;
	const unsigned int *fields; /* in the order asked for */
	size_t nr_fields;	    /* 0: all */
	const struct cpus *cpus;    /* of the files of these; NULL: all */
};

/* NULL: there are no more. */
const char *record_field_name(int field);

/* Print one record (record_fn; arg: struct record_view). */
int record_put(struct analysis *a, void *arg, const union rec *rec,
	       const struct resolved *where);

#endif /* VIEW_RECORD_TEXT_H */
