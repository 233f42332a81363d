/* SPDX-License-Identifier: GPL-2.0-only */
/* `vmmprof export --format perf-script`: the text of `perf script`. */
#ifndef VIEW_EXPORT_PERF_SCRIPT_H
#define VIEW_EXPORT_PERF_SCRIPT_H

#include <stdio.h>

#include "view/report.h"

struct perf_script {
	struct report *r; /* its guest and event; its names are used */
	struct timeline *tl;
	bool stolen;  /* stolen time, too: there are switch records */
	bool chains;  /* with what called a sample's function, if recorded */
	bool inlines; /* in these functions inlined in others are frames */
};

/*
 * The whole pass over a timeline just made.  In the order of the records; with
 * chains a sample comes when they are complete, that is before the next one of
 * its CPU.  A stretch of stolen time comes when it ends.  0 or -errno.
 */
int export_perf_script(const struct perf_script *of, FILE *out);

#endif /* VIEW_EXPORT_PERF_SCRIPT_H */
