/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows of a guest's table for the time in which no guest code ran, so that the
 * table sums to host time: [vmm], [steal], [halt], [blocked], [unknown]; or,
 * with --classify=paper, the published [steal] and [idle].  In samples: ticks
 * are divided by the sampling period.
 */
#ifndef VIEW_REPORT_TIME_H
#define VIEW_REPORT_TIME_H

#include "model/timeline.h"

#define TIME_ROWS 64

struct time_row {
	char function[16];
	char module[24];
	__u8 part; /* enum time_part */
	__u64 samples;
};

/* Parts of the table's total, as its first line names them. */
enum time_part {
	PART_VMM,
	PART_HALT,
	PART_BLOCKED,
	PART_STEAL,
	PART_UNKNOWN,
	NR_PARTS
};

struct time_rows {
	struct time_row row[TIME_ROWS]; /* most first */
	size_t nr;
	__u64 part[NR_PARTS];
	__u64 sum; /* of the parts, and of the rows */
	/* paper: last exit reasons behind the steal, the last: not known */
	__u64 exits[EXIT_REASONS + 1];
};

/*
 * Of a guest (index) and, unless @vcpu is VMMPROF_NONE, one vCPU of it.  @tl
 * was made with guest_only for @paper, and has a period.
 */
void time_rows_init(struct time_rows *rows, const struct timeline *tl,
		    __u32 guest, __u32 vcpu, bool paper);

/* Of one track, by switch records; tracks' rows sum to their guest's. */
void time_rows_track(struct time_rows *rows, const struct timeline *tl,
		     __u32 track);

/* Is the row's time from switch records, without any share by samples? */
bool time_row_exact(const struct time_row *row);

/* Samples of so many ticks, to the nearest; @tl has a period. */
__u64 time_samples(const struct timeline *tl, __u64 ticks);

/* The name of the row in which stolen time is counted; at least 24 bytes. */
void time_thief(const struct timeline *tl, const struct stolen_time *t,
		char *buf, size_t size);

/* The label of a part; "IDLE" is the published word for halt. */
const char *time_part_text(enum time_part part, bool paper);

#endif /* VIEW_REPORT_TIME_H */
