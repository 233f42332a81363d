/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Follows a path step by step and checks each directory and each link: who made
 * it, who may write to it, who may enter it.  open() alone follows any link.
 */
#ifndef BASE_PATH_WALK_H
#define BASE_PATH_WALK_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/* Errors in addition to those of errno.h; returned negative like them. */
enum path_walk_error {
	VMMPROF_ELINK = 1001, /* somebody else's symbolic link */
	VMMPROF_EOWNER,	      /* somebody else's directory */
	VMMPROF_EWRITERS,     /* others may write to the directory */
	VMMPROF_EPARENT,      /* others may exchange the directory */
	VMMPROF_ENAMES,	      /* a file of several names, put there by others */
};

/* The text of @err, a negative error of these or of errno.h. */
const char *path_walk_strerror(int err);

enum path_walk_step {
	STEP_DIR,   /* a directory in which a name is looked up */
	STEP_LINK,  /* a symbolic link that is to be followed */
	STEP_MAGIC, /* one of procfs, which may lead anywhere */
};

/* May the walk go on?  0 or a negative error, which ends it. */
typedef int path_walk_fn(enum path_walk_step step, const struct stat *st);

/* Root's links and the caller's own are followed. */
path_walk_fn step_own;
/* Everybody may pass, whoever made the links. */
path_walk_fn step_public;

struct walked {
	char name[NAME_MAX + 1]; /* the last one: no slash, "." for "/" */
	bool magic; /* it is a link of procfs, for the kernel to follow */
};

/*
 * Follow @path up to the directory of the last name.  @follow: the last name is
 * followed, too, if it is a link.  The descriptor (O_PATH) of that directory,
 * the caller's to close; or -errno.  The last name need not be there.
 */
int path_walk(const char *path, bool follow, path_walk_fn *may,
	      struct walked *ret);

/*
 * Opens @path with @flags (openat(2)), all links on it followed as @may says.
 * The descriptor or -errno.
 */
int path_open(const char *path, path_walk_fn *may, int flags, mode_t mode);

#endif /* BASE_PATH_WALK_H */
