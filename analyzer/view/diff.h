/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `vmmprof diff`: two sessions' entries side by side.  A table a machine and a
 * set of keys: what each row's share of its machine was, how much that changed,
 * and the statistical error of the change.  Text and JSON are layouts of it.
 */
#ifndef VIEW_DIFF_H
#define VIEW_DIFF_H

#include "view/export.h"

enum diff_key {
	DIFF_FUNCTION,
	DIFF_MODULE,
	DIFF_PROCESS, /* by name: numbers are of one session alone */
	DIFF_PID,
	DIFF_VCPU,
	DIFF_MODE,
	DIFF_STATE,
	NR_DIFF_KEYS
};

/* Sessions are numbered 0 (A) and 1 (B). */
struct diff_session {
	char *dir, *hostname, *release, *event; /* safe to print */
	__u64 duration_ns, period_ns;		/* 0: not known */
	/* lent; NULL: all of the time; .khz for it */
	const struct time_ranges *time;
	__u64 khz;
	bool timed, chained;
	__u32 *guests; /* by index: names, VMMPROF_NONE: not asked for */
	size_t nr_guests;
	struct entries entries;
	__u32 *words; /* by id of a name of .entries: id in the diff's, or NONE */
};

/* As much of a machine, or of one of its rows. */
struct diff_amount {
	__u64 samples;
	__u64 ns; /* of time, if the machine is timed */
	/* what shares are of: samples, or, of a machine that is timed, ticks */
	__u64 weight;
	__u64 exact; /* of the weight: by switch records, no samples */
	__u64 drawn; /* samples, or periods, that tell the rest of it */
};

struct diff_row {
	__u32 key[NR_DIFF_KEYS]; /* ids in .names; by number of key */
	struct diff_amount of[2];
	__u8 columns;	     /* of time: bits of enum steal_column */
	double points[2];    /* percent of the machine's */
	double shown[2];     /* the same as `vmmprof steal` rounds it */
	double delta, error; /* in points; error: one standard deviation */
	bool all_exact;	     /* then there is no error by sampling */
	bool significant;    /* more than chance; of samples only */
};

struct diff_table {
	enum diff_key keys[NR_DIFF_KEYS];
	size_t nr_keys;
	struct diff_row *rows; /* largest change first */
	size_t nr, cap;
};

#define DIFF_TABLES 3

struct diff_machine {
	__u32 name;	 /* id in .names */
	__u32 number[2]; /* 0: host, else 1 + index of the guest */
	bool timed;	 /* its shares are of time */
	struct diff_amount of[2];
	__u64 columns[2][STEAL_COLUMNS]; /* of its time */
	size_t nr_tables;		 /* 0 if one of them has nothing */
	struct diff_table tables[DIFF_TABLES];
};

/* view/diff_chains.h has what they are of. */
struct diff_node {
	__u32 parent; /* before it; VMMPROF_NONE: the root */
	__u32 name;   /* id in .names */
	/* that end here, in A and in B; ns: of timed sessions */
	__u64 samples[2], ns[2];
};

struct diff_tree {
	struct diff_node *nodes; /* [0]: the root */
	size_t nr, cap;
	struct hash by_name; /* parent << 32 | name */
	bool full;	     /* there were more */
};

struct diff {
	struct diff_session s[2];
	struct strings names;
	struct diff_machine *machines; /* of both: host first */
	size_t nr, cap;
	__u32 *only[2]; /* names of guests of one session alone */
	size_t nr_only[2], cap_only[2];
	bool timed; /* with time without guest code; both have it */
	struct diff_tree trees[2]; /* of functions alone, of chains */
	bool graph;		   /* they are shown in text and JSON */
	size_t limit;		   /* rows a table in text, 0: all */
	size_t columns;		   /* of a line of text, at least 40 */
};

/*
 * Session @i from a finished pass: entries and what to say of it.  @guest is as
 * in the report, which names them.  0 or -ENOMEM; deinit is due in either case.
 */
int diff_take(struct diff *d, unsigned int i, const struct report *r,
	      const struct timeline *tl);

void diff_deinit(struct diff *d);

void diff_text(const struct diff *d, FILE *out);
int diff_json(const struct diff *d, FILE *out); /* 0 or -ENOMEM */

/* Number of a key of that name, -1 if there is none. */
const char *diff_key_name(enum diff_key key);

/* Seconds of the measurement, 0: not known. */
double diff_seconds(const struct diff_session *s);

#endif /* VIEW_DIFF_H */
