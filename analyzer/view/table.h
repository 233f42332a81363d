/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of a report, before any layout: samples, or the time of vCPUs that
 * they stand for, grouped by the sort keys, most first.  Text and JSON are two
 * layouts of the same rows.
 */
#ifndef VIEW_TABLE_H
#define VIEW_TABLE_H

#include <stdbool.h>

#include "model/analysis.h"
#include "os/cpu_list.h"
#include "sym/demangle.h"

enum sort {
	SORT_FUNCTION,
	SORT_MODULE,
	SORT_PROCESS,
	SORT_PID,
	SORT_VCPU,
	SORT_CPU,
	SORT_EVENT,
	SORT_EXIT,
	SORT_MODE,
	SORT_SRCLINE,
	SORT_CONTAINER,
	SORT_VM,
	SORT_TID,
	SORT_PARENT, /* of rows made of chains, see view/chain_parent.h */
	NR_SORTS
};

#define VMMPROF_ANY  VMMPROF_NONE

/* As the exit reason of a row: of samples in guest code. */
#define EXIT_SAMPLED 0xfffe

/* Which buckets a table is made of. */
struct selection {
	__u32 machine; /* 0: host-level view of everything, else guest */
	__u32 vcpu;    /* guests only */
	__u32 pid;
	__u32 event;
	/* NULL: the published form (function, module, processes told apart) */
	const enum sort *keys;
	size_t nr_keys;
	/* NULL, or: only of this row's function and module */
	const struct bucket_key *of;
	__u32 proc;		 /* 0, or: 1 + number of this process */
	const struct cpus *cpus; /* NULL: all; else KEEP_CPU is due */
	bool timed;		 /* of time: guest_time_spread() is due */
	/* by node of the tree of chains; NULL: SORT_PARENT is no key */
	const __u32 *parents;
	bool whole; /* machine 0: guests have rows of their own */
};

/* In samples, and, if that is what it is of, in ticks. */
struct table {
	struct profile rows; /* sorted, most first */
	bool timed;
	__u64 ticks, mode_ticks[NR_MODES];
	__u64 total;
	__u64 mode[NR_MODES]; /* of the machine itself */
	__u64 vm;	      /* host-level view: in guests */
	__u64 resolved;
};

/* What a row's share of its table is of. */
static inline __u64 table_weight(const struct table *t,
				 const struct bucket *row)
{
	return t->timed ? row->ticks : row->samples;
}

/* A process in the order of its samples, or of its time. */
struct table_process {
	__u32 proc; /* id in the resolver */
	__u64 samples, ticks;
	__u64 user, user_ticks;
};

/* Room for a name: whole, as formats have it; or in a line of text. */
#define NAME_MAX_BYTES	4096
#define NAME_TEXT_BYTES 512

/* Names of everything, made safe to print; cached. */
struct names {
	struct analysis *a;
	struct demangler *demangler; /* copies of the struct share it */
	char **text;		     /* by string id: function names as shown */
	size_t nr_text;
	__u32 *ordinal;	      /* by process id: N of "name(N)", 0: none */
	struct strings lines; /* source lines, by id */
	struct strings containers;
	__u32 *container; /* by process id: in containers; VMMPROF_NONE */
	/* of thieves in chains; lent, NULL: there are none */
	const struct timeline *tl;
};

/* After the pass; 0 or -ENOMEM.  deinit is due in either case. */
int names_init(struct names *n, struct analysis *a);
void names_deinit(struct names *n);

/* While the pass goes on: functions found since the last call have names. */
int names_more(struct names *n);

/* The same again: the analysis has gone on.  0 or -ENOMEM. */
int names_renew(struct names *n);

/*
 * Each writes at most size bytes, safe to print, NUL-terminated.  A function
 * that is not known is its cause in parentheses, a guest's row is its name in
 * brackets.
 */
void name_function(struct names *n, const struct bucket_key *key, char *buf,
		   size_t size);
void name_module(struct names *n, const struct bucket_key *key, char *buf,
		 size_t size);
void names_process(struct names *n, __u32 proc, char *buf, size_t size);
/* The same without the number that tells processes of one name apart. */
void name_program(struct names *n, __u32 proc, char *buf, size_t size);
void name_sort(struct names *n, const struct bucket_key *key, enum sort sort,
	       char *buf, size_t size);

/*
 * Number of the source line of a bucket, 1 + id in n->lines; where there is
 * none, of its function and module.  0 without memory.
 */
__u64 name_line(struct names *n, const struct bucket_key *key);

/* Number of the container of a process in n->containers, VMMPROF_NONE. */
__u32 name_container(const struct names *n, __u32 proc);

/* The machine's name: "host" or the guest's. */
void name_machine(struct names *n, __u32 machine, char *buf, size_t size);

/* A key's name, and its column's heading. */
const char *sort_name(enum sort sort);
const char *sort_heading(enum sort sort);

/* Marks the one row of a guest in the host-level view. */
static inline bool is_guest_row(const struct bucket_key *key,
				const struct selection *sel)
{
	return !sel->machine && key->guest && !sel->whole;
}

/*
 * A row's addr has numbers of two names: of its source line, 1 + id in .lines,
 * and of the function that it is called by, 1 + id in the resolver's strings.
 */
static inline __u32 row_line(const struct bucket_key *row)
{
	return row->addr;
}

static inline __u32 row_parent(const struct bucket_key *row)
{
	return row->addr >> 32;
}

/* Is a bucket of the selection? */
bool selected(const struct names *n, const struct selection *sel,
	      const struct bucket_key *key);

/* The part of such a bucket's key that its row has. */
struct bucket_key table_row(struct names *n, const struct selection *sel,
			    const struct bucket_key *key);

/* Group the buckets.  0 or -ENOMEM; deinit is due in either case. */
int table_init(struct table *t, struct names *n, const struct selection *sel);
void table_deinit(struct table *t);

/* Sort rows that were made some other way.  0 or -ENOMEM. */
int table_sort(struct table *t, struct names *n, const struct selection *sel);

/*
 * Processes of the selection, most samples first; *ret is to be freed.  The
 * number of them, or -ENOMEM.
 */
int table_processes(struct names *n, const struct selection *sel,
		    struct table_process **ret);

#endif /* VIEW_TABLE_H */
