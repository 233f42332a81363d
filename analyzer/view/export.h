/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `vmmprof export`: a session's entries in the formats of other programs.
 * Each format is one function over the same entries.
 */
#ifndef VMMPROF_VIEW_EXPORT_H
#define VMMPROF_VIEW_EXPORT_H

#include <stdio.h>

#include "view/time_series.h"

struct vmmprof_export {
	const struct vmmprof_report *r;
	const struct vmmprof_entries *entries;
	char event[256];   /* name of what all entries are of, safe to print */
	__u64 period_ns;   /* between two samples; 0: it counts no time */
	__u64 duration_ns; /* of the measurement, 0: not known */
	__u64 real_ns;	   /* CLOCK_REALTIME at its start, 0: not known */
	bool timed;	   /* with time without guest code */
	const struct vmmprof_overtime *over; /* formats in the order of time */
};

/* From a finished pass; @tl for the period.  What it points to stays there. */
void vmmprof_export_init(struct vmmprof_export *x,
			 const struct vmmprof_report *r,
			 const struct vmmprof_entries *entries,
			 const struct vmmprof_timeline *tl);

/*
 * All write to out; speedscope and firefox want x->over.  0, -ENOMEM or -EIO;
 * other errors of out are the caller's to look for.
 */
int vmmprof_export_folded(const struct vmmprof_export *x, FILE *out);
int vmmprof_export_csv(const struct vmmprof_export *x, FILE *out);
int vmmprof_export_json(const struct vmmprof_export *x, FILE *out);
int vmmprof_export_speedscope(const struct vmmprof_export *x, FILE *out);
int vmmprof_export_firefox(const struct vmmprof_export *x, FILE *out);
int vmmprof_export_pprof(const struct vmmprof_export *x, FILE *out);

/*
 * How many of the parts from @from on (x->over) are of one vCPU, or of what is
 * of none.
 */
size_t vmmprof_export_vcpu_parts(const struct vmmprof_export *x, size_t from);

/* The entry of a part. */
static inline const struct vmmprof_entry *
vmmprof_export_entry(const struct vmmprof_export *x, size_t part)
{
	return &x->entries->entries[x->over->parts[part].entry];
}

/* Names of an entry, safe to print; "-" for what it has none of. */
const char *vmmprof_export_name(const struct vmmprof_export *x, __u32 id);
/* "vCPU 0", or "-"; at least 16 bytes. */
void vmmprof_export_vcpu(const struct vmmprof_entry *e, char *buf, size_t size);

#endif /* VMMPROF_VIEW_EXPORT_H */
