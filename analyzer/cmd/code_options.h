/* SPDX-License-Identifier: GPL-2.0-only */
/* Where verbs that show instructions take code from: --code-from, --debuginfod. */
#ifndef VMMPROF_CMD_CODEFROM_H
#define VMMPROF_CMD_CODEFROM_H

#include "code/find.h"

#define VMMPROF_CODE_FROM_MAX 64

struct vmmprof_code_from {
	const char *paths[VMMPROF_CODE_FROM_MAX];
	size_t nr;
	struct vmmprof_code_server server;
	/* that; NULL: it is not asked, and nothing is said of it */
	struct vmmprof_code_server *asked;
	bool no_server; /* the user wants none to be asked */
	struct vmmprof_kernel_text kernel;
	bool has_kernel; /* that was started */
};

/* Another FILE; false, with a message, if there are too many. */
bool vmmprof_code_from_add(struct vmmprof_code_from *f, const char *verb,
			   const char *arg);

/*
 * Before the process gives up its rights: open these files and the session
 * @dir, of which is known then whose it is.  For root and a session that is
 * root's start the process that has the running kernel's code.  False, with a
 * message, if a file that was named cannot be opened.
 */
bool vmmprof_code_from_open(struct vmmprof_code_from *f, const char *verb,
			    const char *dir);

/* --debuginfod=WHICH; false, with a message, if it is wrong. */
bool vmmprof_code_from_which(struct vmmprof_code_from *f, const char *verb,
			     const char *arg);

/*
 * Before that, too: start the process that asks debuginfod servers, if the user
 * wants it and there are any.  One file may take @seconds; @tell: what takes
 * long is told on a terminal.
 */
void vmmprof_code_from_server(struct vmmprof_code_from *f, int seconds,
			      bool tell);
void vmmprof_code_from_end(struct vmmprof_code_from *f);

static inline struct vmmprof_code_files
vmmprof_code_from_files(struct vmmprof_code_from *f)
{
	return (struct vmmprof_code_files){ .paths = f->paths,
					    .nr = f->nr,
					    .kernel = f->has_kernel ?
							      &f->kernel :
							      NULL,
					    .server = f->asked };
}

#endif /* VMMPROF_CMD_CODEFROM_H */
