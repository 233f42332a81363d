/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `vmmprof export`: a session's entries in the formats of other programs.
 * Each format is one function over the same entries.
 */
#ifndef VIEW_EXPORT_H
#define VIEW_EXPORT_H

#include <stdio.h>

#include "view/chain_stacks.h"
#include "view/time_chains.h"

struct export_data {
	const struct report *r;
	const struct entries *entries;
	char event[256];   /* name of what all entries are of, safe to print */
	__u64 khz;	   /* of the host's TSC, 0: not known */
	__u64 period_ns;   /* between two samples; 0: it counts no time */
	__u64 sample_ns;   /* what the host's weigh, as their entries' .ns */
	__u64 duration_ns; /* of the time that is counted, 0: not known */
	__u64 real_ns;	   /* CLOCK_REALTIME at its start, 0: not known */
	bool timed;	   /* guests have time; weights are nanoseconds */
	/* of folded stacks, above functions: names of things as of sort keys */
	const enum sort *levels;
	size_t nr_levels;
	const struct chain_stacks *stacks; /* NULL: functions alone */
	struct chain_inlines *inlines;	  /* of .stacks, of pprof; NULL: none */
	const struct time_chains *chains; /* of .over; NULL: none */
	const struct time_series *over;	  /* formats in the order of time */
};

/* From a finished pass; @tl for the period.  What it points to stays there. */
void export_init(struct export_data *x, const struct report *r,
		 const struct entries *entries, const struct timeline *tl);

/*
 * All write to out; speedscope and firefox want x->over.  0, -ENOMEM or -EIO;
 * other errors of out are the caller's to look for.
 */
int export_folded(const struct export_data *x, FILE *out);
int export_csv(const struct export_data *x, FILE *out);
int export_json(const struct export_data *x, FILE *out);
int export_speedscope(const struct export_data *x, FILE *out);
int export_firefox(const struct export_data *x, FILE *out);
int export_pprof(const struct export_data *x, FILE *out);

/*
 * How many of the parts from @from on (x->over) belong to one vCPU, or to no
 * vCPU.
 */
size_t export_vcpu_parts(const struct export_data *x, size_t from);

/* The entry of a part. */
static inline const struct entry *export_entry(const struct export_data *x,
					       size_t part)
{
	return &x->entries->entries[x->over->parts[part].entry];
}

/*
 * Is an entry one of its own beside the stacks?  Those of samples are in them,
 * and so is what VM exits have of a vCPU's time in host mode; and time in which it
 * did not run, if that has chains.
 */
bool export_beside_stacks(const struct export_data *x, const struct entry *e);

/*
 * Had it no CPU?  @state: enum entry_state.  Time of which that is not known
 * counts as such, too: it would be wrong as time that was used.
 */
static inline bool export_off_cpu(unsigned int state)
{
	return state >= ENTRY_PART && state != ENTRY_PART + PART_VMM &&
	       state != ENTRY_PART + PART_GUEST;
}

/* What it weighs: nanoseconds, or samples of a session without time. */
static inline __u64 export_weight(const struct export_data *x,
				  const struct entry *e)
{
	return x->timed ? e->ns : e->samples;
}

/*
 * The same of its part @p of x->over; @sums, of its vCPU by column, begin as
 * zeroes.  @sample_ns: what a sample of the host weighs, if x->timed.
 */
__u64 export_part_weight(const struct export_data *x,
			 const struct time_series_part *p, __u64 sample_ns,
			 struct ns_sum sums[STEAL_COLUMNS]);

/* Names of an entry, safe to print; "-" for what it has none of. */
const char *export_name(const struct export_data *x, __u32 id);
/* Print a frame of folded stacks; what ends a frame is escaped as \xNN. */
void export_frame(FILE *out, const char *name);
/* "vCPU 0", or "-"; at least 16 bytes. */
void export_vcpu(const struct entry *e, char *buf, size_t size);

#endif /* VIEW_EXPORT_H */
