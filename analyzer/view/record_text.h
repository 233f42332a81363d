/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One record as one line of KEY=VALUE words, for grep and for tests.  Spaces
 * and everything unprintable in a value are \xNN, so a line splits at spaces.
 */
#ifndef VIEW_RECORD_TEXT_H
#define VIEW_RECORD_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "model/chain_frames.h"
#include "view/table.h"

struct record_view {
	FILE *out;
	/* t=0: the beginning of the measurement, or the first record */
	__u64 first_tsc;
	__u64 tsc_khz; /* 0: not known, no times */
	bool started;
	bool json;  /* an object each line, not words */
	bool check; /* only contradictions */
	__u64 contradictions;
	const unsigned int *fields; /* in the order asked for */
	size_t nr_fields;	    /* 0: all */
	const struct cpus *cpus;    /* of the files of these; NULL: all */
	/*
	 * With frames below samples, which are printed when their chains are
	 * complete; NULL: CHAIN records as lines.
	 */
	struct names *names;
};

/* NULL: there are no more. */
const char *record_field_name(int field);

/* Print one record (record_fn; arg: struct record_view). */
int record_put(struct analysis *a, void *arg, const union rec *rec,
	       const struct resolved *where);

/*
 * With .names, for each sample: print it with its frames, the innermost first, as
 * perf script does (.each of struct chain_pass; arg: struct record_view).
 */
int record_put_chained(void *arg, const struct chain_sample *s,
		       const struct chain_frames *f);

#endif /* VIEW_RECORD_TEXT_H */
