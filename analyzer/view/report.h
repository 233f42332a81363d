/* SPDX-License-Identifier: GPL-2.0-only */
/* The report: tables and account, as text or as JSON. */
#ifndef VIEW_REPORT_H
#define VIEW_REPORT_H

#include <stdio.h>

#include "view/account.h"
#include "view/chain_text.h"
#include "view/chain_time.h"
#include "model/chain_pass.h"
#include "view/steal_check_text.h"
#include "view/report_time.h"
#include "view/table.h"

struct report {
	const char *dir; /* as given */
	struct analysis *a;
	struct names names;
	struct account account;
	/* what to show */
	__u32 guest; /* number (1 + index), VMMPROF_ANY: all */
	__u32 vcpu;  /* VMMPROF_ANY: all together */
	__u32 pid;   /* of the guest if one is chosen, else of the host */
	__u32 event; /* VMMPROF_ANY: the first that has samples */
	const struct cpus *cpus; /* NULL: all; else KEEP_CPU is due */
	const enum sort *keys;	 /* NULL: the published form */
	size_t nr_keys;
	size_t limit;	      /* rows a table, 0: all */
	double percent_limit; /* of a row, at least */
	size_t columns;	      /* of a line of text, 0: 80; at least 40 */
	bool verbose;	      /* the text has all checks */
	/* NULL: samples of guests only; else guest_time_spread() is due */
	const struct timeline *tl;
	bool paper;			 /* --classify=paper */
	const struct chain_pass *chains; /* NULL: were not looked at */
	enum chain_order order;		 /* how they are shown */
	bool children;	      /* rows have what their functions called, too */
	bool hierarchy;	      /* rows are the leaves of a tree of keys */
	const __u32 *parents; /* of chain_parents(), for SORT_PARENT */
	/* of the vCPUs' time; NULL: there are no switch records */
	const struct steal_checks *checks;
};

/* All of the session. */
static inline struct report report_of(const char *dir, struct analysis *a)
{
	return (struct report){ .dir = dir,
				.a = a,
				.guest = VMMPROF_ANY,
				.vcpu = VMMPROF_ANY,
				.pid = VMMPROF_ANY,
				.event = VMMPROF_ANY };
}

/* The tables a report has, in their order.  All write to out; 0 or -ENOMEM. */
int report_text(struct report *r, FILE *out);
int report_json(struct report *r, FILE *out);
/* The tables alone: a line for each row. */
int report_csv(struct report *r, FILE *out);

/* The selection of the host's table (machine 0) or a guest's. */
struct selection report_selection(const struct report *r, __u32 machine);

/* Has that table rows of time without guest code? */
bool report_timed(const struct report *r, const struct selection *sel);

/*
 * The rows of a guest's table beside its functions; none (nr and sum are 0)
 * of the host, of one process, and of an event that does not count time.
 */
void report_time(const struct report *r, const struct selection *sel,
		 struct time_rows *rows);

/* Is this machine's table asked for? */
bool report_has(const struct report *r, __u32 machine);

/* A machine's table, as all outputs show it. */
struct report_table {
	struct selection sel;
	struct table t; /* with or without what functions called */
	struct time_rows time;
	struct chain_time waits; /* the chains of .time's rows */
	__u64 whole; /* of what shares are: ticks if timed, else samples */
	size_t rows; /* that are shown, by both limits */
	struct chain_rows chains;     /* of these */
	bool states;		      /* it is of all of the vCPUs' time */
	__u64 columns[STEAL_COLUMNS]; /* of it, if so */
};

/* 0 or -ENOMEM; deinit is due in either case. */
int report_table_init(struct report_table *m, struct report *r, __u32 machine);
void report_table_deinit(struct report_table *m);

/* Sort keys as shown: those asked for, or function and module. */
size_t report_keys(const struct report *r, enum sort keys[NR_SORTS]);

/* Cell i of a row of that table. */
void report_cell(struct report *r, const struct selection *sel,
		 const struct bucket_key *key, size_t i, enum sort sort,
		 char *buf, size_t size);

/* Seconds that were sampled, 0 if not known. */
double report_seconds(const struct report *r);

/* What the lines below the account say; "" for none.  Index from 0. */
const char *how_text(unsigned int how);

/* How the process of a sample in kernel mode was found. */
const char *who_text(unsigned int who);

/* The clock of guest g; NULL: samples of it have no time. */
const struct clock *report_clock(struct report *r, __u32 g);

#endif /* VIEW_REPORT_H */
