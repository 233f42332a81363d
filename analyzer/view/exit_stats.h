/* SPDX-License-Identifier: GPL-2.0-only */
/* `vmmprof exits`: counted VM exits as text, JSON and CSV. */
#ifndef VIEW_EXIT_STATS_H
#define VIEW_EXIT_STATS_H

#include <stdio.h>

#include "model/exit_stats.h"
#include "view/report.h"

struct exit_view {
	const struct exit_stats *stats; /* finished */
	struct report *r; /* .guest and .vcpu choose, .limit: functions a row */
	__u32 event;	  /* whose samples the functions have */
	__u64 khz;	  /* of the TSC; not 0 */
	__u64 missed;	  /* exits not counted */
};

/* Is the row chosen? */
bool exit_view_has(const struct exit_view *v, const struct exit_stat *row);

/* Text for lines of so many columns, or of 80 if that is more. */
void exit_view_text(const struct exit_view *v, unsigned int columns, FILE *out);
void exit_view_json(const struct exit_view *v, FILE *out);
void exit_view_csv(const struct exit_view *v, FILE *out);

/* The reason's name, or what stands for it. */
const char *exit_view_reason(__u32 reason);
__u64 exit_view_ns(const struct exit_view *v, __u64 ticks);

/* How many of the row's functions are shown. */
size_t exit_view_functions(const struct exit_view *v,
			   const struct exit_stat *row);

#endif /* VIEW_EXIT_STATS_H */
