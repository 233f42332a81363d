/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `vmmprof top`, the recorder: other processes fetch guests' maps and send them
 * to the reader; what is read of guests' memory is sent, too.
 */
#ifndef CMD_TOP_FETCH_H
#define CMD_TOP_FETCH_H

#include "cmd/record/recording.h"
#include "cmd/top/options.h"
#include "transport/refresh.h"

struct top_fetch {
	struct refresh refresh;
	const struct top_options *o;
	bool on;     /* guests are asked */
	bool memory; /* they are read */
	__u64 looked_ns;
};

/* Before the reader is forked: o->notes is its end. */
int top_fetch_open(struct top_fetch *f, struct top_options *o);

/* In the recorder, once the reader is forked: its end is the reader's only. */
void top_fetch_forked(struct top_options *o);

/* Once the VMs are known.  Prints a warning if nobody can be asked. */
void top_fetch_begin(struct top_fetch *f, struct recording *r);

/* Starts fetches that are due, reaps ended ones, sends what was read. */
void top_fetch_run(struct top_fetch *f, struct recording *r, __u64 now_ns);

/* Takes the reader's requests after a tick.  0 or -errno. */
int top_fetch_wants(struct top_fetch *f, int fd);

/* Ends all fetches; it can be opened again. */
void top_fetch_close(struct top_fetch *f);

#endif /* CMD_TOP_FETCH_H */
