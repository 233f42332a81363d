/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `vmmprof steal`: where the time of each guest and vCPU went, and who took
 * it.  The rows are made here once; text, JSON and CSV are layouts of them.
 */
#ifndef VIEW_STEAL_H
#define VIEW_STEAL_H

#include <stdio.h>

#include "view/steal_check_text.h"
#include "view/verdict.h"

enum steal_column {
	COLUMN_GUEST,
	COLUMN_VMM,
	COLUMN_STEAL,
	COLUMN_HALT,
	COLUMN_BLOCKED,
	COLUMN_UNKNOWN,
	STEAL_COLUMNS
};

struct steal_row {
	__u32 guest; /* index */
	__u32 track; /* VMMPROF_NONE: all of the guest together */
	__u64 total; /* ticks */
	struct track_sum sum;
};

/* What a thief took, from one vCPU or from all of a guest or host. */
struct steal_stolen {
	__u32 guest; /* the victim's index, VMMPROF_NONE: all */
	__u32 thief; /* index in the timeline's thieves */
	__u32 vcpu;  /* the victim's track, VMMPROF_NONE: all */
	__u64 preempted, woken, longest;
};

/* In either state. */
static inline __u64 steal_took(const struct steal_stolen *t)
{
	return sat_add(t->preempted, t->woken);
}

/* A vCPU's time on a CPU of the host. */
struct steal_on {
	const struct pcpu *cpu;
	__u32 guest, track;
	__u64 ticks;
};

struct steal {
	const struct timeline *tl;
	bool exact;		/* by switch records, else by samples alone */
	bool by_thief;		/* one table of thieves and victims */
	struct steal_row *rows; /* by guest, its own row first */
	size_t nr_rows, cap_rows;
	struct steal_stolen *stolen; /* by guest, largest first */
	size_t nr_stolen, cap_stolen;
	const struct pcpu **cpus; /* tl->nr_pcpus, by number */
	struct steal_on *on;	  /* tl->nr_residency, by CPU and guest */
	struct steal_checks checks;
};

/* The first stolen_time of a guest, those of one being together: not by_thief. */
size_t steal_first(const struct steal *s, __u32 guest);

/*
 * From a finished timeline.  @by_thief: .stolen has each victim vCPU apart,
 * largest thief first.  0 or -ENOMEM; deinit is due in either case.
 */
int steal_init(struct steal *s, const struct timeline *tl, bool exact,
	       bool by_thief);
void steal_deinit(struct steal *s);

/* All write to out; its errors are the caller's to look for. */
/*
 * @columns: of the terminal, at least 40; @verbose: all checks, all of the
 * matrix.  0 or -ENOMEM.
 */
int steal_text(const struct steal *s, const struct verdicts *v,
	       const struct steal_matrix *m, size_t columns, bool verbose,
	       FILE *out);
/* @m: by @by. */
void steal_json(const struct steal *s, const struct verdicts *v,
		const struct steal_matrix *m, enum matrix_by by, FILE *out);
void steal_csv(const struct steal *s, FILE *out);

/* The host's CPUs: which guests had them, other tasks, nobody. */
void steal_cpus_text(const struct steal *s, FILE *out);
void steal_cpus_json(const struct steal *s, struct json_out *j);

/* The same rows by both methods, and how much they differ. */
void steal_both_text(const struct steal *exact, const struct steal *samples,
		     FILE *out);
void steal_both_json(const struct steal *exact, const struct steal *samples,
		     FILE *out);
void steal_both_csv(const struct steal *exact, const struct steal *samples,
		    FILE *out);

/* Host, kernel, CPUs and seconds: one line. */
void steal_host(const struct steal *s, FILE *out);

/* The columns of a row in their order, in ticks; they sum to row->total. */
void steal_columns(const struct steal_row *row, __u64 columns[STEAL_COLUMNS]);
/*
 * Percentages in hundredths, rounded so that they sum to 10000; all 0 of
 * nothing.
 */
void steal_percent(const __u64 columns[STEAL_COLUMNS],
		   __u64 part[STEAL_COLUMNS]);
/*
 * A part of a column in hundredths of a percent, to the nearest; all of the
 * column has the column's.
 */
__u64 steal_part_percent(const __u64 columns[STEAL_COLUMNS],
			 enum steal_column column, __u64 ticks);
const char *steal_heading(unsigned int column);

/* Names, safe to print. */
void steal_guest(const struct steal *s, __u32 guest, char *buf, size_t size);
void steal_vcpu(const struct steal *s, __u32 track, char *buf, size_t size);
/* @victim: index of a guest, VMMPROF_NONE: of no one in particular. */
void steal_thief(const struct steal *s, __u32 thief, __u32 victim, char *buf,
		 size_t size);

double steal_seconds(const struct steal *s, __u64 ticks);

#endif /* VIEW_STEAL_H */
