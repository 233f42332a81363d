/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recorder of `vmmprof top` and `vmmprof agent`: it records, as `vmmprof
 * record` does, into a directory in memory whose record files are emptied
 * after each tick, when the reader has read them.
 */
#ifndef CMD_TOP_RECORDER_H
#define CMD_TOP_RECORDER_H

#include "cmd/record/recording.h"
#include "cmd/top/fetch.h"
#include "cmd/top/protocol.h"

struct top_recorder {
	struct recording r;
	struct top_fetch fetch;
	char dir[64];
	bool reading;	/* the other one reads the record files */
	bool forgotten; /* that r.told has no room for all was said */
	__u64 worked_ns, tick_ns, cpu_ns, host_ns, lost;
	off_t host_size, host_first;
	unsigned int gone; /* VMs that ended since this reader began */
	/* vCPUs' threads that ended since sampling began: info has them still */
	struct top_gone *ended;
	size_t nr_ended, cap_ended;
};

/*
 * Makes the session's directory, in memory if possible, named after @verb.  0, or
 * -errno with a message.  @o: its options get that place.
 */
int top_recorder_init(struct top_recorder *t, const char *verb,
		      struct top_options *o, int argc, char **argv);

/* Ends sampling and removes everything. */
void top_recorder_deinit(struct top_recorder *t);

/*
 * Begins to sample; @again: to a reader that is new.  Prints its errors; 0 or
 * -errno.
 */
int top_recorder_begin(struct top_recorder *t, bool again);

/* Tells the reader when sampling began.  0 or -errno. */
int top_recorder_first(struct top_recorder *t, int fd);

/* The first interval begins now. */
void top_recorder_count(struct top_recorder *t);

/* Does all that goes on, but the draining, if it is due.  0 or -errno. */
int top_recorder_work(struct top_recorder *t, __u64 now);

/*
 * Has the reader read what there is: until top_recorder_empty() its files stay.
 * @tick: .more and .real_ns are the caller's.  0 or -errno.
 */
int top_recorder_tick(struct top_recorder *t, int fd, struct top_tick *tick);

/*
 * The reader has read: empties the record files.  @again: another one reads them from
 * now on.  0 or -errno.
 */
int top_recorder_empty(struct top_recorder *t, bool again);

/*
 * The host's maps have grown, or so many VMs have come and gone, that another
 * reader is due: it has nothing of them.
 */
bool top_recorder_grown(const struct top_recorder *t);

/* Nanoseconds of CLOCK_MONOTONIC at which top_recorder_work() is due. */
__u64 top_recorder_due(const struct top_recorder *t);

/* CPU time of this process and of ended ones that fetched guests' maps. */
__u64 top_recorder_cpu_ns(void);

#endif /* CMD_TOP_RECORDER_H */
