/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits of the symbols in a recording, so that its file stays readable and no
 * user's files displace another's: for each file, for each user whose processes
 * have files mapped, for files that are not root's, and in all.
 */
#ifndef OS_SYMBOL_BUDGET_H
#define OS_SYMBOL_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#include <vmmprof/record.h>

#include "format/item_writer.h"
#include "os/file_protocol.h"

/* The user of a file that could not be opened is unknown. */
#define SYMBOL_BUDGET_ANY (VMMPROF_NONE - 1)

/* Bytes of tables, nanoseconds of CPU time. */
struct symlimits {
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
extern const struct symlimits symlimits_host;
extern const struct symlimits symlimits_guest;

struct symbol_budget_user {
	__u32 uid;
	__u32 over;   /* files left out: there was too much already */
	__u32 failed; /* files left out: too large, too slow, a crash */
	__u32 jits;   /* functions left out */
	__u64 bytes;
	__u64 ns;
	__u64 jit_bytes;
};

struct symbol_budget {
	const struct symlimits *limits;
	struct symbol_budget_user *users;
	size_t nr, cap;
	__u64 untrusted, all, untrusted_ns, jits;
};

void symbol_budget_init(struct symbol_budget *b,
			const struct symlimits *limits);
void symbol_budget_deinit(struct symbol_budget *b);

/*
 * May a file of this owner be read, or @bytes of it be kept?  0; -EDQUOT: too
 * much of this user; -ENOSPC: too much of all; -ETIME: too much CPU time for
 * this user.
 */
int symbol_budget_ask(struct symbol_budget *b, const struct file_owner *owner,
		      __u64 bytes);

/* Counts what it took. */
void symbol_budget_take(struct symbol_budget *b, const struct file_owner *owner,
			__u64 bytes, __u64 ns);

/* Counts a file that was left out; @err: as above, or the parser's error. */
void symbol_budget_left(struct symbol_budget *b, __u32 uid, int err);

/* May @bytes more of JIT names of a user's process be kept?  They are counted. */
bool symbol_budget_jit(struct symbol_budget *b, __u32 uid, __u64 bytes);

/* A line about each user of whom something was left out: NOTE items. */
int symbol_budget_note(const struct symbol_budget *b, struct item_writer *w);

/* The same as text, of the user with the most of it; "": nobody. */
void symbol_budget_say(const struct symbol_budget *b, char *buf, size_t size);

#endif /* OS_SYMBOL_BUDGET_H */
