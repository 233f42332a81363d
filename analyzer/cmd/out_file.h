/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A verb's output file (-o FILE), opened while the process still has the
 * rights of its user: before the session is.
 */
#ifndef CMD_OUT_FILE_H
#define CMD_OUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct out_file {
	const char *verb; /* for messages */
	const char *name; /* NULL: standard output */
	FILE *out;
};

/*
 * Open it; what it has stays until out_file_begin().  @binary: no
 * terminal.  False, with a message, if it cannot be written.
 */
bool out_file_open(struct out_file *o, bool binary);

/* Now comes the output: empty the file.  0 or -errno. */
int out_file_begin(struct out_file *o);

/* All of it was written.  @err: of writing.  The exit status, with a message. */
int out_file_end(struct out_file *o, int err);

#endif /* CMD_OUT_FILE_H */
