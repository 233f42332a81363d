/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of the report's text, in the order in which they are printed. */
#ifndef VIEW_REPORT_TEXT_H
#define VIEW_REPORT_TEXT_H

#include "view/report.h"

/* A summary of all of the session stands before its tables, not of a choice. */
bool report_summarizes(const struct report *r);

/*
 * One screen: who lost time to whom, VMs with their states, the top functions,
 * and the verdict on the checks.  0 or -ENOMEM.
 */
int report_summary(struct report *r, FILE *out);

/* Do the checks agree, and what is missing: a few lines. */
void report_verdict(struct report *r, FILE *out);

/* The account of all samples, what is known of guests, all checks, notes. */
void report_account(struct report *r, FILE *out);

/*
 * Processes by their samples or time: a guest's, and of the host those that
 * the numbers behind modules stand for.  0 or -ENOMEM.
 */
int report_processes(struct report *r, const struct report_table *m, FILE *out);

/* Seconds of ticks (r->tl) in @width columns; "?" if a tick's time is unknown. */
void report_seconds_text(const struct report *r, FILE *out, __u64 ticks,
			 int width);

/* Columns of a line. */
size_t report_columns(const struct report *r);

#endif /* VIEW_REPORT_TEXT_H */
