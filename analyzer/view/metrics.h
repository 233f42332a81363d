/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums for a store of metrics: where the vCPUs' time of each VM went, who took
 * what was stolen, and which VM exits had the rest.  They grow from one window
 * to the next, and are written in Prometheus' text form
 * (prometheus.io/docs/instrumenting/exposition_formats).
 *
 * Series are named by VMs and owners, never by numbers of processes, and their
 * number is bounded; what has no series of its own is in one called "other".
 * Nothing is lost by that: a VM's states sum to its time, its thieves to its
 * steal and its reasons to its time in the VMM, to the nanosecond.
 * A series that ends (metrics_add()) takes what it had out of these sums.
 */
#ifndef VIEW_METRICS_H
#define VIEW_METRICS_H

#include <stdio.h>

#include "view/report_time.h"

#define METRICS_VMS	1024 /* names; more are one, "other VMs" */
#define METRICS_THIEVES 10   /* of a VM, beside "kernel", "quota" and so on */
#define METRICS_REASONS 8    /* of a VM */
#define METRICS_KEEP	60   /* windows that a VM without time stays */

/* One series of several of a VM, which sum to one of its states. */
struct metrics_part {
	char *name;   /* safe to print */
	__u8 kind;    /* enum owner_kind, NR_OF: other; of reasons 0 */
	bool bounded; /* one of those whose number is */
	__u64 ns;
	__u64 recent; /* the same, of the last windows more than of others */
	__u64 born;   /* window */
};

struct metrics_parts {
	struct metrics_part *parts;
	size_t nr, cap;
};

struct metrics_vm {
	char name[256]; /* safe to print */
	__u64 seen;	/* the last window in which it had time */
	struct ns_sum state[STEAL_COLUMNS];
	struct metrics_parts thieves, reasons;
	__u64 maps_age_ns;	 /* METRICS_NO_MAPS: it has none */
	const char *maps_source; /* the caller's, if it has */
};

#define METRICS_NO_MAPS (~0ull)

struct metrics {
	struct metrics_vm *vms;
	size_t nr, cap;
	__u64 window;	     /* number of the last one, from 1 on */
	__u64 samples, lost; /* the caller's */
};

/* A zeroed one is empty. */
void metrics_deinit(struct metrics *m);

/*
 * Adds the sums of a timeline that has switch records and a TSC frequency: of a
 * finished pass, or of an interval (model/live.h).  VMs of one name are one.
 * A thief or reason that had little for long gives its series to one that has
 * more; that series ends, and sums only what is left.  0 or -ENOMEM.
 */
int metrics_add(struct metrics *m, const struct timeline *tl);

/*
 * After metrics_add(): a guest's maps were so old at the end of that window; from
 * where they came, in a word that is kept.  Of VMs of one name those of the oldest
 * count.
 */
void metrics_maps(struct metrics *m, const struct timeline *tl, __u32 guest,
		  __u64 age_ns, const char *source);

/* Errors of @out are the caller's to look for. */
void metrics_put(const struct metrics *m, FILE *out);

/* The lines before a metric's series: @type is gauge or counter. */
void metrics_head(FILE *out, const char *name, const char *type,
		  const char *help);

/* Writes NAME="VALUE"; @value: safe to print (view/safe.h). */
void metrics_label(FILE *out, const char *name, const char *value);

#endif /* VIEW_METRICS_H */
