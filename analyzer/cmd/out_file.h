/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A verb's output file (-o FILE).  It is opened before the session, while the
 * process still has the rights of its user.
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
 * Open it; its content stays until out_file_begin().  @binary: not to a
 * terminal.  False, with a message, if it cannot be written.
 */
bool out_file_open(struct out_file *o, bool binary);

/* Empty the file, before output is written.  0 or -errno. */
int out_file_begin(struct out_file *o);

/* Close it.  @err: of writing.  The exit status; an error is printed. */
int out_file_end(struct out_file *o, int err);

#endif /* CMD_OUT_FILE_H */
