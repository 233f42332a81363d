/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `vmmprof --complete WORD...`: what the last word of a command line may
 * become, for scripts of shells (scripts/install/completion.*).  A line each:
 * the whole word, and behind a tab what it is.
 */
#ifndef CMD_COMPLETE_H
#define CMD_COMPLETE_H

#include "cmd/cmd.h"
#include "cmd/options.h"

/* The word to complete. */
struct completion {
	const char *word;
	int head;	 /* bytes at its beginning that stay unchanged */
	bool of_session; /* the verb reads sessions */
	const char *dir; /* the session named; NULL: none */
};

/* Offer @text followed by @after, if the word begins so. */
void complete_offer(const struct completion *c, const char *text,
		    const char *after, const char *help);

/* @sessions: directories, those that are no session with a slash. */
void complete_files(const struct completion *c, bool sessions);

/*
 * Guests, events or functions: of the session named, else of that in the
 * current directory, else guests of the host.  A process without rights reads
 * it, for a few seconds at most.
 */
void complete_names(const struct completion *c, enum option_value value,
		    const char *after);

/* @words: the words after "vmmprof". */
int complete(const struct verb *verbs, int nr_words, char **words);

#endif /* CMD_COMPLETE_H */
