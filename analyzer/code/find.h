/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The code of a function that has samples: finds its bytes as they ran.  A
 * guest's bundle has those of hot functions, if it was asked for them.  Files
 * are taken by their build-id only.  A path that a guest wrote is never
 * opened.  For a guest's file these are tried: files that the user named, the
 * host's own with the same build-id, /usr/lib/debug by build-id, and a
 * debuginfod server if the user allows it.
 */
#ifndef CODE_FIND_H
#define CODE_FIND_H

#include "sym/code_reader.h"
#include "sym/dwarf.h"
#include "code/server.h"
#include "host/kernel_text.h"
#include "code/hotspots.h"

#define VMMPROF_KCORE "/proc/kcore" /* where its memory is said to be from */

struct code_files {
	const char *const *paths; /* --code-from */
	size_t nr;
	struct code_server *server; /* NULL: none is asked */
	/* the running kernel's code, read by another process */
	struct kernel_text *kernel; /* NULL: not at hand */
	/*
	 * NULL, or who can have a guest's code fetched, and is told of each
	 * place of a guest whether it is @here.  Why it is not; NULL: it will
	 * not be.
	 */
	const char *(*fetch)(void *arg, const struct hot_place *p, bool here);
	void *fetch_arg;
};

/* Must not be copied or moved: members point into it. */
struct code_found {
	struct code code;	 /* size 0: not at hand */
	struct debuginfo *dwarf; /* NULL: not at hand */
	__u64 slide;		 /* address minus this: as dwarf has it */
	bool patched;		 /* a kernel's file: its memory may differ */
	bool bundle;	/* code is the guest's bundle's, from no file */
	bool no_lines;	/* so; a file could be named that has source lines */
	char from[512]; /* the file that has it; not safe to print */
	char why[256];	/* why not, and what to do; "": it is there */
	/* what the server gave or why it did not; "": it was not asked */
	char server[192];
	struct code_id id; /* of whose files it may be asked */
	__u8 build_id[ELFFILE_BUILD_ID_MAX];
};

/*
 * Look for the code.  Wrong files are skipped; .why says what was missing.
 * deinit is due.
 */
void code_find(struct analysis *a, const struct hot_place *p,
	       const struct code_files *files, struct code_found *ret);
void code_found_deinit(struct code_found *f);

/*
 * The function at an address beside those of a place, as in .code; NULL: not
 * known.  Not safe to print; to be freed.
 */
char *code_name(struct analysis *a, const struct hot_place *p, __u64 addr);

#endif /* CODE_FIND_H */
