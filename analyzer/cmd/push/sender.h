/* SPDX-License-Identifier: GPL-2.0-only */
/* Sends windows of profiles, and notes in the book what became of each. */
#ifndef CMD_PUSH_SENDER_H
#define CMD_PUSH_SENDER_H

#include "cmd/agent/book.h"
#include "cmd/agent/spool_file.h"
#include "cmd/push/options.h"

struct sender {
	const struct push_options *how;
	struct store *store;
	int dirfd; /* the spool */
	struct book book;
	__u64 wait_ns; /* between tries; 0: the last one went well */
	bool told;     /* that profiles are refused, of this window */
	bool dropped;  /* some were: they are not in the store */
};

/* Both return an exit status; what went wrong is printed.  @fd: an archive. */
int sender_session(struct sender *s, int fd);

/* Until SIGTERM or SIGINT, or all has been tried.  @dirfd: the spool. */
int sender_spool(struct sender *s, int dirfd);

#endif /* CMD_PUSH_SENDER_H */
