/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `vmmprof steal`: where the time of each guest and vCPU went, and who took
 * it.  The rows are made here once; text, JSON and CSV are layouts of them.
 */
#ifndef VMMPROF_VIEW_STEAL_H
#define VMMPROF_VIEW_STEAL_H

#include <stdio.h>

#include "view/steal_check_text.h"

#define VMMPROF_STEAL_COLUMNS 6 /* guest vmm steal halt blocked unknown */

struct vmmprof_steal_row {
	__u32 guest; /* index */
	__u32 track; /* VMMPROF_NONE: all of the guest together */
	__u64 total; /* ticks */
	struct vmmprof_track_sum sum;
};

/* What a culprit took, from one vCPU or from all of a guest or host. */
struct vmmprof_steal_theft {
	__u32 guest;   /* the victim's index, VMMPROF_NONE: all */
	__u32 culprit; /* index in the timeline's culprits */
	__u32 vcpu;    /* the victim's track, VMMPROF_NONE: all */
	__u64 preempted, woken, longest;
};

/* In either state. */
static inline __u64 vmmprof_steal_took(const struct vmmprof_steal_theft *t)
{
	return vmmprof_sat_add(t->preempted, t->woken);
}

/* A vCPU's time on a CPU of the host. */
struct vmmprof_steal_on {
	const struct vmmprof_pcpu *cpu;
	__u32 guest, track;
	__u64 ticks;
};

struct vmmprof_steal {
	const struct vmmprof_timeline *tl;
	bool exact;	 /* by switch records, else by samples alone */
	bool by_culprit; /* one table of culprits and victims */
	struct vmmprof_steal_row *rows; /* by guest, its own row first */
	size_t nr_rows, cap_rows;
	struct vmmprof_steal_theft *thefts; /* by guest, largest first */
	size_t nr_thefts, cap_thefts;
	const struct vmmprof_pcpu **cpus; /* tl->nr_pcpus, by number */
	struct vmmprof_steal_on *on; /* tl->nr_presence, by CPU and guest */
	struct vmmprof_crosschecks checks;
};

/* The first theft of a guest, those of one being together: not by_culprit. */
size_t vmmprof_steal_first(const struct vmmprof_steal *s, __u32 guest);

/*
 * From a finished timeline.  @by_culprit: thefts hold each victim vCPU apart,
 * largest culprit first.  0 or -ENOMEM; deinit is due in either case.
 */
int vmmprof_steal_init(struct vmmprof_steal *s,
		       const struct vmmprof_timeline *tl, bool exact,
		       bool by_culprit);
void vmmprof_steal_deinit(struct vmmprof_steal *s);

/* All write to out; its errors are the caller's to look for. */
void vmmprof_steal_text(const struct vmmprof_steal *s, FILE *out);
void vmmprof_steal_json(const struct vmmprof_steal *s, FILE *out);
void vmmprof_steal_csv(const struct vmmprof_steal *s, FILE *out);

/* The host's CPUs: which guests had them, other tasks, nobody. */
void vmmprof_steal_cpus_text(const struct vmmprof_steal *s, FILE *out);
void vmmprof_steal_cpus_json(const struct vmmprof_steal *s,
			     struct vmmprof_json *j);

/* The same rows by both methods, and how much they differ. */
void vmmprof_steal_both_text(const struct vmmprof_steal *exact,
			     const struct vmmprof_steal *samples, FILE *out);
void vmmprof_steal_both_json(const struct vmmprof_steal *exact,
			     const struct vmmprof_steal *samples, FILE *out);
void vmmprof_steal_both_csv(const struct vmmprof_steal *exact,
			    const struct vmmprof_steal *samples, FILE *out);

/* Host, kernel, CPUs and seconds: one line. */
void vmmprof_steal_host(const struct vmmprof_steal *s, FILE *out);

/* The columns of a row in their order, in ticks; they sum to row->total. */
void vmmprof_steal_columns(const struct vmmprof_steal_row *row,
			   __u64 columns[VMMPROF_STEAL_COLUMNS]);
/*
 * Percentages in hundredths, rounded so that they sum to 10000; all 0 of
 * nothing.
 */
void vmmprof_steal_percent(const __u64 columns[VMMPROF_STEAL_COLUMNS],
			   __u64 part[VMMPROF_STEAL_COLUMNS]);
const char *vmmprof_steal_heading(unsigned int column);

/* Names, safe to print. */
void vmmprof_steal_guest(const struct vmmprof_steal *s, __u32 guest, char *buf,
			 size_t size);
void vmmprof_steal_vcpu(const struct vmmprof_steal *s, __u32 track, char *buf,
			size_t size);
/* @victim: index of a guest, VMMPROF_NONE: of no one in particular. */
void vmmprof_steal_culprit(const struct vmmprof_steal *s, __u32 culprit,
			   __u32 victim, char *buf, size_t size);

double vmmprof_steal_seconds(const struct vmmprof_steal *s, __u64 ticks);

#endif /* VMMPROF_VIEW_STEAL_H */
