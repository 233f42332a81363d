/* SPDX-License-Identifier: GPL-2.0-only */
/* The report: tables and account, as text or as JSON. */
#ifndef VMMPROF_VIEW_REPORT_H
#define VMMPROF_VIEW_REPORT_H

#include <stdio.h>

#include "view/account.h"
#include "view/steal_check_text.h"
#include "view/report_time.h"
#include "view/table.h"

struct vmmprof_report {
	const char *dir; /* as given */
	struct vmmprof_analysis *a;
	struct vmmprof_names names;
	struct vmmprof_account account;
	/* what to show */
	__u32 guest; /* number (1 + index), VMMPROF_ANY: all */
	__u32 vcpu;  /* VMMPROF_ANY: all together */
	__u32 pid;   /* of the guest if one is chosen, else of the host */
	__u32 event; /* VMMPROF_ANY: the first that has samples */
	const enum vmmprof_sort *keys; /* NULL: the published form */
	size_t nr_keys;
	size_t limit;			   /* rows a table, 0: all */
	const struct vmmprof_timeline *tl; /* NULL: samples of guests only */
	bool paper;			   /* --classify=paper */
	/* of the vCPUs' time; NULL: there are no switch records */
	const struct vmmprof_crosschecks *checks;
};

/* The tables a report has, in their order.  Both write to out; 0 or -ENOMEM. */
int vmmprof_report_text(struct vmmprof_report *r, FILE *out);
int vmmprof_report_json(struct vmmprof_report *r, FILE *out);

/* The selection of the host's table (machine 0) or a guest's. */
struct vmmprof_selection
vmmprof_report_selection(const struct vmmprof_report *r, __u32 machine);

/* Has that table rows of time without guest code? */
bool vmmprof_report_timed(const struct vmmprof_report *r,
			  const struct vmmprof_selection *sel);

/*
 * The rows of a guest's table beside its functions; none (nr and sum are 0)
 * of the host, of one process, and of an event that does not count time.
 */
void vmmprof_report_time(const struct vmmprof_report *r,
			 const struct vmmprof_selection *sel,
			 struct vmmprof_time_rows *rows);

/* Is this machine's table asked for? */
bool vmmprof_report_has(const struct vmmprof_report *r, __u32 machine);

/* Sort keys as shown: those asked for, or function and module. */
size_t vmmprof_report_keys(const struct vmmprof_report *r,
			   enum vmmprof_sort keys[VMMPROF_NR_SORTS]);

/* Cell i of a row of that table. */
void vmmprof_report_cell(struct vmmprof_report *r,
			 const struct vmmprof_selection *sel,
			 const struct vmmprof_cell_key *key, size_t i,
			 enum vmmprof_sort sort, char *buf, size_t size);

/* Seconds that were sampled, 0 if not known. */
double vmmprof_report_seconds(const struct vmmprof_report *r);

/* What the lines below the account say; "" for none.  Index from 0. */
const char *vmmprof_how_text(unsigned int how);

/* How the process of a sample in kernel mode was found. */
const char *vmmprof_who_text(unsigned int who);

/* The clock of guest g; NULL: samples of it have no time. */
const struct vmmprof_clock *vmmprof_report_clock(struct vmmprof_report *r,
						 __u32 g);

#endif /* VMMPROF_VIEW_REPORT_H */
