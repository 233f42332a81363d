/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files from debuginfod(8) servers: for which build-ids a server is asked, and
 * which answers are used.  Build-ids of a guest's files tell which programs run
 * there, so they are sent only if the user allows it.
 */
#ifndef CODE_SERVER_H
#define CODE_SERVER_H

#include <stdbool.h>
#include <linux/types.h>

#include "sandbox/debuginfod.h"

struct code_server {
	struct debuginfod broker;
	int none;    /* -errno: why none is asked, 0: it is asked */
	bool guests; /* for their files as well */
};

/* A file as a server may have it. */
struct code_id {
	struct code_server *server; /* NULL: not to be asked */
	bool guest;		    /* it is a guest's file */
	const __u8 *build_id;
	size_t size;
};

/*
 * Ask.  The file then can be opened as *name (format/preopen.h).  0: its build-id
 * is the one that was asked for; -ESTALE: it is another one; -EPERM: it is a
 * guest's, and the server is not asked; or as debuginfod_start() and
 * debuginfod_get().
 */
int code_server_get(const struct code_id *id, enum debuginfod_kind kind,
		    char *name, size_t size);

/* A descriptor of a source file, or -errno. */
int code_server_source(const struct code_id *id, const char *path);

/* Why it was not asked, and what to do about it; "": nothing to say. */
const char *code_server_why(int err);

#endif /* CODE_SERVER_H */
