/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Standard input, output and error of a process that reads foreign bytes: it
 * never has the user's terminal or files.  Its input is empty; what it prints
 * goes through pipes to its parent, which copies it.
 */
#ifndef CMD_STD_PIPES_H
#define CMD_STD_PIPES_H

#include <pthread.h>
#include <stdbool.h>

struct std_pipes {
	struct stdpipe {
		int from, to; /* the pipe's ends, -1: closed */
		int out;      /* 1 or 2: where it is copied to */
		int error;    /* errno of writing there */
		bool runs;
		pthread_t thread;
	} pipe[2];
	bool one; /* output and error are one file: one pipe keeps the order */
};

/* Before the other process is there.  0 or -errno. */
int std_pipes_open(struct std_pipes *p);

/* In the other process, which prints line by line where a terminal is. */
int std_pipes_use(struct std_pipes *p);

/* In its parent, once the other one is there: copy from now on.  0 or -errno. */
int std_pipes_copy(struct std_pipes *p);

/*
 * After the other one has ended.  @wait: all that it printed is copied, however
 * long its reader takes.  Returns 0, or -errno of standard output.
 */
int std_pipes_close(struct std_pipes *p, bool wait);

/*
 * Which of standard input, output and error (0 to 2) is a terminal: looked at
 * by who has them, known to the processes that it starts then.
 */
void terminal_look(void);
bool terminal_is(int fd);

#endif /* CMD_STD_PIPES_H */
