/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session as a list: one entry for each vCPU, process, module, function and
 * mode that has samples, and for the time of each vCPU without guest code.  The
 * same numbers as in a report's tables, for every export.
 */
#ifndef VIEW_ENTRIES_H
#define VIEW_ENTRIES_H

#include "view/report.h"

/* What the time was spent in; beyond HOST: as struct time_rows. */
enum entry_state {
	ENTRY_GUEST,
	ENTRY_HOST,
	ENTRY_PART, /* + enum time_part */
	NR_ENTRY_STATES = ENTRY_PART + NR_PARTS
};

struct entry {
	__u32 machine; /* 0: host, else 1 + index of the guest */
	__u32 vcpu;    /* VMMPROF_NONE: none, or not known */
	__u32 pid;     /* VMMPROF_NONE: none, or not known */
	/* ids in .names, safe to print; process: VMMPROF_NONE if not known */
	__u32 guest, process, module, function;
	__u32 program;	 /* the process without the number behind its name */
	__u32 container; /* id in .names; VMMPROF_NONE: in none, or not known */
	__u32 tid;	 /* 1 + thread, of a pass with KEEP_TID; 0: not known */
	__u8 state;	 /* enum entry_state */
	__u8 mode;	 /* enum mode, of samples */
	__u8 cause;	 /* enum cause, of samples */
	bool exact;	 /* by switch records, not by samples */
	bool polls;	 /* a halt in which the host polls */
	/*
	 * Of guests in a timed report: ticks of the vCPU, which sum to its time
	 * in the state as `vmmprof steal` has it.
	 */
	__u64 ticks;
	/*
	 * The same, and sums as exact: of guests by ticks; else by samples and
	 * the period, 0 if that is not known.  If it is not known how long a
	 * tick is, as if it were a nanosecond.
	 */
	__u64 ns;
	/* of steal, by entries_init_thieves(), else VMMPROF_NONE */
	__u32 thief;   /* id in .names of who took the time */
	__u32 stolen;  /* number in the timeline's .thieves.stolen */
	__u64 samples; /* that were taken, of time often 0 */
};

struct entries {
	struct strings names;
	struct entry *entries; /* by machine; samples before time */
	size_t nr, cap;
	__u64 samples; /* of all entries */
	bool timed;    /* guests' have ticks */
	bool by_thief; /* steal has an entry for each thief */
	/* by entries_init_maps() and so on, else NULL */
	__u32 *of_bucket; /* bucket of the profile -> entry, VMMPROF_NONE */
	__u32 *of_track; /* first one of its time, and the one behind the last */
};

/*
 * The entries of a report whose names are there: its guests, vCPU, process
 * and event; its sort keys do not matter.  0 or -ENOMEM; deinit is due in
 * either case.
 */
int entries_init(struct entries *es, const struct report *r);
/* The same, and which entry what was counted is in. */
int entries_init_maps(struct entries *es, const struct report *r);
/* One of these, with an entry for each thief of each vCPU. */
int entries_init_thieves(struct entries *es, const struct report *r, bool maps);
void entries_deinit(struct entries *es);

/* The entries [*from, *to) are those of a guest, or all of them (0). */
void entries_of(const struct entries *es, __u32 machine, size_t *from,
		size_t *to);

/* Is it time without a sample of guest code? */
static inline bool entry_is_time(const struct entry *e)
{
	return e->state >= ENTRY_PART;
}

/* Is it time, by switch records, in which a vCPU waited or slept? */
static inline bool entry_sleeps(const struct entry *e)
{
	return e->exact && (e->state == ENTRY_PART + PART_STEAL ||
			    e->state == ENTRY_PART + PART_HALT ||
			    e->state == ENTRY_PART + PART_BLOCKED);
}

/* Is it time in which the host ran for a vCPU, because of a VM exit? */
static inline bool entry_is_exit(const struct entry *e)
{
	return e->state == ENTRY_PART + PART_VMM || e->polls;
}

/* Of an entry of a guest: where `vmmprof steal` has its time. */
static inline enum steal_column entry_column(const struct entry *e)
{
	return entry_is_time(e) ? time_part_column(e->state - ENTRY_PART) :
				  COLUMN_GUEST;
}

/* One word, never NULL. */
const char *entry_state_key(unsigned int state);
/* "kernel", "user", "unknown"; NULL of time without samples. */
const char *entry_mode_key(const struct entry *e);

#endif /* VIEW_ENTRIES_H */
