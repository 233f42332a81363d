/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session as a list: one entry for each vCPU, process, module, function and
 * mode that has samples, and for the time of each vCPU without guest code.
 * What a report's tables show, so that every export has the same numbers.
 */
#ifndef VMMPROF_VIEW_ENTRIES_H
#define VMMPROF_VIEW_ENTRIES_H

#include "view/report.h"

/* What the time was spent in; beyond HOST: as struct vmmprof_time_rows. */
enum vmmprof_entry_state {
	VMMPROF_ENTRY_GUEST,
	VMMPROF_ENTRY_HOST,
	VMMPROF_ENTRY_PART, /* + enum vmmprof_time_part */
	VMMPROF_NR_ENTRY_STATES = VMMPROF_ENTRY_PART + VMMPROF_NR_PARTS
};

struct vmmprof_entry {
	__u32 machine; /* 0: host, else 1 + index of the guest */
	__u32 vcpu;    /* VMMPROF_NONE: none, or not known */
	__u32 pid;     /* VMMPROF_NONE: none, or not known */
	/* ids in .names, safe to print; process: VMMPROF_NONE if not known */
	__u32 guest, process, module, function;
	__u32 program; /* the process without the number behind its name */
	__u8 state;    /* enum vmmprof_entry_state */
	__u8 mode;     /* enum vmmprof_mode, of samples */
	__u8 cause;    /* enum vmmprof_cause, of samples */
	bool exact;    /* by switch records, not by samples */
	__u64 samples;
};

struct vmmprof_entries {
	struct vmmprof_strings names;
	struct vmmprof_entry *entries; /* by machine; samples before time */
	size_t nr, cap;
	__u64 samples; /* of all entries */
	/* by vmmprof_entries_init_maps(), else NULL */
	__u32 *of_cell;	 /* cell of the profile -> entry, VMMPROF_NONE */
	__u32 *of_track; /* first one of its time, and the one behind the last */
};

/*
 * The entries of a report whose names are there: its guests, vCPU, process
 * and event; its sort keys do not matter.  0 or -ENOMEM; deinit is due in
 * either case.
 */
int vmmprof_entries_init(struct vmmprof_entries *es,
			 const struct vmmprof_report *r);
/* The same, and which entry what was counted is in. */
int vmmprof_entries_init_maps(struct vmmprof_entries *es,
			      const struct vmmprof_report *r);
void vmmprof_entries_deinit(struct vmmprof_entries *es);

/* One word, never NULL. */
const char *vmmprof_entry_state_key(unsigned int state);
/* "kernel", "user", "unknown"; NULL of time without samples. */
const char *vmmprof_entry_mode_key(const struct vmmprof_entry *e);

#endif /* VMMPROF_VIEW_ENTRIES_H */
