/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows of a guest's table for the time in which no guest code ran, so that the
 * table sums to host time: [vmm], [steal], [halt], [blocked], [unknown]; or,
 * with --classify=paper, the published [steal] and [idle].  In samples: ticks
 * are divided by the sampling period.
 */
#ifndef VMMPROF_VIEW_REPORT_TIME_H
#define VMMPROF_VIEW_REPORT_TIME_H

#include "model/timeline.h"

#define VMMPROF_TIME_ROWS 64

struct vmmprof_time_row {
	char function[16];
	char module[24];
	__u8 part; /* enum vmmprof_time_part */
	__u64 samples;
};

/* Parts of the table's total, as its first line names them. */
enum vmmprof_time_part {
	VMMPROF_PART_VMM,
	VMMPROF_PART_HALT,
	VMMPROF_PART_BLOCKED,
	VMMPROF_PART_STEAL,
	VMMPROF_PART_UNKNOWN,
	VMMPROF_NR_PARTS
};

struct vmmprof_time_rows {
	struct vmmprof_time_row row[VMMPROF_TIME_ROWS]; /* most first */
	size_t nr;
	__u64 part[VMMPROF_NR_PARTS];
	__u64 sum; /* of the parts, and of the rows */
	/* paper: last exit reasons behind the steal, the last: not known */
	__u64 exits[VMMPROF_EXIT_REASONS + 1];
};

/*
 * Of a guest (index) and, unless @vcpu is VMMPROF_NONE, one vCPU of it.  @tl
 * was made with guest_only for @paper, and has a period.
 */
void vmmprof_time_rows_init(struct vmmprof_time_rows *rows,
			    const struct vmmprof_timeline *tl, __u32 guest,
			    __u32 vcpu, bool paper);

/* Of one track, by switch records; tracks' rows sum to their guest's. */
void vmmprof_time_rows_track(struct vmmprof_time_rows *rows,
			     const struct vmmprof_timeline *tl, __u32 track);

/* Is the row's time from switch records, without any share by samples? */
bool vmmprof_time_row_exact(const struct vmmprof_time_row *row);

/* In whose row what was taken from a vCPU is; at least 24 bytes. */
void vmmprof_time_thief(const struct vmmprof_timeline *tl,
			const struct vmmprof_theft *t, char *buf, size_t size);

/* The label of a part; "IDLE" is the published word for halt. */
const char *vmmprof_time_part_text(enum vmmprof_time_part part, bool paper);

#endif /* VMMPROF_VIEW_REPORT_TIME_H */
