/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What became of profiles, in a file of the spool: numbers, and the window of the
 * last change.  A process that is killed finds there, and in the names of files,
 * how far it was, so each profile counts once.
 */
#ifndef CMD_AGENT_BOOK_H
#define CMD_AGENT_BOOK_H

#include <stddef.h>

#include <linux/types.h>

#define BOOK_COUNTS 8
#define BOOK_NAMES  2
#define BOOK_NAME   32	/* bytes of a window's name, with the NUL */
#define BOOK_BYTES  512 /* of the file, which is written by one system call */

/* What a book has: NULL behind the last. */
struct book_form {
	const char *file;
	const char *counts[BOOK_COUNTS + 1];
	const char *names[BOOK_NAMES + 1];
};

struct book {
	const struct book_form *form;
	int fd; /* -1: none */
	__u64 count[BOOK_COUNTS];
	char name[BOOK_NAMES][BOOK_NAME];
};

/*
 * Opens the book of a directory, or makes it, of zeroes.  What is in the file may
 * be anybody's: what is no such book is -EINVAL.  0 or -errno; book_close() is due
 * in either case.
 */
int book_open(struct book *b, const struct book_form *form, int dirfd);

/* The same to read what another process writes; none is made: -ENOENT. */
int book_look(struct book *b, const struct book_form *form, int dirfd);

/* 0 or -errno: then the file has what it had. */
int book_write(const struct book *b);
void book_close(struct book *b);

#endif /* CMD_AGENT_BOOK_H */
