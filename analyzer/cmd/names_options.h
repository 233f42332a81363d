/* SPDX-License-Identifier: GPL-2.0-only */
/* --debug-dir of all verbs that read a session. */
#ifndef CMD_NAMES_OPTIONS_H
#define CMD_NAMES_OPTIONS_H

#include "cmd/options.h"
#include "model/analysis.h"

extern const struct option_spec names_options[];

/*
 * To be called after the session was opened: from now on names are looked for
 * in debug files, too.
 */
void names_begin(struct analysis *a);

#endif /* CMD_NAMES_OPTIONS_H */
