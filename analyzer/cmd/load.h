/* SPDX-License-Identifier: GPL-2.0-only */
/* What the verbs that read a session have in common on the command line. */
#ifndef VMMPROF_CMD_LOAD_H
#define VMMPROF_CMD_LOAD_H

#include "model/analysis.h"

#define VMMPROF_DEFAULT_SESSION "vmmprof.data"
#define VMMPROF_BUNDLE_OPTIONS	256

struct vmmprof_load {
	const char *verb; /* for messages */
	const char *dir;
	struct vmmprof_bundle_option bundles[VMMPROF_BUNDLE_OPTIONS];
	size_t nr_bundles;
	bool begun; /* the process has given up its rights, all is open */
};

/* Parse NAME=FILE of --guest-bundle.  False, with a message, if it is none. */
bool vmmprof_load_bundle_option(struct vmmprof_load *l, const char *verb,
				const char *arg);

/* Was a bundle given for the guest of that name? */
bool vmmprof_load_has_bundle(const struct vmmprof_load *l, const char *name);

/* Parse a number of an option; false, with a message, if it is none. */
bool vmmprof_load_number(const char *verb, const char *option, const char *arg,
			 __u32 *ret);

/*
 * After the last option: nothing else may be there.  @ok: the options were
 * good.  Returns -1: go on, or the exit status, with a message.
 */
int vmmprof_load_options_end(const char *verb, bool ok, int argc, char **argv);

/*
 * Open the session; on failure the error is printed.  Returns 0 or an exit
 * status.  vmmprof_analysis_close() is due in either case.
 */
int vmmprof_load(struct vmmprof_load *l, struct vmmprof_analysis *a);

/* Print the lines of problems from number first on as warnings. */
void vmmprof_print_warnings(const struct vmmprof_problems *p, size_t first);

/* Say that the pass over the records failed; returns the exit status. */
int vmmprof_load_failed(const char *verb, int err);

#endif /* VMMPROF_CMD_LOAD_H */
