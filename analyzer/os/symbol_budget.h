/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of symbols a recording takes, so that its file stays one that can
 * be read and nobody's files displace another's: for each file, for each user
 * whose processes have files mapped, for what is not root's, and in all.
 */
#ifndef VMMPROF_OS_SYMBOL_BUDGET_H
#define VMMPROF_OS_SYMBOL_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#include <vmmprof/record.h>

#include "format/item_writer.h"
#include "os/file_protocol.h"

/* Of a file that could not be opened nobody is known. */
#define VMMPROF_SYMBUDGET_ANY (VMMPROF_NONE - 1)

/* Bytes of tables, nanoseconds of CPU time. */
struct vmmprof_symlimits {
	__u64 file;	 /* bytes of one */
	__u64 user;	 /* of what one user has mapped; root: no limit */
	__u64 untrusted; /* of files that others than root can write */
	__u64 all;
	__u64 file_ns;
	__u64 user_ns;
	__u64 untrusted_ns;
	__u64 jits;	 /* bytes of names of JIT code, of all */
	__u64 user_jits; /* of one user's processes */
	__u64 written;	 /* bytes of the whole file, but for the kernel's */
};

/* A session's file of the host (format/items.h: 1 GiB); a guest's bundle. */
extern const struct vmmprof_symlimits vmmprof_symlimits_host;
extern const struct vmmprof_symlimits vmmprof_symlimits_guest;

struct vmmprof_symbudget_user {
	__u32 uid;
	__u32 over;   /* files left out: there was too much already */
	__u32 failed; /* files left out: too large, too slow, a crash */
	__u32 jits;   /* functions left out */
	__u64 bytes;
	__u64 ns;
	__u64 jit_bytes;
};

struct vmmprof_symbudget {
	const struct vmmprof_symlimits *limits;
	struct vmmprof_symbudget_user *users;
	size_t nr, cap;
	__u64 untrusted, all, untrusted_ns, jits;
};

void vmmprof_symbudget_init(struct vmmprof_symbudget *b,
			    const struct vmmprof_symlimits *limits);
void vmmprof_symbudget_deinit(struct vmmprof_symbudget *b);

/*
 * May a file of this owner be read, or @bytes of it be kept?  0; -EDQUOT: too
 * much of this user; -ENOSPC: too much of all; -ETIME: too much time of his.
 */
int vmmprof_symbudget_ask(struct vmmprof_symbudget *b,
			  const struct vmmprof_file_owner *owner, __u64 bytes);

/* What it took. */
void vmmprof_symbudget_take(struct vmmprof_symbudget *b,
			    const struct vmmprof_file_owner *owner, __u64 bytes,
			    __u64 ns);

/* That a file was left out; @err: as above, or why its parser gave it up. */
void vmmprof_symbudget_left(struct vmmprof_symbudget *b, __u32 uid, int err);

/* May @bytes more of JIT names of a user's process be kept?  They are counted. */
bool vmmprof_symbudget_jit(struct vmmprof_symbudget *b, __u32 uid, __u64 bytes);

/* Files and functions that were left out. */
__u32 vmmprof_symbudget_missing(const struct vmmprof_symbudget *b);

/* A line about each user of whom something was left out: NOTE items. */
int vmmprof_symbudget_note(const struct vmmprof_symbudget *b,
			   struct vmmprof_itemwriter *w);

/* The same as text, of the user with the most of it; "": nobody. */
void vmmprof_symbudget_say(const struct vmmprof_symbudget *b, char *buf,
			   size_t size);

#endif /* VMMPROF_OS_SYMBOL_BUDGET_H */
