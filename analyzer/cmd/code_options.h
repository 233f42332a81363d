/* SPDX-License-Identifier: GPL-2.0-only */
/* --code-from and --debuginfod of the verbs that show instructions. */
#ifndef CMD_CODE_OPTIONS_H
#define CMD_CODE_OPTIONS_H

#include "cmd/options.h"
#include "code/find.h"

#define CODE_FROM_MAX 64

/* For whose files the user wants servers to be asked. */
enum { ASKS_HOST, ASKS_ALL, ASKS_NO, ASKS_DEFAULT };

struct code_from {
	const char *paths[CODE_FROM_MAX];
	size_t nr;
	struct code_server server;
	/* that; NULL: it is not asked, and nothing is said of it */
	struct code_server *asked;
	/* ASKS_DEFAULT: of the host's, for code and lines but not for names */
	unsigned int asks;
	struct kernel_text kernel;
	bool has_kernel; /* that was started */
};

/* Both, of that. */
extern const struct option_spec code_options[];

/* Does the user want servers to be asked, beyond the default? */
static inline bool code_from_asks(const struct code_from *f)
{
	return f->asks == ASKS_HOST || f->asks == ASKS_ALL;
}

/*
 * To be called before the process gives up its rights: opens these files and
 * the session @dir, and finds out who owns it.  For root and a session that
 * root owns, starts the process that has the running kernel's code.  False,
 * with a message, if a given file cannot be opened.
 */
bool code_from_open(struct code_from *f, const char *verb, const char *dir);

/*
 * To be called before that, too: starts the process that asks debuginfod
 * servers, if the user wants it and there are any.  One file may take @seconds;
 * @tell: on a terminal, report requests that take long.
 */
void code_from_server(struct code_from *f, int seconds, bool tell);
void code_from_end(struct code_from *f);

static inline struct code_files code_from_files(struct code_from *f)
{
	return (struct code_files){ .paths = f->paths,
				    .nr = f->nr,
				    .kernel = f->has_kernel ? &f->kernel : NULL,
				    .server = f->asked };
}

#endif /* CMD_CODE_OPTIONS_H */
