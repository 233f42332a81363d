/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of a spool: each is a window, an archive of profiles
 * (view/export_per_vm.h), and called by the time of its beginning and their
 * number.  Two processes take files from there: who has renamed one has it.
 */
#ifndef CMD_AGENT_SPOOL_FILE_H
#define CMD_AGENT_SPOOL_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#define SPOOL_FILE_MAX (16u << 20) /* bytes of a window */
#define SPOOL_NAME     32	   /* bytes of a name, with the NUL */

enum spool_state {
	SPOOL_THERE, /* NAME */
	SPOOL_NEW,   /* .NAME.new: being written */
	SPOOL_TAKEN, /* NAME.push: push sends it */
	SPOOL_GONE,  /* NAME.drop: the agent drops it */
	NR_SPOOL_STATES
};

struct spool_file {
	char name[SPOOL_NAME]; /* as SPOOL_THERE */
	enum spool_state state;
	__u64 real_ns, bytes;
	__u32 profiles;
};

/* The name of a window; @name has SPOOL_NAME bytes. */
void spool_name(char *name, __u64 real_ns, __u32 profiles);

/* All windows, the oldest first; *list is to be freed.  0 or -errno. */
int spool_list(int dirfd, struct spool_file **list, size_t *nr);

/* Another state for a file: -ENOENT if it does not have that of @f any more. */
int spool_rename(int dirfd, const struct spool_file *f, enum spool_state to);
/* The same, to be gone.  0 or -errno. */
int spool_remove(int dirfd, const struct spool_file *f);
/* To read it: a descriptor or -errno. */
int spool_open_file(int dirfd, const struct spool_file *f);

#endif /* CMD_AGENT_SPOOL_FILE_H */
