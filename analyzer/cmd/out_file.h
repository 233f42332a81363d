/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A verb's output file (-o FILE), opened while the process still has the
 * rights of its user: before the session is.
 */
#ifndef VMMPROF_CMD_OUTFILE_H
#define VMMPROF_CMD_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

struct vmmprof_outfile {
	const char *verb; /* for messages */
	const char *name; /* NULL: standard output */
	FILE *out;
};

/*
 * Open it; what it has stays until vmmprof_outfile_begin().  @binary: no
 * terminal.  False, with a message, if it cannot be written.
 */
bool vmmprof_outfile_open(struct vmmprof_outfile *o, bool binary);

/* Now comes the output: empty the file.  0 or -errno. */
int vmmprof_outfile_begin(struct vmmprof_outfile *o);

/* All of it was written.  @err: of writing.  The exit status, with a message. */
int vmmprof_outfile_end(struct vmmprof_outfile *o, int err);

#endif /* VMMPROF_CMD_OUTFILE_H */
