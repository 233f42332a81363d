/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A directory of windows' profiles, which another program takes from there.  It is
 * bounded by bytes and age, and what is dropped is counted with the reason.  At any
 * time, also when a process is killed,
 *
 *	produced = sent + in the directory + dropped, by the agent or by push
 *
 * by the two books and the names of files: a file counts as many profiles as its
 * name says, but for those of push's that its book has done already.
 */
#ifndef CMD_AGENT_SPOOL_H
#define CMD_AGENT_SPOOL_H

#include "cmd/agent/book.h"
#include "cmd/agent/spool_file.h"

enum spool_drop {
	DROP_AGE,   /* too old */
	DROP_SIZE,  /* the oldest, of too many bytes */
	DROP_LARGE, /* more than SPOOL_FILE_MAX */
	DROP_WRITE, /* it could not be written, or made */
	NR_DROPS
};

/* Counts and names of the agent's book; the drops are the first counts. */
enum { SPOOL_PRODUCED = NR_DROPS, NR_SPOOL_COUNTS };
enum { SPOOL_NAME_NEW, SPOOL_NAME_GONE };

struct spool {
	int dirfd;
	__u64 max_bytes, max_age_ns;
	struct book book; /* of all agents since the directory was made */
	/* now, with all of a window that push has taken */
	__u64 profiles, bytes;
};

/* One word. */
const char *spool_drop_key(unsigned int why);

/*
 * Opens the directory, makes it if only its last part is missing (mode 0750).
 * @gid: of the group that may take files from there; -1: as it is.  What a killed
 * agent left is brought to its end.  0 or -errno; spool_close() is due in
 * either case.
 */
int spool_open(struct spool *s, const char *dir, int gid);
void spool_close(struct spool *s);

/*
 * Keeps what @from holds as the @profiles of a window that began at @real_ns
 * (CLOCK_REALTIME), and drops what is too much or, at @now_ns, too old.  @from:
 * -1, it could not be made.  A window that is not kept is counted as
 * dropped; one of no profiles is none.  0 or -errno.
 */
int spool_put(struct spool *s, int from, __u32 profiles, __u64 real_ns,
	      __u64 now_ns);

/*
 * Writes @size bytes of @from and then the text @more as a file of that name,
 * which has all of it or is what it was.  @tmp: another name in @dirfd, which
 * nobody reads.  0 or -errno.
 */
int spool_write_file(int dirfd, const char *tmp, const char *name, int from,
		     __u64 size, const char *more);

#endif /* CMD_AGENT_SPOOL_H */
