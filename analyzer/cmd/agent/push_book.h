/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The book of `vmmprof push`: what it did with the profiles of a spool.  Its name is
 * the window that it has taken, and PUSH_AT how many of that are done.
 */
#ifndef CMD_AGENT_PUSH_BOOK_H
#define CMD_AGENT_PUSH_BOOK_H

#include "cmd/agent/book.h"

/* Why a profile is dropped; the first counts. */
enum push_drop {
	PUSH_OLD,     /* it was sent too late */
	PUSH_REFUSED, /* by the store */
	PUSH_BROKEN,  /* it cannot be read */
	NR_PUSH_DROPS
};

enum { PUSH_SENT = NR_PUSH_DROPS, PUSH_FAILED, PUSH_AT };

extern const struct book_form push_book_form;

/* One word. */
const char *push_drop_key(unsigned int why);

#endif /* CMD_AGENT_PUSH_BOOK_H */
