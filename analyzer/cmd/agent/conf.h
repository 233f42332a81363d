/* SPDX-License-Identifier: GPL-2.0-only */
/* A file of options: a line "name = value" for each, as on a command line. */
#ifndef CMD_AGENT_CONF_H
#define CMD_AGENT_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "cmd/options.h"

#define CONF_LINES 256

/* A command line: the strings are those of .text. */
struct conf {
	char *text;
	char *args[2 * CONF_LINES + 64]; /* NULL behind the last */
	int nr;
	const char *path; /* whose options were taken; NULL: none was */
};

/*
 * Begins a command line of the verb's name @verb, then a "--name=value" for each
 * line of the file; "name" alone, an option without a value, is "--name".
 * Empty lines and what begins with # are left out.  0; -ENOENT: there is no such
 * file; -EINVAL and others of open() with words in @e.
 */
int conf_read(struct conf *c, const char *path, char *verb, struct error *e);
void conf_deinit(struct conf *c);

/*
 * The same of the file that --conf of a command line names, or of @standard, which
 * need not be there; then the command line, whose options are taken instead of
 * the file's, also by their letters.  The file's options in the list @without, names
 * with spaces between, are left out.  0, or -errno with words in @e.
 */
int conf_arguments(struct conf *c, const struct options *o,
		   const char *standard, const char *without, int argc,
		   char **argv, struct error *e);

/* Behind an error in a command line: where some of it is from. */
void conf_say(const struct conf *c, const char *verb);

#endif /* CMD_AGENT_CONF_H */
