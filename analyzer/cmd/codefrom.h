/* SPDX-License-Identifier: GPL-2.0-only */
/* Where verbs that show instructions take code from: --code-from, --debuginfod. */
#ifndef VMMPROF_CMD_CODEFROM_H
#define VMMPROF_CMD_CODEFROM_H

#include "../model/codefind.h"

#define VMMPROF_CODE_FROM_MAX 64

struct vmmprof_code_from {
	const char *paths[VMMPROF_CODE_FROM_MAX];
	size_t nr;
};

/* Another FILE; false, with a message, if there are too many. */
bool vmmprof_code_from_add(struct vmmprof_code_from *f, const char *verb,
			   const char *arg);

/*
 * Before the process gives up its rights: open these files, and what only root
 * may read.  False, with a message, if a file that was named cannot be.
 */
bool vmmprof_code_from_open(const struct vmmprof_code_from *f,
			    const char *verb);

/*
 * Before that, too: start the process that asks debuginfod servers, if there
 * are any to ask; else @s says why not.  What takes long is told on a terminal.
 */
void vmmprof_code_from_server(struct vmmprof_code_server *s);

static inline struct vmmprof_code_files
vmmprof_code_from_files(const struct vmmprof_code_from *f)
{
	return (struct vmmprof_code_files){ f->paths, f->nr, NULL };
}

#endif /* VMMPROF_CMD_CODEFROM_H */
