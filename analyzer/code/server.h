/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that a debuginfod(8) server has: for which build-ids one is asked, and
 * what is taken of its answers.  Build-ids of a guest's files tell what runs
 * there, so of these none is sent unless the user says so.
 */
#ifndef VMMPROF_MODEL_CODESERVER_H
#define VMMPROF_MODEL_CODESERVER_H

#include <stdbool.h>
#include <linux/types.h>

#include "sandbox/debuginfod.h"

struct vmmprof_code_server {
	struct vmmprof_debuginfod desk;
	int none;    /* -errno: why none is asked, 0: it is asked */
	bool guests; /* for their files as well */
};

/* A file as a server may have it. */
struct vmmprof_code_id {
	struct vmmprof_code_server *server; /* NULL: nobody wants it asked */
	bool guest;			    /* it is a guest's file */
	const __u8 *build_id;
	size_t size;
};

/*
 * Ask.  The file then can be opened as *name (format/preopen.h).  0: its build-id
 * is the one that was asked for; -ESTALE: it is another one; -EPERM: it is a
 * guest's, and the server is not asked; or as vmmprof_debuginfod_start() and
 * vmmprof_debuginfod_get().
 */
int vmmprof_code_server_get(const struct vmmprof_code_id *id,
			    enum vmmprof_debuginfod_kind kind, char *name,
			    size_t size);

/* A descriptor of a source file, or -errno. */
int vmmprof_code_server_source(const struct vmmprof_code_id *id,
			       const char *path);

/* Why not, and what to do about it.  "": nobody wants to know. */
const char *vmmprof_code_server_why(int err);

#endif /* VMMPROF_MODEL_CODESERVER_H */
