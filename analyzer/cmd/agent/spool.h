/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A directory of windows' profiles, which another program takes from there.  It is
 * bounded by bytes and age, and what is dropped is counted with the reason.
 */
#ifndef CMD_AGENT_SPOOL_H
#define CMD_AGENT_SPOOL_H

#include <linux/types.h>

#define SPOOL_FILE_MAX (16u << 20) /* bytes of one profile */

enum spool_drop {
	DROP_AGE,   /* too old */
	DROP_SIZE,  /* the oldest, of too many bytes */
	DROP_LARGE, /* more than SPOOL_FILE_MAX */
	DROP_WRITE, /* it could not be written, or made */
	NR_DROPS
};

struct spool {
	int dirfd;
	__u64 max_bytes, max_age_ns;
	/* since the beginning; of other ones, too, that were found there */
	__u64 produced, dropped[NR_DROPS];
	/* now */
	__u64 files, bytes;
};

/* One word. */
const char *spool_drop_key(unsigned int why);

/*
 * Opens the directory, makes it if only its last part is missing (mode 0750).
 * 0 or -errno.
 */
int spool_open(struct spool *s, const char *dir);
void spool_close(struct spool *s);

/*
 * Keeps what @from holds as the profile of a window that began at @real_ns
 * (CLOCK_REALTIME), and drops what is too much or, at @now_ns, too old.  @from:
 * -1, there is none because it could not be made.  A profile that is not kept is
 * counted as dropped.  0 or -errno.
 */
int spool_put(struct spool *s, int from, __u64 real_ns, __u64 now_ns);

/*
 * Writes @size bytes of @from and then the text @more as a file of that name,
 * which has all of it or is what it was.  @tmp: another name in @dirfd, which
 * nobody reads.  0 or -errno.
 */
int spool_write_file(int dirfd, const char *tmp, const char *name, int from,
		     __u64 size, const char *more);

#endif /* CMD_AGENT_SPOOL_H */
