/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of a report, before any layout: samples grouped by the sort keys,
 * most samples first.  Text and JSON are two layouts of the same rows.
 */
#ifndef VMMPROF_VIEW_TABLE_H
#define VMMPROF_VIEW_TABLE_H

#include <stdbool.h>

#include "model/analysis.h"
#include "sym/demangle.h"

enum vmmprof_sort {
	VMMPROF_SORT_FUNCTION,
	VMMPROF_SORT_MODULE,
	VMMPROF_SORT_PROCESS,
	VMMPROF_SORT_PID,
	VMMPROF_SORT_VCPU,
	VMMPROF_SORT_CPU,
	VMMPROF_SORT_EVENT,
	VMMPROF_SORT_EXIT,
	VMMPROF_SORT_MODE,
	VMMPROF_SORT_SRCLINE,
	VMMPROF_SORT_CONTAINER,
	VMMPROF_NR_SORTS
};

#define VMMPROF_ANY VMMPROF_NONE

/* Which cells a table is made of. */
struct vmmprof_selection {
	__u32 machine; /* 0: host-level view of everything, else guest */
	__u32 vcpu;    /* guests only */
	__u32 pid;
	__u32 event;
	/* NULL: the published form (function, module, processes told apart) */
	const enum vmmprof_sort *keys;
	size_t nr_keys;
	/* NULL, or: only of this row's function and module */
	const struct vmmprof_cell_key *of;
	__u32 proc; /* 0, or: 1 + number of this process */
};

struct vmmprof_table {
	struct vmmprof_profile rows; /* sorted, most samples first */
	__u64 total;
	__u64 mode[VMMPROF_NR_MODES]; /* of the machine itself */
	__u64 vm;		      /* host-level view: in guests */
	__u64 resolved;
};

/* A process in the order of its samples. */
struct vmmprof_table_process {
	__u32 proc; /* id in the resolver */
	__u64 samples;
	__u64 user;
};

/* Names of everything, made safe to print; cached. */
struct vmmprof_names {
	struct vmmprof_analysis *a;
	struct vmmprof_demangler demangler;
	char **text; /* by string id: function names as shown */
	size_t nr_text;
	__u32 *ordinal; /* by process id: N of "name(N)", 0: none */
	struct vmmprof_strings lines; /* source lines, by id */
	struct vmmprof_strings containers;
	__u32 *container; /* by process id: in containers; VMMPROF_NONE */
};

/* After the pass; 0 or -ENOMEM.  deinit is due in either case. */
int vmmprof_names_init(struct vmmprof_names *n, struct vmmprof_analysis *a);
void vmmprof_names_deinit(struct vmmprof_names *n);

/* The same again: the analysis has gone on.  0 or -ENOMEM. */
int vmmprof_names_renew(struct vmmprof_names *n);

/*
 * Each writes at most size bytes, safe to print, NUL-terminated.  A function
 * that is not known is its cause in parentheses, a guest's row is its name in
 * brackets.
 */
void vmmprof_name_function(struct vmmprof_names *n,
			   const struct vmmprof_cell_key *key, char *buf,
			   size_t size);
void vmmprof_name_module(struct vmmprof_names *n,
			 const struct vmmprof_cell_key *key, char *buf,
			 size_t size);
void vmmprof_name_process(struct vmmprof_names *n, __u32 proc, char *buf,
			  size_t size);
/* The same without the number that tells processes of one name apart. */
void vmmprof_name_program(struct vmmprof_names *n, __u32 proc, char *buf,
			  size_t size);
void vmmprof_name_sort(struct vmmprof_names *n,
		       const struct vmmprof_cell_key *key,
		       enum vmmprof_sort sort, char *buf, size_t size);

/*
 * Number of the source line of a cell, 1 + id in n->lines; where there is
 * none, of its function and module.  0 without memory.
 */
__u64 vmmprof_name_line(struct vmmprof_names *n,
			const struct vmmprof_cell_key *key);

/* Number of the container of a process in n->containers, VMMPROF_NONE. */
__u32 vmmprof_name_container(const struct vmmprof_names *n, __u32 proc);

/* The machine's name: "host" or the guest's. */
void vmmprof_name_machine(struct vmmprof_names *n, __u32 machine, char *buf,
			  size_t size);

/* Key of a name as given to --sort; -1 if there is none. */
int vmmprof_sort_by_name(const char *name, size_t len);
/* Its name, and its column's heading. */
const char *vmmprof_sort_name(enum vmmprof_sort sort);
const char *vmmprof_sort_heading(enum vmmprof_sort sort);

/* Marks the one row of a guest in the host-level view. */
static inline bool vmmprof_is_guest_row(const struct vmmprof_cell_key *key,
					const struct vmmprof_selection *sel)
{
	return !sel->machine && key->guest;
}

/* Is a cell of the selection? */
bool vmmprof_selected(const struct vmmprof_names *n,
		      const struct vmmprof_selection *sel,
		      const struct vmmprof_cell_key *key);

/* The part of such a cell's key that its row has. */
struct vmmprof_cell_key vmmprof_table_row(struct vmmprof_names *n,
					  const struct vmmprof_selection *sel,
					  const struct vmmprof_cell_key *key);

/* Group the cells.  0 or -ENOMEM; deinit is due in either case. */
int vmmprof_table_init(struct vmmprof_table *t, struct vmmprof_names *n,
		       const struct vmmprof_selection *sel);
void vmmprof_table_deinit(struct vmmprof_table *t);

/*
 * Processes of the selection, most samples first; *ret is to be freed.  The
 * number of them, or -ENOMEM.
 */
int vmmprof_table_processes(struct vmmprof_names *n,
			    const struct vmmprof_selection *sel,
			    struct vmmprof_table_process **ret);

#endif /* VMMPROF_VIEW_TABLE_H */
