/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows of a guest's table for the time in which no guest code ran, so that the
 * table sums to host time: [vmm], [steal], [halt], [blocked], [unknown]; or,
 * with --classify=paper, the published [steal] and [idle].  By switch records
 * they are ticks, the same as in `vmmprof steal`; as published, samples.
 */
#ifndef VIEW_REPORT_TIME_H
#define VIEW_REPORT_TIME_H

#include "model/timeline.h"
#include "view/steal.h"

#define TIME_ROWS 64

/* Parts of the table's total, as its first line names them. */
enum time_part {
	PART_VMM,
	PART_HALT,
	PART_BLOCKED,
	PART_STEAL,
	PART_UNKNOWN,
	PART_GUEST, /* without a sample that tells the function */
	NR_PARTS
};

struct time_row {
	char function[16];
	char module[24];
	__u8 part; /* enum time_part */
	__u8 mode; /* enum mode, of PART_GUEST */
	__u64 ticks;
	__u64 samples; /* its own; as published, virtual ones */
};

struct time_rows {
	bool paper;
	struct time_row row[TIME_ROWS]; /* most first */
	size_t nr;
	/* in ticks; as published, in samples */
	__u64 part[NR_PARTS];
	__u64 sum;	      /* of the parts, and of the rows */
	__u64 bare[NR_MODES]; /* of PART_GUEST */
	/* paper: last exit reasons behind the steal, the last: not known */
	__u64 exits[EXIT_REASONS + 1];
};

/* A row in the unit of the sums. */
static inline __u64 time_row_weight(const struct time_rows *rows,
				    const struct time_row *row)
{
	return rows->paper ? row->samples : row->ticks;
}

/* The columns of `vmmprof steal` of a guest (index) or one vCPU of it. */
void time_states(const struct timeline *tl, __u32 guest, __u32 vcpu,
		 __u64 columns[STEAL_COLUMNS]);

/* The column in which the part is. */
enum steal_column time_part_column(enum time_part part);

/*
 * Nanoseconds of ticks, one after the other, so that they sum to those of the
 * sum.  A zeroed one has none yet.  @khz: of the TSC, not 0.
 */
struct ns_sum {
	__u64 ticks, ns;
};

__u64 ns_sum_add(struct ns_sum *s, __u64 khz, __u64 ticks);

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

/* Is it of a halt in which the host polls, and has its CPU? */
bool time_row_polls(const struct time_row *row);

/* The name of the row in which stolen time is counted; at least 24 bytes. */
void time_thief(const struct timeline *tl, const struct stolen_time *t,
		char *buf, size_t size);

/* The label of a part; "IDLE" is the published word for halt. */
const char *time_part_text(enum time_part part, bool paper);

#endif /* VIEW_REPORT_TIME_H */
