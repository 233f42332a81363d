/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that all verbs which read a session have, and opening a session. */
#ifndef CMD_LOAD_H
#define CMD_LOAD_H

#include "cmd/analysis_open.h"
#include "cmd/names_options.h"
#include "cmd/options.h"

#define DEFAULT_SESSION "vmmprof.data"
#define BUNDLE_OPTIONS	256

struct session_load {
	const char *verb; /* for messages */
	const char *dir;
	struct bundle_option bundles[BUNDLE_OPTIONS];
	size_t nr_bundles;
	bool begun; /* rights were given up, and all files are open */
};

/* Of --inline, in verbs with call chains. */
#define INLINE_OPTION_HELP \
	"functions that the compiler put into others are frames of chains, by the debugging information of files"

/*
 * The operand DIR of a verb, instead of -i, and its rule; @of: the verb's
 * structure, whose member load is a struct session_load.
 */
#define LOAD_FORMS ((const char *const[]){ "[OPTIONS] [DIR]", NULL })
#define LOAD_OPERAND(of)                                          \
	{                                                         \
		"DIR", 1, .single = true, .value = VALUE_SESSION, \
			  .at = offsetof(of, load.dir)            \
	}
#define LOAD_RULE                                                 \
	{                                                         \
		"DIR", NOT_WITH, "input", "both name the session" \
	}

/* -i, and --guest-bundle, of a struct session_load. */
extern const struct option_spec load_options[];
extern const struct option_spec load_bundle_options[];

/*
 * The same for a list of BUNDLE_OPTIONS.  @arg is cut at its "=" and must stay.
 */
bool take_bundle_option(struct bundle_option *bundles, size_t *nr,
			const char *verb, const char *option, char *arg);

/* Was a bundle given for the guest of that name? */
bool load_has_bundle(const struct session_load *l, const char *name);

/*
 * Open the session; on failure the error is printed.  Returns 0 or an exit
 * status.  analysis_close() is due in either case.
 */
int session_load(struct session_load *l, struct analysis *a);

/* Print the lines of problems from number first on as warnings. */
void print_warnings(const struct problems *p, size_t first);

/* Print that the pass over the records failed; returns the exit status. */
int load_failed(const char *verb, int err);

#endif /* CMD_LOAD_H */
