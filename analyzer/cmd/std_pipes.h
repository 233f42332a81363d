/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Standard input, output and error of the reader, which never has the user's
 * terminal or files.  Its input is empty.  Its output goes through pipes to the
 * parent, which copies it.
 */
#ifndef CMD_STD_PIPES_H
#define CMD_STD_PIPES_H

#include <pthread.h>
#include <stdbool.h>

#include "cmd/terminal_filter.h"

struct std_pipes {
	struct stdpipe {
		int from, to; /* the pipe's ends, -1: closed */
		int out;      /* 1 or 2: where it is copied to */
		int error;    /* errno of writing there */
		bool runs;
		bool filtered; /* it is read on a terminal */
		struct terminal_filter filter;
		pthread_t thread;
	} pipe[2];
	bool one; /* output and error are one file: one pipe keeps the order */
};

/* To be called before the reader is forked.  0 or -errno. */
int std_pipes_open(struct std_pipes *p);

/* In the reader.  Output that ends at a terminal is buffered by line. */
int std_pipes_use(struct std_pipes *p);

/* In the parent, after the fork: copy from now on.  0 or -errno. */
int std_pipes_copy(struct std_pipes *p);

/*
 * In the parent, after the reader ended.  @wait: wait until all of its output
 * is copied, however long that takes.  0, or -errno of standard output.
 */
int std_pipes_close(struct std_pipes *p, bool wait);

/*
 * Is standard input, output or error (0 to 2) a terminal?  The parent finds
 * out, and the processes that it forks afterwards know it.
 */
void terminal_look(void);
bool terminal_is(int fd);

/*
 * Columns that a line of standard output may have: the terminal's, 80 where
 * there is none.  May text there have more than ASCII?
 */
unsigned int terminal_columns(void);
bool terminal_utf8(void);

#endif /* CMD_STD_PIPES_H */
