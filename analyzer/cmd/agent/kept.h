/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The newest records, on disk: `vmmprof agent` adds them as they come, as bytes,
 * and removes the oldest; `vmmprof agent freeze` makes a session of them.
 *
 * The directory holds "session", a text with the path of the session that the
 * agent records into; "until", the TSC up to which all records are there; and for
 * each stretch of time a directory, called by the TSC from which on all records
 * are in it or in later ones, with a file cpu-N of each CPU's records, the first of
 * which say again what was told before and may still be referred to, and "states",
 * items of what state each vCPU was in at its beginning.  "hosts" is
 * cmd/agent/kept_hosts.h's.
 */
#ifndef CMD_AGENT_KEPT_H
#define CMD_AGENT_KEPT_H

#include <linux/types.h>

#include "base/error.h"
#include "format/session_writer.h"
#include "host/told.h"

struct kept {
	int dirfd;
	__u64 max_bytes;
	__u64 max_ticks; /* of the TSC */
	/* Writes the states of all vCPUs now; NULL: none are known. */
	void (*states)(void *arg, struct session_writer *w);
	void *states_arg;
	const struct told *told; /* before what the files have; NULL: unknown */
	int until;		 /* the file */
	int session; /* ... whose lock a freeze holds: nothing is removed then */
	int now;     /* directory of the stretch that goes on, -1: none */
	__u64 from;  /* it began */
	__u64 bytes; /* ... has so far */
	__u64 held;  /* bytes that came while a freeze had the lock */
	int *files;  /* of it, by CPU; -1: none yet */
	unsigned int nr_files;
};

/* Nothing is open: what a struct kept is before kept_open(). */
#define KEPT_NONE \
	((struct kept){ .dirfd = -1, .until = -1, .session = -1, .now = -1 })

/*
 * Opens a directory that is made, for the user alone, if only its last part is missing.
 * The descriptor, which the caller closes; -EPERM: others may write there; or -errno.
 */
int kept_own_dir(const char *dir);

/*
 * Makes the directory as kept_own_dir() does, and removes what another agent left.
 * @session: path of the session, @nr: of its record files.
 * The bounds, .states and .told are the caller's to set afterwards.  0 or -errno;
 * kept_close() is due in either case.
 */
int kept_open(struct kept *r, const char *dir, const char *session,
	      unsigned int nr);
/* ... removes "session", too: there is nothing to freeze without an agent. */
void kept_close(struct kept *r);

/*
 * Adds what the record files hold behind their headers.  @until: TSC of a time
 * before they were written; @now: of a time after that.  @cpus: their CPUs.  0 or
 * -errno: then stretches that are not whole have been removed.
 */
int kept_add(struct kept *r, const int *records, const __u32 *cpus, __u64 until,
	     __u64 now);

/*
 * Has @renew begin the session's file `host` anew, of which @host is the old one,
 * open for reading, and keeps that; records go on.  @now: TSC.  What @renew
 * returns.  *kept: 0, or -errno: the old one could not be kept, so nothing is.
 */
int kept_renew(struct kept *r, int host, __u64 now, int (*renew)(void *arg),
	       void *arg, int *kept);

/*
 * Makes a session of all that is there, at @to, which must not be there.  0, or
 * -errno with words in @e.
 */
int kept_freeze(const char *dir, const char *to, struct error *e);

#endif /* CMD_AGENT_KEPT_H */
