/* SPDX-License-Identifier: GPL-2.0-only */
/* --debug-dir, and --debuginfod where it is for names alone. */
#ifndef CMD_NAMES_OPTIONS_H
#define CMD_NAMES_OPTIONS_H

#include "cmd/code_options.h"
#include "model/analysis.h"

extern const struct option_spec names_options[];

/* --debuginfod of the verbs that have no struct code_from; none may be given. */
extern const struct option_spec names_server_options[];

/*
 * Of a verb that has one: names, too, are asked for there, if the user wants it.
 * To be called before names_begin(); @f stays.
 */
void names_server(struct code_from *f);

/* Before rights are given up: starts what names_server_options asked for. */
void names_server_begin(void);

/*
 * To be called after the session was opened: from now on names are looked for
 * in debug files, too.
 */
void names_begin(struct analysis *a);

#endif /* CMD_NAMES_OPTIONS_H */
