/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A path, gone along step by step, where it matters who made the links on it
 * and who may pass its directories: the kernel alone follows whatever is there.
 */
#ifndef VMMPROF_DATA_WALK_H
#define VMMPROF_DATA_WALK_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/* Beside those of errno.h, negative as they are. */
enum vmmprof_walk_error {
	VMMPROF_ELINK = 1001, /* somebody else's symbolic link */
	VMMPROF_EOWNER,	      /* somebody else's directory */
	VMMPROF_EWRITERS,     /* others may write to the directory */
	VMMPROF_EPARENT,      /* others may exchange the directory */
	VMMPROF_ENAMES,	      /* a file of several names, put there by others */
};

/* What of these or of errno.h @err (negative) is, for messages. */
const char *vmmprof_walk_strerror(int err);

enum vmmprof_walk_step {
	VMMPROF_STEP_DIR,   /* a directory in which a name is looked up */
	VMMPROF_STEP_LINK,  /* a symbolic link that is to be followed */
	VMMPROF_STEP_MAGIC, /* one of procfs, which may lead anywhere */
};

/* May the walk go on?  0 or a negative error, which ends it. */
typedef int vmmprof_walk_fn(enum vmmprof_walk_step step, const struct stat *st);

/* Root's links and the caller's own are followed. */
vmmprof_walk_fn vmmprof_step_own;
/* Everybody may pass, whoever made the links. */
vmmprof_walk_fn vmmprof_step_public;

struct vmmprof_walked {
	char name[NAME_MAX + 1]; /* the last one: no slash, "." for "/" */
	bool magic; /* it is a link of procfs, for the kernel to follow */
};

/*
 * Go along @path up to the directory of the last name.  @follow: that one may
 * be a link, too, and then the walk goes on where it leads; else it is left.
 * The descriptor (O_PATH) of that directory, the caller's to close; or -errno.
 * The last name need not be there.
 */
int vmmprof_walk(const char *path, bool follow, vmmprof_walk_fn *may,
		 struct vmmprof_walked *ret);

#endif /* VMMPROF_DATA_WALK_H */
