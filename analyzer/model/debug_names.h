/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for what a machine's own symbol tables have none for, from files on this
 * host with the same build-id, when a session is read.  Nothing is asked of a
 * guest, and a path that a guest wrote is never opened.
 */
#ifndef MODEL_DEBUG_NAMES_H
#define MODEL_DEBUG_NAMES_H

#include <stdbool.h>

#include "base/problem.h"
#include "format/bundle.h"
#include "sym/elf.h"
#include "sym/symbol.h"

/* What is looked for. */
enum debug_what {
	DEBUG_NAMES, /* a file with local symbols; it may lack the code */
	DEBUG_WHOLE, /* a file with code, because its bundle has no table of it */
};

struct debug_entry {
	__u8 build_id[ELFFILE_BUILD_ID_MAX];
	__u8 size;
	__u8 what;    /* enum debug_what */
	bool there;   /* elf and path are filled in */
	bool fetched; /* or it was tried */
	int flags;    /* with which open_regular() has it */
	struct elffile elf;
	char *path;
};

/* Of a resolver.  All zero: nothing is looked for. */
struct debug_names {
	bool on;
	struct problems *problems; /* takes what is not used, and why */
	const struct bundle *host; /* NULL, or whose files may have the names */
	/*
	 * NULL, or has a file with names fetched: 0, with the name by which
	 * open_regular() has it; -EPERM: not of a guest's; or -errno, and
	 * .why(-errno) says it.
	 */
	int (*fetch)(void *arg, const struct vmmprof_maps_file *item,
		     bool guest, char *name, size_t size);
	const char *(*why)(int err);
	void *fetch_arg;
	struct debug_entry *entries;
	size_t nr, cap;
	__u64 bytes;	 /* of all tables */
	int told;	 /* -errno: why a server was not used */
	bool unreadable; /* it was said once */
};

/*
 * The table for a file of a bundle, a @guest's or the host's; with DEBUG_NAMES its addresses lie in the
 * @segments that are known of the file.  Each build-id is looked for once.
 * *@ret is lent for as long as @d lives.  0; -ENOENT: there is none; or -ENOMEM.
 */
int debug_names_get(struct debug_names *d, const struct vmmprof_maps_file *item,
		    bool guest, enum debug_what what,
		    const struct symbols *segments, struct symbols *ret);

/*
 * The path of the file with names, and in *flags with which open_regular() has
 * it: it may have more.  NULL: there is none.
 */
const char *debug_names_path(struct debug_names *d,
			     const struct vmmprof_maps_file *item, bool guest,
			     int *flags);

void debug_names_deinit(struct debug_names *d);

#endif /* MODEL_DEBUG_NAMES_H */
